#include <algorithm>
#include <string>

#include "evaluation/statistics.hpp"
#include "palate/error.hpp"
#include "palate/evaluation.hpp"

namespace palate {
namespace {

void check(const CompareOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw Error(ErrorCode::usage, "the confidence must lie between 0 and 1", {},
                "0.95 is the usual choice");
  }
  if (options.resamples == 0) {
    throw Error(ErrorCode::usage, "a bootstrap interval needs at least one resample", {},
                "2000 is the default");
  }
}

// Values per user of a metric, or null if the evaluation has none.
const std::vector<float>* find(const Evaluation& evaluation, std::string_view metric) {
  const auto found = std::find(evaluation.metrics.begin(), evaluation.metrics.end(), metric);
  const auto k = static_cast<std::size_t>(found - evaluation.metrics.begin());
  if (found == evaluation.metrics.end() || k >= evaluation.per_user.size()) return nullptr;
  const std::vector<float>& values = evaluation.per_user[k];
  return values.empty() || values.size() != evaluation.users.size() ? nullptr : &values;
}

std::vector<double> values_of(const Evaluation& evaluation, std::string_view metric) {
  const std::vector<float>* values = find(evaluation, metric);
  if (values != nullptr) return {values->begin(), values->end()};
  std::string known;
  for (const std::string& name : evaluation.metrics) {
    if (find(evaluation, name) == nullptr) continue;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw Error(ErrorCode::not_found,
              "'" + evaluation.name + "' has no values per user of '" + std::string(metric) + "'",
              {},
              known.empty() ? "measure it again with values per user" : "it has them of " + known);
}

std::vector<std::string> common_metrics(std::span<const Evaluation> evaluations) {
  std::vector<std::string> out;
  for (const std::string& metric : evaluations.front().metrics) {
    if (std::all_of(evaluations.begin(), evaluations.end(),
                    [&](const Evaluation& e) { return find(e, metric) != nullptr; })) {
      out.push_back(metric);
    }
  }
  if (out.empty()) {
    throw Error(ErrorCode::usage, "the evaluations have no metric per user in common", {},
                "measure all methods with the same options");
  }
  return out;
}

}  // namespace

std::vector<Difference> compare(std::span<const Evaluation> evaluations,
                                const CompareOptions& options) {
  check(options);
  if (evaluations.size() < 2) {
    throw Error(ErrorCode::usage, "a comparison needs at least two evaluations");
  }
  const Evaluation& baseline = evaluations.front();
  for (const Evaluation& method : evaluations.subspan(1)) {
    if (method.users != baseline.users) {
      throw Error(
          ErrorCode::usage,
          "'" + baseline.name + "' and '" + method.name + "' were not judged on the same users", {},
          "measure both on the same test part, with the same rule and threshold");
    }
  }
  const std::vector<std::string> metrics =
      options.metrics.empty() ? common_metrics(evaluations) : options.metrics;

  std::vector<Difference> out;
  for (const Evaluation& method : evaluations.subspan(1)) {
    for (const std::string& metric : metrics) {
      const std::vector<double> before = values_of(baseline, metric);
      const std::vector<double> after = values_of(method, metric);
      std::vector<double> change(before.size());
      std::transform(after.begin(), after.end(), before.begin(), change.begin(), std::minus<>());
      const auto [low, high] =
          bootstrap_interval(change, options.resamples, options.confidence, options.seed);
      out.push_back({.metric = metric,
                     .baseline = baseline.name,
                     .method = method.name,
                     .baseline_mean = mean_of(before),
                     .method_mean = mean_of(after),
                     .difference = mean_of(change),
                     .low = low,
                     .high = high,
                     .p_value = wilcoxon_p_value(change),
                     .users = change.size()});
    }
  }
  return out;
}

std::pair<double, double> mean_interval(const Evaluation& evaluation, std::string_view metric,
                                        const CompareOptions& options) {
  check(options);
  return bootstrap_interval(values_of(evaluation, metric), options.resamples, options.confidence,
                            options.seed);
}

}  // namespace palate
