// What filters are worth on ratings held back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/item_graph.hpp"
#include "palate/model.hpp"
#include "tuning/hold_out.hpp"

namespace palate {

struct PowerOfGraph;

/// A score is a sum over criteria of Chat[u,c] (a x_c P_s + b x_c P_s^2). For a sample of people
/// these terms are computed once for every power and criterion, on a pool of items that might be
/// in a list of theirs; settings are then tried by adding terms up.
class ValidationScores {
 public:
  /// Powers of the criteria preference that may be tried.
  static constexpr std::array<std::optional<double>, 4> preferences = {2.0, 4.0, 1.0, std::nullopt};

  /// People are dealt into so many groups.
  static constexpr std::size_t groups = 5;

  /// Holds back options.validation of the ratings of one group; filters may have any of `powers`.
  ValidationScores(const Ratings& all, const ChooseOptions& options, std::size_t group,
                   std::span<const double> powers, ThreadPool& pool, const Progress& progress,
                   std::size_t memory);

  [[nodiscard]] std::size_t people() const noexcept { return people_.size(); }

  [[nodiscard]] const Ratings& train() const noexcept { return train_; }
  [[nodiscard]] const Ratings& held_back() const noexcept { return held_back_; }

  /// One value per person: the mean of recall and NDCG at options.at and at half of it. One filter
  /// per criterion, of first or second order.
  [[nodiscard]] Worth worth(std::span<const Filter> filters,
                            const std::optional<double>& preference) const;

 private:
  struct Person {
    std::uint32_t user = 0;
    std::vector<std::uint32_t> pool;     // items, ascending
    std::vector<std::uint8_t> relevant;  // of each item of the pool
    std::size_t relevant_items = 0;      // in the pool or not
    std::vector<float> terms;            // by power, order, criterion, item of the pool
  };

  void pick_people(std::uint64_t seed, double cost);
  void weigh_criteria();
  void fill_pools(const GraphPattern& pattern, const PowerOfGraph& graph);
  void close_pools();
  void keep_terms(const GraphPattern& pattern, const PowerOfGraph& graph, std::size_t power);

  Ratings train_, held_back_;
  std::vector<std::uint8_t> relevant_;  // of the interactions held back
  std::vector<double> powers_;
  std::vector<Person> people_;
  std::array<std::vector<double>, preferences.size()> weights_;  // by person and criterion
  std::size_t at_;
  ThreadPool& pool_;
};

}  // namespace palate
