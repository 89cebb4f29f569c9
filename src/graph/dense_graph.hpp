// The item graph of data in which most items are linked to many others.
//
// Before its items are normalised, the graph is N_ij = sum over criteria c and users u of
// r_uci r_ucj / d_uc, and a Hadamard power distributes over the product with the normalisation:
//
//   P_f[i,j] = N_ij^s (d_i d_j)^(-s/2)
//
// So one array serves every power: log2 N, packed (kernels/graph/packed_row.hpp), beside one number
// per item, shift_i = -log2(d_i) / 2. Items stand in the order of their popularity, so that what is
// used most lies together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.hpp"
#include "core/array.hpp"
#include "core/parts.hpp"
#include "graph/item_graph.hpp"
#include "kernels/graph/packed_row.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// Places of items in a dense graph.
struct ItemOrder {
  Array<std::uint32_t> item_at;   ///< by place
  Array<std::uint32_t> place_of;  ///< by item

  [[nodiscard]] std::size_t items() const noexcept { return item_at.size(); }
  void save(Parts& parts, const std::string& name) const;
  [[nodiscard]] static ItemOrder load(const Parts& parts, const std::string& name,
                                      std::size_t items);
};

/// The most rated item first, ties by the lower index.
[[nodiscard]] ItemOrder popularity_order(const Ratings& ratings);

/// All indices are places, not items.
class DenseGraph {
 public:
  DenseGraph() = default;
  /// Sums run over the raters of an item in order: the same with any number of threads.
  [[nodiscard]] static DenseGraph build(const Ratings& ratings, CriterionSet criteria,
                                        const ItemOrder& order, ThreadPool& pool,
                                        const Progress& progress = {});

  [[nodiscard]] std::size_t items() const noexcept { return starts_.size(); }
  [[nodiscard]] std::size_t blocks() const noexcept {
    return (items() + kernels::block_width - 1) / kernels::block_width;
  }
  /// Items rounded up to whole blocks: the size of an unpacked row.
  [[nodiscard]] std::size_t stride() const noexcept { return blocks() * kernels::block_width; }
  [[nodiscard]] kernels::PackedRow row(std::size_t i) const noexcept {
    return {masks_.data() + i * blocks(), logs_.data() + starts_[i]};
  }
  /// The same from some block on.
  [[nodiscard]] kernels::PackedRow row_from(std::size_t i, std::size_t block) const noexcept;
  /// stride() numbers, 0 past the items.
  [[nodiscard]] const float* shift() const noexcept { return shift_.data(); }
  /// log2 of the largest entry of row i of P beside the diagonal, or -1e30.
  [[nodiscard]] float peak(std::size_t i) const noexcept { return peaks_[i]; }
  /// Of a strip of strip_rows rows, those from strip * strip_rows on, the largest entry of each
  /// column beside the diagonal, N_ij d_i^(-1/2): stride() numbers. Empty if the graph was loaded.
  static constexpr std::size_t strip_rows = 32;
  [[nodiscard]] std::span<const float> tops(std::size_t strip) const noexcept {
    return tops_.empty() ? std::span<const float>()
                         : tops_.span().subspan(strip * stride(), stride());
  }
  [[nodiscard]] std::size_t row_entries(std::size_t i) const noexcept;
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
  /// Of what is saved.
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// sums[j] += P_ij for all links of an item i; these are items, not places.
  void add_similarities(const ItemOrder& order, std::uint32_t item, std::span<double> sums) const;

  /// d_i^(-s/2) by place: what a power makes of the normalisation.
  [[nodiscard]] std::vector<float> scale(double power) const;

  void save(Parts& parts, const std::string& name) const;
  [[nodiscard]] static DenseGraph load(const Parts& parts, const std::string& name,
                                       std::size_t items);

 private:
  Array<std::uint64_t> starts_;  // of each row in logs_
  Array<std::uint16_t> masks_;
  Array<float> logs_;
  Array<float> shift_;
  Array<float> peaks_;
  Array<float> tops_;
  std::size_t entries_ = 0;
};

}  // namespace palate
