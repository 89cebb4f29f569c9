// Weights between items: w_ji is what a rating of item j adds to the score of item i.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/parts.hpp"
#include "graph/item_graph.hpp"

namespace palate {

class ItemWeights {
 public:
  ItemWeights() = default;
  /// All of them, row j after row j - 1: w_ji at [j * items + i].
  [[nodiscard]] static ItemWeights dense(Array<float> weights, std::size_t items);
  /// Those that are not 0, by the item that is scored: row i of `sources` names the j, ascending.
  [[nodiscard]] static ItemWeights sparse(GraphPattern sources, Array<float> weights);

  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// w_ji at [j * items + i]; empty if only those that are not 0 are kept.
  [[nodiscard]] std::span<const float> all() const noexcept { return dense_.span(); }

  /// scores_i = sum_k x_k w_ji, j = rows[k].
  void sum_rows(std::span<const std::uint32_t> rows, std::span<const float> x,
                std::span<float> scores) const;
  /// w_ji; 0 where there is none.
  [[nodiscard]] float at(std::uint32_t j, std::uint32_t i) const;
  /// The j with w_ji that may be above 0, as (weight, j) in order of j.
  [[nodiscard]] std::vector<std::pair<float, std::uint32_t>> column(std::uint32_t i) const;

  /// Names begin with "method/".
  void save(Parts& parts) const;
  /// Throws Error{corrupt}.
  [[nodiscard]] static ItemWeights load(const Parts& parts, std::size_t items);

 private:
  std::size_t items_ = 0;
  Array<float> dense_;  // empty: sparse
  GraphPattern sources_;
  Array<float> source_weights_;
  GraphPattern targets_;  // the same turned over: row j names the i
  Array<float> target_weights_;
};

}  // namespace palate
