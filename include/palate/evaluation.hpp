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

/// The overall rating from which an item counts as liked where nobody says otherwise. On a scale of
/// five stars, whole or half, it is 3, as published results are measured; on any other the middle,
/// which plays the same part there. Where all ratings are equal it is that rating, so that whatever
/// was rated is relevant.
[[nodiscard]] double usual_threshold(const Ratings& ratings);

struct EvaluateOptions {
  std::vector<std::size_t> at = {5, 10};
  std::optional<double> threshold = {};  ///< none: usual_threshold() of train
  Relevance rule = Relevance::at_least;
  std::vector<std::pair<std::string, double>> weights = {};       ///< as of RecommendOptions
  std::vector<std::pair<std::string, double>> term_weights = {};  ///< the same
};

/// With fewer judged users than this nothing is measured: two methods may differ on every one of
/// five users, and the signed-rank test still finds p = 2 / 2^5 > 0.05. Six are the fewest that can
/// show anything.
inline constexpr std::size_t enough_users = 6;

/// Who can be judged: users with at least one relevant test item, by index, ascending.
[[nodiscard]] std::vector<std::uint32_t> judged_users(const Ratings& train, const Ratings& test,
                                                      const EvaluateOptions& options = {});

/// The rule in words: "overall >= 3", "overall >= 1, the middle of the scale 0 to 2".
[[nodiscard]] std::string relevance_text(const Ratings& train, const EvaluateOptions& options = {});

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
  std::string relevance = {};  ///< the rule in words (relevance_text)
  Stages seconds = {};

  /// Whether the values say nothing, for want of users.
  [[nodiscard]] bool too_few() const noexcept { return users.size() < enough_users; }
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

/// What one dial at one weight does to people's first ten items.
struct DialEffect {
  std::string criterion = {};
  double weight = 1;
  /// How much higher the items stand out on the criterion than without the dial, in standard
  /// deviations over all items.
  double shift = 0;
  double changed = 0;  ///< how many of ten are others
  double ndcg = 0;     ///< NDCG@10
};
struct DialReport {
  std::size_t users = 0;  ///< on whom it was measured: all, or a fixed sample
  std::string relevance = {};
  double ndcg = 0;  ///< NDCG@10 without dials
  std::vector<DialEffect> effects = {};
};
/// Every criterion at 1/4, 1/2, 1, 2 and 4.
[[nodiscard]] DialReport measure_dials(const Model& model, const Ratings& test,
                                       const EvaluateOptions& options = {},
                                       const RunOptions& run = {});

/// How far the ratings that the model predicts are off on ratings it has not seen, for each
/// criterion that it predicts and `test` has ratings on. `test` shares the model's catalogue.
[[nodiscard]] std::vector<PredictionError> measure_predictions(const Model& model,
                                                               const Ratings& test);

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
