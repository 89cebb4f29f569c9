#include "reproduce/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data.hpp"
#include "reproduce/chosen.hpp"

namespace palate::cli::reproduce {
namespace {

// Of a model on a test part: means, seconds, and the main metric by user, for comparisons.
Json measured(Session& session, const Split& parts, const Method& method, const DataSet& about) {
  const Model model = fit(parts.train, method, session.run());
  const Evaluation evaluation =
      evaluate(model, parts.test, {.at = about.at(), .weights = {}}, session.run());
  double fitting = 0;
  for (const auto& [stage, seconds] : model.info().seconds) {
    if (stage == "total") fitting = seconds;
  }
  double listing = 0;
  for (const auto& [stage, seconds] : evaluation.seconds) {
    if (stage == "recommend") listing = seconds;
  }
  Json means = Json::object();
  for (const std::string_view metric : about.metrics) {
    means[std::string(metric)] = evaluation.mean.at(std::string(metric));
  }
  Json by_user = Json::object();
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) {
    const std::string& metric = evaluation.metrics[m];
    if (metric == about.main || metric == about.metrics.back())
      by_user[metric] = evaluation.per_user[m];
  }
  Json settings = Json::parse(method.to_json());
  settings.erase("method");
  return {{"metrics", std::move(means)},       {"settings", settings.dump()},
          {"relevance", evaluation.relevance}, {"seconds", {{"fit", fitting}, {"lists", listing}}},
          {"users", evaluation.users},         {"per_user", std::move(by_user)}};
}

// The same with the means alone.
Json means(Session& session, const Split& parts, const Method& method, const DataSet& about) {
  const Json all = measured(session, parts, method, about);
  return {{"metrics", all["metrics"]}, {"seconds", all["seconds"]}};
}

CaGf published(const DataSet& about, std::span<const Criterion> criteria) {
  std::string name(about.name);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return preset(name, criteria);
}

constexpr std::array<std::string_view, 3> kinds = {"L", "I", "O"};

Filter filter_of(std::string_view kind, double power) {
  return kind == "L" ? linear(power) : kind == "I" ? inward(power) : outward(power);
}
bool is_kind(const Filter& filter, std::string_view kind) {
  return filter.coefficients == filter_of(kind, 1).coefficients;
}

class Plan {
 public:
  Plan(Session& session, DataFolder& folder) : session_(session), folder_(folder) {}

  void add(const DataSet& about) {
    const std::string data(about.name);
    const Split& parts = folder_.parts(session_, data);
    for (const Row& row : rows()) {
      const auto method = chosen(data, row.method, parts.train.criteria());
      if (method) add_measured(about, Part::accuracy, row.method, *method, true);
    }
    if (!about.preset) return;
    const CaGf settings = published(about, parts.train.criteria());
    add_ablations(about, settings);
    add_filters(about, settings);
    add_powers(about, settings);
    add_maps(about, settings);
  }

  void add_scaling() {
    for (const ScalingSize& size : scaling_sizes()) {
      add({.part = Part::scaling,
           .data = std::string(size.name),
           .what = "ca-gf",
           .asked = {{"users", size.users}, {"items", size.items}},
           .compute = [size](Session& session) { return scaled(session, size); }});
    }
  }

  std::vector<Cell> cells;

 private:
  void add(Cell cell) { cells.push_back(std::move(cell)); }

  // What the result of a method on some data depends on.
  Json question(const DataSet& about, const Method& method) {
    const Split& parts = folder_.parts(session_, std::string(about.name));
    return {{"settings", Json::parse(method.to_json())},
            {"train", parts.train.interactions()},
            {"test", parts.test.interactions()},
            {"metrics", about.metrics}};
  }

  void add_measured(const DataSet& about, Part part, std::string_view what, const Method& method,
                    bool by_user = false) {
    add({.part = part,
         .data = std::string(about.name),
         .what = std::string(what),
         .asked = question(about, method),
         .compute = [&about, method, by_user, &folder = folder_](Session& session) {
           const Split& parts = folder.parts(session, std::string(about.name));
           return by_user ? measured(session, parts, method, about)
                          : means(session, parts, method, about);
         }});
  }

  void add_ablations(const DataSet& about, const CaGf& settings) {
    for (const Ablation& ablation : ablations()) {
      Method method(settings);
      method.set("variant", ablation.variant);
      add_measured(about, Part::ablation, ablation.variant, method);
    }
  }

  // Each filter on each criterion, the rest as published.
  void add_filters(const DataSet& about, const CaGf& settings) {
    for (std::size_t c = 0; c < settings.filters.size(); ++c) {
      for (const std::string_view kind : kinds) {
        CaGf changed = settings;
        changed.filters[c].filter = filter_of(kind, power_of(settings, kind));
        add_measured(about, Part::filters,
                     fmt::format("{}-{}", settings.filters[c].criterion, kind), changed);
      }
    }
  }

