// Lists of recommendations against what people liked afterwards.
#pragma once

#include <functional>
#include <string>

#include "base/thread_pool.hpp"
#include "core/recommender.hpp"
#include "palate/evaluation.hpp"
#include "palate/run.hpp"

namespace palate {

/// Measures any recommender. `weights` per criterion, or empty. Lists are made and judged in
/// batches, so that memory does not grow with the number of users.
[[nodiscard]] Evaluation evaluate_recommender(const Recommender& recommender, const Ratings& train,
                                              const Ratings& test, const EvaluateOptions& options,
                                              std::span<const float> weights, ThreadPool& pool,
                                              const Progress& progress);

/// Measures lists made elsewhere: the items of one user by index, best first.
using ListOf = std::function<std::vector<std::uint32_t>(std::uint32_t user)>;
[[nodiscard]] Evaluation evaluate_given_lists(const ListOf& list_of, const Ratings& train,
                                              const Ratings& test, const EvaluateOptions& options,
                                              ThreadPool& pool, const Progress& progress);

/// relevant[k]: whether the k-th interaction of `test` (in user then item order) counts as
/// relevant.
[[nodiscard]] std::vector<std::uint8_t> relevant_interactions(const Ratings& train,
                                                              const Ratings& test,
                                                              const EvaluateOptions& options);

/// The rule in words, as reports print it: "overall >= 3". Throws as relevant_interactions does.
[[nodiscard]] std::string relevance_text(const Ratings& train, const EvaluateOptions& options);

/// Mean NDCG@k (standard discount) of given lists: lists[n] belongs to users[n]; users without a
/// relevant item do not count. For tuning.
[[nodiscard]] double mean_ndcg(std::span<const std::vector<ScoredItem>> lists,
                               std::span<const std::uint32_t> users, const Ratings& test,
                               std::span<const std::uint8_t> relevant, std::size_t k);

}  // namespace palate
