#include "server/service/workbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "palate/error.hpp"
#include "server/service/choice_json.hpp"
#include "server/service/dials_json.hpp"

namespace palate::server {
namespace {

constexpr std::uint32_t no_item = std::numeric_limits<std::uint32_t>::max();

// The more people, the surer is each mean, and the fewer resamples say so.
std::size_t resamples_for(std::size_t users) {
  constexpr std::size_t draws = 20'000'000;
  return std::clamp<std::size_t>(draws / std::max<std::size_t>(users, 1), 200, 2000);
}

Json settings_json(const Model& model) {
  const std::string text = model.info().settings;
  return text.empty() ? Json::object() : Json::parse(text);
}

Json metrics_json(const Evaluation& evaluation, const CompareOptions& options) {
  Json out = Json::object();
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) {
    const std::string& metric = evaluation.metrics[m];
    Json one = {{"mean", evaluation.mean.at(metric)}, {"low", nullptr}, {"high", nullptr}};
    if (m < evaluation.per_user.size() && !evaluation.per_user[m].empty()) {
      const auto [low, high] = mean_interval(evaluation, metric, options);
      one["low"] = low;
      one["high"] = high;
    }
    out[metric] = std::move(one);
  }
  return out;
}

Json differences_json(std::span<const Evaluation> all, const CompareOptions& options) {
  Json out = Json::array();
  if (all.size() < 2) return out;
  for (const Difference& d : compare(all, options)) {
    out.push_back({{"metric", d.metric},
                   {"baseline", d.baseline},
                   {"method", d.method},
                   {"difference", d.difference},
                   {"low", d.low},
                   {"high", d.high},
                   {"p", d.p_value}});
  }
  return out;
}

// Of every user, `at` places each; those that are not filled have no item.
std::vector<std::uint32_t> all_lists(const Model& model, std::size_t at, const RunOptions& run) {
  std::vector<std::uint32_t> lists(model.users() * at, no_item);
  std::size_t user = 0;
  model.recommend_all(
      {.top = at},
      [&](const Recommendations& list) {
        for (std::size_t k = 0; k < list.items.size(); ++k) {
          lists[user * at + k] = list.items[k].index;
        }
        ++user;
      },
      run);
  return lists;
}

std::vector<std::uint32_t> list_of(const std::vector<std::uint32_t>& lists, std::size_t at,
                                   std::size_t user) {
  const auto begin = lists.begin() + static_cast<std::ptrdiff_t>(user * at);
  const auto end = begin + static_cast<std::ptrdiff_t>(at);
  return {begin, std::find(begin, end, no_item)};
}

Error too_few(std::size_t users, const std::string& relevance) {
  return {ErrorCode::bad_input,
          fmt::format("too few to measure: {} of the people have a rating held back that counts as "
                      "liked ({}), and it takes {}",
                      users, relevance, enough_users),
          {},
          "import more ratings, or hold back a larger share"};
}

}  // namespace

ChooseOptions Workbench::choose_options(std::uint64_t seed) const {
  ChooseOptions out;
  out.seed = seed;
  out.threshold = options_.threshold;
  return out;
}

EvaluateOptions Workbench::evaluate_options(std::size_t at) const {
  return {.at = {at}, .threshold = options_.threshold};
}

Split Workbench::parts(const HeldBack& held_back, JobControl& control) {
  control.stage("reading the ratings");
  const RatingStore::Everything all = engine_.store().read_all();
  if (all.ratings.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "there are no ratings yet", {}, "import some first");
  }
  control.stage("setting a part aside");
  return split(all.ratings, {.test = held_back.share, .seed = held_back.seed});
}

Jobs::Order Workbench::fit(const std::string& method) {
  const MethodRequest wish = MethodRequest::parse(method);
  if (!describe_method(wish.method).can.serve_newcomers) {
    throw Error(ErrorCode::unsupported, fmt::format("{} cannot be served", wish.method), {},
                "its lists are fixed by a fit, and in a service ratings count at once");
  }
  return {
      .kind = "fit",
      .asked = {{"method", method}},
      .work = [this, wish](JobControl& control, std::uint64_t) { return run_fit(wish, control); }};
}