  // Powers of one filter, for all criteria that have it.
  void add_powers(const DataSet& about, const CaGf& settings) {
    for (const std::string_view kind : kinds) {
      for (int step = 1; step <= 10; ++step) {
        const double power = 0.2 * step;
        CaGf changed = settings;
        for (auto& one : changed.filters) {
          if (is_kind(one.filter, kind)) one.filter.power = power;
        }
        add_measured(about, Part::powers, fmt::format("{}-{:.1f}", kind, power), changed);
      }
    }
  }

  [[nodiscard]] static double power_of(const CaGf& settings, std::string_view kind) {
    for (const auto& one : settings.filters) {
      if (is_kind(one.filter, kind)) return one.filter.power;
    }
    return 1;
  }

  void add_maps(const DataSet& about, const CaGf& settings) {
    for (const Pair& pair : attributed_pairs()) {
      if (pair.data != about.name) continue;
      Json asked = question(about, settings);
      asked["pair"] = {pair.user, pair.item};
      add({.part = Part::maps,
           .data = std::string(about.name),
           .what = fmt::format("{}-{}", pair.user, pair.item),
           .asked = std::move(asked),
           .compute = [pair, settings, &folder = folder_](Session& session) {
             return attributed(session, folder.parts(session, std::string(pair.data)), settings,
                               pair);
           }});
    }
  }

  // What each rating adds to one score, the rated items as rows.
  static Json attributed(Session& session, const Split& parts, const CaGf& settings,
                         const Pair& pair) {
    const Ratings& train = parts.train;
    if (!train.find_user(pair.user) || !train.find_item(pair.item)) {
      return {{"missing",
               fmt::format("the data have no {} {}", train.find_user(pair.user) ? "item" : "user",
                           train.find_user(pair.user) ? pair.item : pair.user)}};
    }
    const Model model = fit(train, settings, session.run());
    const Explanation why = model.explain(std::string(pair.user), std::string(pair.item));
    std::map<std::string, std::vector<double>> by_item;
    for (const Explanation::Part& part : why.parts) {
      auto& row = by_item[part.item];
      row.resize(why.criteria.size());
      row[part.criterion] += part.value;
    }
    Json map = Json::array();
    for (const auto& [item, values] : by_item) map.push_back({{"item", item}, {"values", values}});
    return {{"score", why.score}, {"criteria", why.criteria}, {"rows", std::move(map)}};
  }

  // Fit and lists of ten for everybody, on made-up ratings.
  static Json scaled(Session& session, const ScalingSize& size) {
    session.stage("making up ratings");
    const Ratings ratings =
        synthesize({.users = size.users,
                    .items = size.items,
                    .ratings_per_user = static_cast<double>(size.items) * scaling_density,
                    .missing = 0,
                    .titles = false,
                    .times = false});
    std::size_t values = 0;
    for (std::size_t c = 0; c < ratings.criteria().size(); ++c) values += ratings.ratings_of(c);
    const CaGf settings = preset("ba", ratings.criteria());
    const Clock fitting;
    const Model model = fit(ratings, settings, session.run());
    const double fitted = fitting.seconds();
    std::vector<std::string> people;
    for (std::uint32_t u = 0; u < ratings.users(); ++u) people.emplace_back(ratings.user_id(u));
    const Clock listing;
    static_cast<void>(model.recommend(people, {.top = 10}, session.run()));
    return {{"ratings", values}, {"seconds", {{"fit", fitted}, {"lists", listing.seconds()}}}};
  }

  Session& session_;
  DataFolder& folder_;
};

}  // namespace

bool DataFolder::has(std::string_view name) const {
  return std::filesystem::is_directory(folder_ / name);
}

const Split& DataFolder::parts(Session& session, const std::string& name) {
  if (name_ == name) return parts_;
  Loaded loaded = load_data(session, {.path = folder_ / name, .read = {.format = Format::npz}});
  if (!loaded.test) {
    throw Error(ErrorCode::bad_input, "the data have no test part",
                {.file = (folder_ / name).string()}, "each criterion needs a file NAME_ts_C.npz");
  }
  parts_ = {std::move(loaded.ratings), std::move(*loaded.test), std::nullopt};
  name_ = name;
  return parts_;
}

std::vector<Cell> cells_of(Session& session, DataFolder& folder) {
  Plan plan(session, folder);
  for (const DataSet& about : data_sets()) {
    if (folder.has(about.name)) plan.add(about);
  }
  plan.add_scaling();
  return std::move(plan.cells);
}

}  // namespace palate::cli::reproduce
