// Powers of the item graph applied to the signals of a few people at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/item_graph.hpp"
#include "kernels/dense/strip.hpp"

namespace palate {

/// Holds the signals of up to kernels::panel_width people and computes x P, x P^2, ... Reused from
/// panel to panel; one per worker. What stands in one lane never changes another, to the bit.
class PanelFilter {
 public:
  explicit PanelFilter(std::size_t items)
      : input_(items * kernels::panel_width, 0.0F),
        filtered_(items * kernels::panel_width),
        next_(items * kernels::panel_width),
        in_input_(items, 0) {}

  /// The signal of one person at one item.
  void set(std::size_t lane, std::uint32_t item, float x) {
    input_[item * kernels::panel_width + lane] = x;
    if (in_input_[item] == 0) {
      in_input_[item] = 1;
      touched_.push_back(item);
    }
  }

  /// Calls visit(k, panel) with x P^k for k = 1..order; the panel has one row of panel_width floats
  /// per item and is valid during the call. The signals are cleared on the way.
  template <class Visit>
  void apply(const GraphPattern& pattern, std::span<const float> values, std::size_t order,
             const Visit& visit) {
    first_power(pattern, values);
    for (std::size_t k = 1; k <= order; ++k) {
      if (k > 1) {
        kernels::multiply(pattern.offsets.span(), pattern.columns.span(), values, filtered_.data(),
                          next_.data());
        filtered_.swap(next_);
      }
      visit(k, static_cast<const float*>(filtered_.data()));
    }
  }

 private:
  // A signal has few entries, so x P is a sum of few rows of P. They are added in the order of the
  // items.
  void first_power(const GraphPattern& pattern, std::span<const float> values) {
    std::sort(touched_.begin(), touched_.end());
    std::fill(filtered_.begin(), filtered_.end(), 0.0F);
    for (const std::uint32_t j : touched_) {
      const std::uint64_t from = pattern.offsets[j];
      float* x = input_.data() + j * kernels::panel_width;
      kernels::scatter_row(pattern.row(j), values.subspan(from, pattern.offsets[j + 1] - from), x,
                           filtered_.data());
      std::fill_n(x, kernels::panel_width, 0.0F);
      in_input_[j] = 0;
    }
    touched_.clear();
  }

  std::vector<float> input_;  // 0 but for the rows in touched_
  std::vector<float> filtered_;
  std::vector<float> next_;
  std::vector<std::uint8_t> in_input_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace palate