Json Workbench::run_fit(const MethodRequest& wish, JobControl& control) {
  RunOptions run = control.run(options_.memory);
  if (wish.automatic()) {
    // To choose settings takes longer than all else; what trials report of themselves says nothing
    // of the whole.
    constexpr double chosen = 0.95;
    control.part(0, chosen);
    run.progress = [told = run.progress](std::string_view stage, std::uint64_t done,
                                         std::uint64_t total) {
      return told(stage, done, stage.find("choos") == std::string_view::npos ? 0 : total);
    };
  }
  engine_.refit(wish, run);
  const auto state = engine_.state();
  const auto choice = engine_.choice();
  Json out = {{"method", nullptr}, {"settings", Json::object()}, {"choice", nullptr}};
  if (state) {
    const ModelInfo info = state->snapshot.info();
    out["method"] = info.method;
    if (!info.settings.empty()) out["settings"] = Json::parse(info.settings);
  }
  if (choice && !choice->steps.empty()) {
    out["choice"] = {{"start", choice->start},
                     {"end", choice->end},
                     {"measure", choice->measure},
                     {"tried", choice->steps.size()}};
  }
  return out;
}

Jobs::Order Workbench::compare(const ComparisonOrder& order) {
  std::set<std::string> seen;
  for (const std::string& method : order.methods) {
    MethodRequest::parse(method).check();
    if (seen.insert(method).second) continue;
    throw Error(ErrorCode::usage, fmt::format("'{}' is named twice", method), {.field = "methods"});
  }
  return {.kind = "comparison",
          .asked = {{"methods", order.methods},
                    {"at", order.at},
                    {"test", order.held_back.share},
                    {"seed", order.held_back.seed}},
          .work = [this, order](JobControl& control, std::uint64_t id) {
            return run_comparison(order, control, id);
          }};
}

Json Workbench::run_comparison(const ComparisonOrder& order, JobControl& control,
                               std::uint64_t id) {
  const Engine::Counted busy(engine_.bulk());
  const Split data = parts(order.held_back, control);
  const EvaluateOptions options = evaluate_options(order.at);
  const std::string relevance = relevance_text(data.train, options);
  const std::size_t judged = judged_users(data.train, data.test, options).size();
  if (judged < enough_users) throw too_few(judged, relevance);
  constexpr std::size_t most_places = std::size_t{1} << 26;
  if (data.train.users() * order.at * order.methods.size() > most_places) {
    throw Error(ErrorCode::too_large, "the lists of so many people do not fit into memory", {},
                "compare fewer methods, or shorter lists");
  }
  auto comparison = std::make_shared<Comparison>(
      Comparison{.id = id,
                 .at = order.at,
                 .test = data.test,
                 .judged = {},
                 .threshold = options_.threshold.value_or(usual_threshold(data.train)),
                 .methods = {}});
  const CompareOptions sampling{
      .metrics = {fmt::format("recall@{}", order.at), fmt::format("ndcg@{}", order.at)},
      .resamples = resamples_for(judged),
      .seed = order.held_back.seed};
  const auto share = [&, count = order.methods.size()](std::size_t k, double part) {
    return 0.02 + 0.98 * (static_cast<double>(k) + part) / static_cast<double>(count);
  };
  std::vector<Evaluation> evaluations;
  Json methods = Json::array();
  for (std::size_t k = 0; k < order.methods.size(); ++k) {
    const MethodRequest wish = MethodRequest::parse(order.methods[k]);
    const auto start = Clock::now();
    Json one = {{"name", order.methods[k]}, {"automatic", wish.automatic()}};
    try {
      const RunOptions run = control.run(options_.memory);
      control.part(share(k, 0), share(k, wish.automatic() ? 0.85 : 0.05));
      control.stage(fmt::format("{}: settings", order.methods[k]));
      const Resolved settled = resolve(wish, data.train, choose_options(order.held_back.seed), run);
      control.part(share(k, wish.automatic() ? 0.85 : 0.05), share(k, 0.9));
      control.stage(fmt::format("{}: fitting", order.methods[k]));
      const Model model = palate::fit(data.train, settled, run);
      control.part(share(k, 0.9), share(k, 1));
      control.stage(fmt::format("{}: lists for everyone", order.methods[k]));
      std::vector<std::uint32_t> lists = all_lists(model, order.at, run);
      Evaluation evaluation = evaluate_lists(
          data.train, data.test, [&](std::uint32_t user) { return list_of(lists, order.at, user); },
          options, run);
      evaluation.name = order.methods[k];
      one["settings"] = settings_json(model);
      one["metrics"] = metrics_json(evaluation, sampling);
      one["left_out"] = nullptr;
      comparison->methods.push_back(
          {order.methods[k], std::move(lists), evaluation.metrics, evaluation.per_user});
      comparison->judged = evaluation.users;
      evaluations.push_back(std::move(evaluation));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      // The others can still be compared.
      one["settings"] = Json::object();
      one["metrics"] = Json::object();
      one["left_out"] = error.message();
    }
    one["seconds"] = seconds_since(start);
    methods.push_back(std::move(one));
  }
  if (evaluations.empty()) {
    throw Error(ErrorCode::bad_input, fmt::format("none of the methods could be measured: {}",
                                                  methods[0]["left_out"].get<std::string>()));
  }
  control.stage("comparing");
  Json differences = differences_json(evaluations, sampling);
  const std::lock_guard lock(mutex_);
  last_ = std::move(comparison);
  return {{"relevance", relevance},
          {"users", judged},
          {"metrics", evaluations.front().metrics},
          {"methods", std::move(methods)},
          {"differences", std::move(differences)}};
}

