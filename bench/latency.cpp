// How long does one person wait: loading a model, one list, a list for someone new, an explanation?
// And everyone?
#include <algorithm>
#include <filesystem>

#include "arguments.hpp"
#include "measure.hpp"
#include "palate/palate.hpp"
#include "solver.hpp"
#include "support/temporary_folder.hpp"

namespace {

constexpr auto usage =
    "bench_latency DATA_FOLDER PRESET|METHOD [USERS] [--solver auto|exact|fast] [--json FILE]\n"
    "a method: such as adaptive:settings=fixed:precision=16";

palate::Method method_of(const bench::Arguments& arguments, const palate::Ratings& ratings) {
  const std::string name = arguments.text(1);
  const auto presets = palate::preset_names();
  if (std::find(presets.begin(), presets.end(), name) == presets.end()) {
    return palate::resolve(palate::MethodRequest::parse(name), ratings).method;
  }
  palate::CaGf settings = palate::preset(name, ratings.criteria());
  bench::set_solver(settings, arguments.text("solver", "auto"));
  return settings;
}

palate::Profile profile_of(const palate::Ratings& ratings, std::uint32_t user) {
  palate::Profile profile;
  const palate::UserRatings mine = ratings.of(user);
  const auto criteria = ratings.criteria();
  for (std::size_t k = 0; k < mine.size(); ++k) {
    palate::ProfileRating& one = profile.emplace_back();
    one.item = ratings.item_id(mine.items[k]);
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      if ((mine.present[k] >> c & 1U) == 0) continue;
      one.values.emplace_back(criteria[c].name, mine.values[k * criteria.size() + c]);
    }
  }
  return profile;
}

class Report {
 public:
  void add(const std::string& name, const std::vector<double>& seconds) {
    const auto ms = [&](double p) { return 1e3 * bench::percentile(seconds, p); };
    std::printf("%-28s %9.3f %9.3f %9.3f %9.3f   (%zu times)\n", name.c_str(), ms(0.5), ms(0.9),
                ms(0.99), ms(1), seconds.size());
    results_[name] = {{"p50_ms", ms(0.5)},
                      {"p90_ms", ms(0.9)},
                      {"p99_ms", ms(0.99)},
                      {"max_ms", ms(1)},
                      {"first_ms", seconds.empty() ? 0 : 1e3 * seconds[0]},
                      {"times", seconds.size()}};
  }
  [[nodiscard]] const bench::Json& results() const { return results_; }

 private:
  bench::Json results_ = bench::Json::object();
};

void measure(const bench::Arguments& arguments) {
  const palate::testing::TemporaryFolder folder;
  const auto file = folder.path() / "bench.palate";
  bench::Json way;
  {
    const palate::Import data = palate::read(arguments.text(0));
    const palate::Model fitted = palate::fit(data.ratings, method_of(arguments, data.ratings));
    way = bench::chosen_way(fitted.info());
    fitted.save(file);
  }
  std::printf("model file: %.1f MB; times in milliseconds\n%-28s %9s %9s %9s %9s\n",
              static_cast<double>(std::filesystem::file_size(file)) / 1e6, "", "p50", "p90", "p99",
              "max");
  std::vector<double> loads, lists, newcomers, explanations, everyone;
  for (int k = 0; k < 20; ++k) {
    const bench::Stopwatch watch;
    const palate::Model loaded = palate::Model::load(file);
    loads.push_back(watch.seconds());
  }

  const palate::Model model = palate::Model::load(file);
  const palate::Ratings& ratings = model.ratings();
  const std::size_t count = std::min(arguments.number(2, 2'000), ratings.users());
  const auto user_at = [&](std::size_t k) {
    return static_cast<std::uint32_t>(k * ratings.users() / count);
  };
  std::vector<std::string> best(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string_view user = ratings.user_id(user_at(k));
    const bench::Stopwatch watch;
    const palate::Recommendations list = model.recommend(user);
    lists.push_back(watch.seconds());
    if (!list.items.empty()) best[k] = list.items[0].item;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const palate::Profile profile = profile_of(ratings, user_at(k));
    if (profile.empty()) continue;
    const bench::Stopwatch watch;
    const palate::Recommendations list = model.recommend_for(profile);
    newcomers.push_back(watch.seconds());
  }
  for (std::size_t k = 0; k < count; k += 4) {
    if (best[k].empty()) continue;
    const std::string_view user = ratings.user_id(user_at(k));
    const bench::Stopwatch watch;
    const palate::Explanation why = model.explain(user, best[k]);
    explanations.push_back(watch.seconds());
  }
  for (int k = 0; k < 5; ++k) {
    std::size_t places = 0;
    const bench::Stopwatch watch;
    model.recommend_all({},
                        [&](const palate::Recommendations& one) { places += one.items.size(); });
    everyone.push_back(watch.seconds());
    if (places == 0) throw std::runtime_error("nobody has a list");
  }

  Report report;
  report.add("load", loads);
  report.add("one user", lists);
  report.add("new profile", newcomers);
  report.add("explain", explanations);
  report.add("everyone's top ten", everyone);
  bench::write_json(arguments.text("json"), {{"data", arguments.text(0)},
                                             {"file_bytes", std::filesystem::file_size(file)},
                                             {"times", report.results()},
                                             {"way", way}});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run({argc, argv, usage, 2, {"solver", "json"}}, measure);
}
