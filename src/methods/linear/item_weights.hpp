// Weights between items: w_ji is what a rating of item j adds to the score of item i.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/parts.hpp"
#include "graph/item_graph.hpp"
#include "methods/linear/dense_lists.hpp"
#include "methods/linear/short_weights.hpp"

namespace palate {

/// Bits of a weight where all of them are kept. Automatic: 32, beyond 8,192 items 16.
enum class Precision { automatic, bits32, bits16 };

/// Columns become rows.
[[nodiscard]] ItemGraph turned(const GraphPattern& pattern, const Array<float>& values);

class ItemWeights {
 public:
  ItemWeights() = default;
  /// All of them, row j after row j - 1: w_ji at [j * items + i].
  [[nodiscard]] static ItemWeights dense(Array<float> weights, std::size_t items);
  /// Those that are not 0, by the item that is scored: row i of `sources` names the j, ascending.
  [[nodiscard]] static ItemWeights sparse(const GraphPattern& sources, const Array<float>& weights);
  /// Takes a matrix as for dense() over and keeps it in the form that suits it: those that are not
  /// 0 if these are less than a tenth, else all in 32 or 16 bits. The matrix, which nobody else may
  /// use any more, is given back on the way, so that it stays the peak of memory.
  [[nodiscard]] static ItemWeights from_dense(const HugeBuffer<float>& weights, std::size_t items,
                                              Precision precision, ThreadPool& pool);

  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// "32-bit", "16-bit" or "sparse".
  [[nodiscard]] std::string_view storage() const noexcept;
  /// One sentence: what the form was chosen by; empty where there was no choice.
  [[nodiscard]] std::string why() const;

  [[nodiscard]] bool is_sparse() const noexcept {
    return dense_.empty() && shorts_.numbers.empty();
  }
  /// Not if is_sparse().
  [[nodiscard]] DenseWeights all() const noexcept {
    return {dense_.span(), items_, shorts_.factors.span(), shorts_.numbers.span()};
  }

  /// scores_i = sum_k x_k w_ji, j = rows[k], in order of k.
  void sum_rows(std::span<const std::uint32_t> rows, std::span<const float> x,
                std::span<float> scores) const;
  /// w_ji; 0 where there is none.
  [[nodiscard]] float at(std::uint32_t j, std::uint32_t i) const;
  /// The j with w_ji that may be above 0, as (weight, j) in order of j.
  [[nodiscard]] std::vector<std::pair<float, std::uint32_t>> column(std::uint32_t i) const;

  /// Names begin with "method/".
  void save(Parts& parts) const;
  /// `asked`: the precision that the form was chosen by, if it was. Throws Error{corrupt}.
  [[nodiscard]] static ItemWeights load(const Parts& parts, std::size_t items,
                                        std::optional<Precision> asked = {});

 private:
  struct Turned;

  [[nodiscard]] static ItemWeights by_source(ItemGraph targets);

  std::size_t items_ = 0;
  std::optional<Precision> asked_;
  Array<float> dense_;
  ShortWeights shorts_;
  ItemGraph targets_;  // if neither: row j names the i
  std::shared_ptr<Turned> turned_;
};

}  // namespace palate