Json Workbench::lists_of(std::uint64_t id, const std::string& user) const {
  std::shared_ptr<const Comparison> last;
  {
    const std::lock_guard lock(mutex_);
    last = last_;
  }
  if (!last || last->id != id) return nullptr;
  const Ratings& test = last->test;
  const auto index = test.find_user(user);
  if (!index) throw Error(ErrorCode::not_found, fmt::format("the user '{}' is not known", user));
  const UserRatings held = test.of(*index);
  const std::size_t width = test.criteria().size();
  std::set<std::uint32_t> liked;
  Json held_back = Json::array();
  for (std::size_t k = 0; k < held.size(); ++k) {
    const bool rated = (held.present[k] & 1U) != 0;
    const bool likes = rated && held.values[k * width] >= static_cast<float>(last->threshold);
    if (likes) liked.insert(held.items[k]);
    held_back.push_back({{"item", test.item_id(held.items[k])},
                         {"title", test.item_title(held.items[k])},
                         {"overall", rated ? Json(decimal(held.values[k * width])) : Json(nullptr)},
                         {"liked", likes}});
  }
  const auto judged = std::lower_bound(last->judged.begin(), last->judged.end(), *index);
  const bool is_judged = judged != last->judged.end() && *judged == *index;
  Json lists = Json::array();
  for (const Compared& method : last->methods) {
    Json items = Json::array();
    for (const std::uint32_t item : list_of(method.lists, last->at, *index)) {
      items.push_back({{"item", test.item_id(item)},
                       {"title", test.item_title(item)},
                       {"liked", liked.contains(item)}});
    }
    Json metrics = Json::object();
    for (std::size_t m = 0; is_judged && m < method.per_user.size(); ++m) {
      if (method.per_user[m].empty()) continue;
      metrics[method.metrics[m]] =
          method.per_user[m][static_cast<std::size_t>(judged - last->judged.begin())];
    }
    lists.push_back(
        {{"name", method.name}, {"items", std::move(items)}, {"metrics", std::move(metrics)}});
  }
  return {{"user", user}, {"held_back", std::move(held_back)}, {"lists", std::move(lists)}};
}

Jobs::Order Workbench::dials(const DialsOrder& order) {
  if (!order.method.empty()) MethodRequest::parse(order.method).check();
  return {.kind = "dials",
          .asked = {{"method", order.method.empty() ? Json(nullptr) : Json(order.method)},
                    {"test", order.held_back.share},
                    {"seed", order.held_back.seed}},
          .work = [this, order](JobControl& control, std::uint64_t) {
            return run_dials(order, control);
          }};
}

Json Workbench::run_dials(const DialsOrder& order, JobControl& control) {
  const Engine::Counted busy(engine_.bulk());
  const Split data = parts(order.held_back, control);
  const EvaluateOptions options = evaluate_options(10);
  const std::size_t judged = judged_users(data.train, data.test, options).size();
  if (judged < enough_users) throw too_few(judged, relevance_text(data.train, options));
  const RunOptions run = control.run(options_.memory);
  // What is served has its settings already.
  const bool served = order.method.empty();
  std::optional<Choice> known = served ? engine_.choice() : std::nullopt;
  const MethodRequest wish = served ? engine_.wish() : MethodRequest::parse(order.method);
  const double settled_at = wish.automatic() && !known ? 0.7 : 0.02;
  control.part(0, settled_at);
  control.stage("settings");
  const Resolved settled =
      resolve(wish, data.train, choose_options(order.held_back.seed), run, &known);
  control.part(settled_at, settled_at + 0.1);
  control.stage("fitting");
  const Model model = palate::fit(data.train, settled, run);
  control.part(settled_at + 0.1, 1);
  control.stage("turning dials");
  const DialReport report = measure_dials(model, data.test, options, run);
  return dials_json(report, model);
}

}  // namespace palate::server
