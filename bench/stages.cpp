// Where does the time go from ratings in memory to the top ten of everybody, cold and warm?
#include "arguments.hpp"
#include "measure.hpp"
#include "palate/palate.hpp"
#include "solver.hpp"

namespace {

constexpr auto usage =
    "bench_stages DATA_FOLDER PRESET [REPEATS] [THREADS] [--solver auto|exact|fast] [--json FILE]";

void measure(const bench::Arguments& arguments) {
  const std::string solver = arguments.text("solver", "auto");
  const palate::RunOptions run{.threads = static_cast<unsigned>(arguments.number(3, 0))};
  const palate::Import data = palate::read(arguments.text(0));
  palate::CaGf settings = palate::preset(arguments.text(1), data.ratings.criteria());
  bench::set_solver(settings, solver);

  bench::Json results = {
      {"data", arguments.text(0)}, {"solver", solver}, {"runs", bench::Json::array()}};
  bench::forget_peak();
  const std::size_t repeats = arguments.number(2, 5);
  for (std::size_t k = 0; k < repeats; ++k) {
    const bench::Stopwatch all;
    bench::Stopwatch watch;
    const palate::Model model = palate::fit(data.ratings, settings, run);
    palate::Stages stages = model.info().seconds;
    watch.lap();
    std::size_t places = 0;
    model.recommend_all(
        {}, [&](const palate::Recommendations& one) { places += one.items.size(); }, run);
    stages.emplace_back("recommend", watch.lap());
    const double total = all.seconds();

    std::printf("%s", k == 0 ? "cold" : "warm");
    for (const auto& [stage, spent] : stages) std::printf("  %s %.4f", stage.c_str(), spent);
    std::printf("  total %.4f s  (%zu places)\n", total, places);
    results["runs"].push_back(
        {{"cold", k == 0}, {"seconds", total}, {"stages", bench::as_json(stages)}});
    if (k == 0) {
      results["way"] = bench::chosen_way(model.info());
      results["peak_bytes_cold"] = bench::peak_bytes();
    }
  }
  bench::write_json(arguments.text("json"), results);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run({argc, argv, usage, 2, {"solver", "json"}}, measure);
}
