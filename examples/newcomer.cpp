// Recommends for someone who is not in the data, from a few ratings of theirs, and shows what
// changes when one criterion counts more to them.
#include <iostream>
#include <palate/palate.hpp>

namespace {

// One row per item: the score, and what each criterion adds to it.
void show(const palate::Advisor& advisor, const palate::Profile& profile,
          const palate::RecommendOptions& options) {
  const palate::Recommendations list = advisor.recommend_for(profile, options);
  std::vector<std::string> items;
  for (const palate::Recommended& one : list.items) items.push_back(one.item);
  const auto parts = advisor.attributions_for(profile, items, options);
  for (std::size_t k = 0; k < items.size(); ++k) {
    std::cout << "  " << list.items[k].title << "  " << list.items[k].score << " =";
    for (std::size_t c = 0; c < advisor.criteria().size(); ++c) {
      std::cout << "  " << advisor.criteria()[c].name << ' ' << parts[k][c];
    }
    std::cout << '\n';
  }
}

}  // namespace

int main() {
  const palate::Ratings ratings = palate::synthesize({.users = 400, .items = 120, .seed = 7});
  const palate::Model model = palate::fit(ratings);

  // Criteria that they did not rate are simply not there.
  const palate::Profile profile = {
      {std::string(ratings.item_id(3)), {{"overall", 5.0F}, {"service", 5.0F}}},
      {std::string(ratings.item_id(8)), {{"overall", 2.0F}, {"food", 4.0F}, {"service", 1.0F}}},
      {std::string(ratings.item_id(20)), {{"overall", 4.0F}}}};

  std::cout << "as they are:\n";
  show(model, profile, {.top = 5});
  std::cout << "with service counting three times, and food not at all:\n";
  show(model, profile, {.top = 5, .weights = {{"service", 3.0}, {"food", 0.0}}});
}
