// Lists of recommendations against what people liked afterwards.
#pragma once

#include <functional>
#include <string>

#include "base/thread_pool.hpp"
#include "core/recommender.hpp"
#include "palate/evaluation.hpp"
#include "palate/run.hpp"

namespace palate {

/// As of Query, the same for everybody.
struct Wishes {
  std::span<const float> term_weights = {};
  std::span<const float> boost = {};
};

/// Measures any recommender. Lists are made and judged in batches, so that memory does not grow
/// with the number of users.
[[nodiscard]] Evaluation evaluate_recommender(const Recommender& recommender, const Ratings& train,
                                              const Ratings& test, const EvaluateOptions& options,
                                              const Wishes& wishes, ThreadPool& pool,
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

}  // namespace palate
