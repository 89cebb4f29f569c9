// How do time and memory grow with the data? One size of the paper's scaling series per process.
#include <cmath>
#include <iostream>

#include "arguments.hpp"
#include "base/random.hpp"
#include "measure.hpp"
#include "palate/palate.hpp"
#include "solver.hpp"

namespace {

constexpr auto usage = "bench_scaling SIZE_INDEX(0..6) [auto|exact|fast]   prints one line of JSON";

struct Size {
  std::size_t users, items;
};
// 98.5 % sparse with overall and four criteria: users * items * 0.015 * 5 is 0.3 to 38 million
// ratings.
constexpr Size sizes[] = {{1'500, 3'000},  {2'500, 5'500},   {4'000, 6'000},  {5'000, 9'000},
                          {8'000, 10'000}, {10'000, 15'000}, {25'000, 20'000}};
constexpr double filled = 0.015;

palate::Ratings uniform_ratings(const Size& size) {
  palate::RatingsBuilder builder({"overall", "a", "b", "c", "d"});
  palate::Random random(1);
  std::vector<std::string> items;
  for (std::size_t k = 0; k < size.items; ++k) {
    items.push_back(std::to_string(k));
    builder.add_item(items.back());
  }
  const double scale = 1 / std::log1p(-filled);
  // Gaps between the filled cells of a row are geometric.
  const auto gap = [&] { return static_cast<std::size_t>(std::log(1 - random.uniform()) * scale); };
  for (std::size_t user = 0; user < size.users; ++user) {
    const std::string id = std::to_string(user);
    for (std::size_t item = gap(); item < size.items; item += 1 + gap()) {
      float values[5];
      for (float& value : values) value = static_cast<float>(1 + random.below(5));
      builder.add(id, items[item], values);
    }
  }
  return builder.build();
}

// From ratings to the lists of everybody.
struct Run {
  palate::Stages stages;
  double seconds = 0;
  std::size_t places = 0;
  palate::ModelInfo info;

  Run(const palate::Ratings& ratings, const palate::CaGf& settings) {
    const bench::Stopwatch all;
    bench::Stopwatch watch;
    const palate::Model model = palate::fit(ratings, settings);
    stages = model.info().seconds;
    watch.lap();
    model.recommend_all({},
                        [&](const palate::Recommendations& one) { places += one.items.size(); });
    stages.emplace_back("recommend", watch.lap());
    seconds = all.seconds();
    info = model.info();
  }
};

void measure(const bench::Arguments& arguments) {
  const std::size_t index = arguments.number(0, 0);
  if (index >= std::size(sizes)) arguments.refuse();
  const std::string solver = arguments.text(1, "auto");
  const palate::Ratings ratings = uniform_ratings(sizes[index]);
  bench::forget_peak();

  palate::CaGf settings = palate::preset("ba", ratings.criteria());
  bench::set_solver(settings, solver);
  const Run cold(ratings, settings);
  const Run warm(ratings, settings);
  const bench::Json line = {{"users", ratings.users()},
                            {"items", ratings.items()},
                            {"ratings", ratings.interactions() * 5},
                            {"solver", solver},
                            {"seconds", warm.seconds},
                            {"stages", bench::as_json(warm.stages)},
                            {"cold_seconds", cold.seconds},
                            {"cold_stages", bench::as_json(cold.stages)},
                            {"peak_bytes", bench::peak_bytes()},
                            {"places", warm.places},
                            {"way", bench::chosen_way(warm.info)}};
  std::cout << line.dump() << std::endl;
}

}  // namespace

int main(int argc, char** argv) { return bench::run({argc, argv, usage, 1, {}}, measure); }
