// Scores by whole filters (whole_filters.hpp): short sums, without estimates or bounds.
#pragma once

#include "ranking/whole_filters.hpp"

namespace palate {

class WholeScorer final : public FittedScorer<WholeFilters> {
 public:
  explicit WholeScorer(WholeFilters filters) : FittedScorer(std::move(filters)) {}

  void recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const override;
  void score(Signals signals, std::span<float> scores) const override;
  void score_at(Signals signals, Items at, std::span<float> scores) const override;
  [[nodiscard]] Column filter_column(const Branch& branch, std::uint32_t item,
                                     Items at) const override;
};

}  // namespace palate
