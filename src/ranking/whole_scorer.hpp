// Scores by whole filters (whole_filters.hpp): short sums, without estimates or bounds.
#pragma once

#include "ranking/graph_scorer.hpp"
#include "ranking/whole_filters.hpp"

namespace palate {

class WholeScorer final : public GraphScorer {
 public:
  explicit WholeScorer(WholeFilters filters) : filters_(std::move(filters)) {}

  [[nodiscard]] std::size_t items() const noexcept override { return filters_.items(); }
  void recommend(std::span<const Query> queries, std::span<const Signal> signals,
                 std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const override;
  void score(std::span<const Signal> signals, std::span<float> scores) const override;
  void score_at(std::span<const Signal> signals, std::span<const std::uint32_t> at,
                std::span<float> scores) const override;
  [[nodiscard]] std::vector<double> filter_column(const Branch& branch, std::uint32_t item,
                                                  std::span<const std::uint32_t> at) const override;
  void add_similarities(std::size_t graph, std::uint32_t item,
                        std::span<double> sums) const override;
  void save(Parts& parts) const override { filters_.save(parts); }
  [[nodiscard]] std::size_t entries() const noexcept override;
  [[nodiscard]] std::size_t bytes() const noexcept override;

  [[nodiscard]] const WholeFilters& filters() const noexcept { return filters_; }

 private:
  WholeFilters filters_;
};

}  // namespace palate
