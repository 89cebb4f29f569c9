// Can a million people and 200,000 items be fitted on this machine, in which time and memory?
#include "arguments.hpp"
#include "made_up.hpp"
#include "measure.hpp"
#include "palate/palate.hpp"
#include "solver.hpp"

namespace {

constexpr auto usage =
    "bench_million [USERS] [ITEMS] [INTERACTIONS] [ASKED] [--solver auto|exact|fast] "
    "[--neighbours N] [--json FILE]";

palate::Ratings make_ratings(const bench::MadeUp& shape) {
  palate::RatingsBuilder builder({"overall", "appearance", "aroma", "palate", "taste"});
  std::string user_id, item_id;
  bench::make_up(shape, [&](std::uint32_t user, std::uint32_t item, const bench::Values& values) {
    user_id = std::to_string(user);
    item_id = std::to_string(item);
    builder.add(user_id, item_id, values);
  });
  return builder.build();
}

void measure(const bench::Arguments& arguments) {
  const bench::MadeUp shape{.users = arguments.number(0, 1'000'000),
                            .items = arguments.number(1, 200'000),
                            .interactions = arguments.number(2, 20'000'000)};
  if (shape.users == 0 || shape.items == 0) arguments.refuse();
  bench::Stopwatch watch;
  const palate::Ratings ratings = make_ratings(shape);
  palate::Stages stages = {{"make", watch.lap()}};
  const std::uint64_t peak_making = bench::peak_bytes();
  std::printf("%zu users, %zu items, %zu interactions with 5 criteria: made in %.1f s, %.2f GB\n",
              ratings.users(), ratings.items(), ratings.interactions(), stages[0].second,
              static_cast<double>(peak_making) / 1e9);
  std::fflush(stdout);

  bench::forget_peak();
  palate::CaGf settings = palate::preset("ba", ratings.criteria());
  bench::set_solver(settings, arguments.text("solver", "auto"), arguments.number("neighbours", 0));
  watch.lap();
  const palate::Model model = palate::fit(ratings, settings);
  stages.emplace_back("fit", watch.lap());

  std::vector<std::string> asked;
  const std::size_t count = std::min(arguments.number(3, 100'000), ratings.users());
  for (std::size_t k = 0; k < count; ++k) {
    asked.emplace_back(ratings.user_id(static_cast<std::uint32_t>(k * ratings.users() / count)));
  }
  watch.lap();
  const auto lists = model.recommend(asked);
  stages.emplace_back("recommend", watch.lap());
  const std::uint64_t peak = bench::peak_bytes();

  for (const auto& [stage, spent] : model.info().seconds)
    std::printf("  fit: %-20s %8.2f s\n", stage.c_str(), spent);
  std::printf("fit %.1f s, top ten of %zu users %.1f s, peak memory %.2f GB\n", stages[1].second,
              lists.size(), stages[2].second, static_cast<double>(peak) / 1e9);
  const auto way = bench::chosen_way(model.info());
  std::printf("way: %s\n", way.dump().c_str());
  bench::write_json(arguments.text("json"), {{"users", ratings.users()},
                                             {"items", ratings.items()},
                                             {"interactions", ratings.interactions()},
                                             {"asked", lists.size()},
                                             {"seconds", bench::as_json(stages)},
                                             {"fit", bench::as_json(model.info().seconds)},
                                             {"graph_entries", model.info().graph_entries},
                                             {"peak_bytes", peak},
                                             {"peak_bytes_making", peak_making},
                                             {"way", way}});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run({argc, argv, usage, 0, {"solver", "neighbours", "json"}}, measure);
}
