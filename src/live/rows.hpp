// Rows of the graphs of a state: making one from another, and reading them.
#pragma once

#include <span>
#include <vector>

#include "live/row_memory.hpp"
#include "live/state.hpp"

namespace palate::live {

/// A changed entry of a row of N: 0 is no link.
struct PairEdit {
  std::uint32_t column = 0;
  float before = 0, after = 0;
};

/// Where a link stands in its row, or would stand.
struct LinkPosition {
  std::uint32_t at = 0;
  bool there = false;
};
/// Of some columns, ascending.
void find_links(const Row& row, std::span<const std::uint32_t> columns,
                std::vector<LinkPosition>& out);

/// A copy of `old` with some entries changed, put in or taken out: `edits` have
/// ascending columns. `blocks`: of a dense row, at least as many as before.
[[nodiscard]] Row edit_dense_row(const Row& old, std::span<const PairEdit> edits,
                                 std::size_t blocks, RowMemory& memory);
[[nodiscard]] Row edit_sparse_row(const Row& old, std::span<const PairEdit> edits,
                                  RowMemory& memory);
/// The same where no link comes or goes, in either form. `positions`: those of the edits.
[[nodiscard]] Row patch_row(const Row& old, std::span<const PairEdit> edits,
                            std::span<const LinkPosition> positions, RowMemory& memory);

/// How many links it has.
[[nodiscard]] std::size_t link_count(const Row& row) noexcept;

/// Columns and logarithms of a row of either form; columns has room for a block more.
[[nodiscard]] std::span<const std::uint32_t> columns_of(const Row& row,
                                                        std::vector<std::uint32_t>& buffer);

/// Reads the rows of a state, in either form. Scratch memory is reused; one per worker.
class LinkReader {
 public:
  /// For each term: out[j] += x * 2^(power (log_j + shift_j)); out has stride() floats.
  void add(const State& state, std::size_t graph, std::uint32_t place,
           std::span<const kernels::PowerTerm> terms);
  /// sum_j P_f[place, j] y_j for the power of a branch; y has stride() floats.
  [[nodiscard]] double dot(const State& state, const Branch& branch, std::uint32_t place,
                           const float* y);
  /// Of a sparse row, the values 2^(power (log_j + shift_j)), link by link; until the next call.
  [[nodiscard]] const float* sparse_values(const State& state, const Branch& branch,
                                           std::uint32_t place);

 private:
  void shift_logs(const State& state, std::size_t graph, const Row& row);

  std::vector<float> shifted_;
  std::vector<float> values_;
};

/// d_i^(-s/2) for the power of a branch.
[[nodiscard]] double scale_of(const State& state, const Branch& branch, std::uint32_t place);

}  // namespace palate::live
