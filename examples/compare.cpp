// Splits ratings, fits two methods on the larger part, measures both on the rest, and says whether
// they differ by more than chance.
#include <array>
#include <iostream>
#include <palate/palate.hpp>

int main() {
  const palate::Ratings ratings = palate::synthesize({.users = 400, .items = 120, .seed = 7});
  const palate::Split parts = palate::split(ratings, {.test = 0.2, .seed = 7});

  // Settings are chosen on a part of train alone.
  const palate::Choice chosen = palate::tune(parts.train);
  const std::array<palate::Evaluation, 2> results = {
      palate::evaluate(palate::fit(parts.train, palate::Method("popularity")), parts.test),
      palate::evaluate(palate::fit(parts.train, chosen), parts.test)};

  for (const palate::Evaluation& one : results) {
    const auto [low, high] = palate::mean_interval(one, "ndcg@10");
    std::cout << one.name << ": ndcg@10 " << one.mean.at("ndcg@10") << " (" << low << " to " << high
              << "), coverage@10 " << one.mean.at("coverage@10") << '\n';
  }
  for (const palate::Difference& d : palate::compare(results, {.metrics = {"ndcg@10"}})) {
    std::cout << d.method << " - " << d.baseline << ": " << d.difference << " (" << d.low << " to "
              << d.high << "), p = " << d.p_value << " over " << d.users << " people\n";
  }
}
