// How good recommendations are. Implemented in src/evaluation (metrics, tests) and src/api.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "palate/model.hpp"
#include "palate/ratings.hpp"
#include "palate/run.hpp"

#pragma GCC visibility push(default)
namespace palate {

/// When a test item counts as relevant to the user.
enum class Relevance {
  at_least,         ///< overall >= threshold
  above,            ///< overall > threshold
  above_median,     ///< overall > the median of all train overall ratings
  above_user_mean,  ///< overall > the mean of the user's train overall ratings
};

struct EvaluateOptions {
  std::vector<std::size_t> at = {5, 10};
  double threshold = 3.0;
  Relevance rule = Relevance::at_least;
  std::vector<std::pair<std::string, double>> weights = {};  ///< query-time criterion weights
};

/// Values per judged user: those with at least one relevant test item.
/// Names with "@K": recall, precision, hit_rate, ndcg (discount 1/log2(rank+1)), ndcg_paper (1 at
/// ranks 1 and 2, then 1/log2(rank)), mrr, map.
/// Of all lists together: coverage@K (share of items ever recommended), novelty@K (mean of
/// -log2((1 + raters of the item) / (1 + users)) over all recommended places), gini@K (0: all items
/// equally often).
struct Evaluation {
  std::string name = {};                    ///< of the method, for tables
  std::vector<std::string> metrics = {};    ///< in the order for display
  std::map<std::string, double> mean = {};  ///< by name, e.g. "ndcg@10"
  std::vector<std::uint32_t> users = {};    ///< judged users, by index, ascending
  /// per_user[m][k]: metric metrics[m] of users[k]; empty for metrics of all lists together.
  std::vector<std::vector<float>> per_user = {};
  std::string relevance = {};  ///< the rule in words: "overall >= 3"
  Stages seconds = {};
};

/// Measures `model` on `test`, which shares the catalogue of the ratings it was fitted on. Items
/// that the user rated overall in train are not recommended to them.
[[nodiscard]] Evaluation evaluate(const Model& model, const Ratings& test,
                                  const EvaluateOptions& options = {}, const RunOptions& run = {});

/// Measures lists that come from anywhere, on the same terms: `list_of(user)` gives the indices of
/// the items recommended to the user with that index in `train`, best first. It is called from the
/// calling thread. Throws Error{bad_input} for an item that is not there, is named twice, or was
/// rated overall by the user in train.
[[nodiscard]] Evaluation evaluate_lists(
    const Ratings& train, const Ratings& test,
    const std::function<std::vector<std::uint32_t>(std::uint32_t user)>& list_of,
    const EvaluateOptions& options = {}, const RunOptions& run = {});

struct CompareOptions {
  std::vector<std::string> metrics = {};  ///< empty: every per-user metric
  std::size_t resamples = 2000;
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

/// One metric of one method against the first: paired over users.
struct Difference {
  std::string metric = {};
  std::string baseline = {}, method = {};
  double baseline_mean = 0, method_mean = 0;
  double difference = 0;     ///< method - baseline
  double low = 0, high = 0;  ///< bootstrap percentile interval of the difference
  double p_value = 1;        ///< Wilcoxon signed-rank, two-sided; 1 if all differences are 0
  std::size_t users = 0;
};

/// Compares each further evaluation with the first. Throws unless all judged the same users.
[[nodiscard]] std::vector<Difference> compare(std::span<const Evaluation> evaluations,
                                              const CompareOptions& options = {});

/// Bootstrap percentile interval of one mean over users: {low, high}.
[[nodiscard]] std::pair<double, double> mean_interval(const Evaluation& evaluation,
                                                      std::string_view metric,
                                                      const CompareOptions& options = {});

}  // namespace palate
#pragma GCC visibility pop
