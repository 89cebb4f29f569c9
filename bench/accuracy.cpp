// What do the fast solver and bounded neighbour lists cost in accuracy?
#include <cmath>
#include <sstream>

#include "arguments.hpp"
#include "measure.hpp"
#include "palate/palate.hpp"
#include "solver.hpp"

namespace {

constexpr auto usage = "bench_accuracy DATA_FOLDER PRESET [NEIGHBOURS,NEIGHBOURS...] [--json FILE]";

struct Way {
  std::string name;
  std::string solver;
  std::size_t neighbours = 0;
};

std::vector<Way> ways(const std::string& neighbours) {
  std::vector<Way> out = {{"exact", "exact"}, {"fast", "fast"}, {"auto", "auto"}};
  std::istringstream list(neighbours);
  for (std::string count; std::getline(list, count, ',');) {
    out.push_back({count + " neighbours", "auto", std::stoul(count)});
  }
  return out;
}

// The most that any metric of quality falls behind, as a share of its exact value.
std::pair<double, std::string> worst_loss(const palate::Evaluation& exact,
                                          const palate::Evaluation& other) {
  std::pair<double, std::string> worst{0, "-"};
  for (std::size_t m = 0; m < exact.metrics.size(); ++m) {
    if (exact.per_user[m].empty()) continue;
    const std::string& metric = exact.metrics[m];
    const double before = exact.mean.at(metric);
    const double loss = before > 0 ? (before - other.mean.at(metric)) / before : 0;
    if (loss > worst.first) worst = {loss, metric};
  }
  return worst;
}

void measure(const bench::Arguments& arguments) {
  const palate::Import data = palate::read(arguments.text(0));
  if (!data.test) throw std::runtime_error("there is no test part in " + arguments.text(0));
  auto results = bench::Json::array();
  palate::Evaluation exact;
  std::printf("%-18s %10s %10s   %s\n", "", "recall@10", "ndcg@10", "worst loss of any metric");
  for (const Way& way : ways(arguments.text(2))) {
    palate::CaGf settings = palate::preset(arguments.text(1), data.ratings.criteria());
    bench::set_solver(settings, way.solver, way.neighbours);
    const palate::Model model = palate::fit(data.ratings, settings);
    const palate::Evaluation marks = palate::evaluate(model, *data.test);
    if (way.name == "exact") exact = marks;
    const auto [loss, metric] = worst_loss(exact, marks);
    std::printf("%-18s %10.5f %10.5f   %.3f %% (%s)\n", way.name.c_str(),
                marks.mean.at("recall@10"), marks.mean.at("ndcg@10"), 100 * loss, metric.c_str());
    results.push_back({{"name", way.name},
                       {"mean", marks.mean},
                       {"worst_loss", loss},
                       {"worst_metric", metric},
                       {"way", bench::chosen_way(model.info())}});
  }
  bench::write_json(arguments.text("json"), results);
}

}  // namespace

int main(int argc, char** argv) { return bench::run({argc, argv, usage, 2, {"json"}}, measure); }
