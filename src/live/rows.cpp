#include "live/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ranking/dense_graphs.hpp"

namespace palate::live {
namespace {

std::vector<float> logs_after(std::span<const PairEdit> edits) {
  std::vector<float> logs(edits.size() + block_width, 1.0F);
  for (std::size_t k = 0; k < edits.size(); ++k) logs[k] = edits[k].after;
  kernels::logs_of(std::span(logs).first(edits.size()), logs.data(), false);
  return logs;
}

// One block with some entries changed: its new mask, and its new logarithms at `out`.
std::uint16_t edit_block(std::uint32_t mask, const float* in, std::span<const PairEdit> edits,
                         const float* logs, float* out) {
  std::array<float, block_width> lanes{};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    lanes[static_cast<std::size_t>(std::countr_zero(rest))] = *in++;
  }
  for (std::size_t k = 0; k < edits.size(); ++k) {
    const std::uint32_t lane = edits[k].column % block_width;
    lanes[lane] = logs[k];
    mask = edits[k].after > 0 ? mask | 1U << lane : mask & ~(1U << lane);
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    *out++ = lanes[static_cast<std::size_t>(std::countr_zero(rest))];
  }
  return static_cast<std::uint16_t>(mask);
}

}  // namespace

Row edit_dense_row(const Row& old, std::span<const PairEdit> edits, std::size_t blocks,
                   RowMemory& memory) {
  const std::vector<float> logs = logs_after(edits);
  const std::size_t room = link_count(old) + edits.size() + 2 * block_width;
  auto owner = memory.take(room * sizeof(float) + blocks * sizeof(std::uint16_t));
  auto* const made = reinterpret_cast<float*>(owner.get());
  auto* const masks = reinterpret_cast<std::uint16_t*>(owner.get() + room * sizeof(float));
  const float* in = old.logs;
  float* out = made;
  std::size_t k = 0;
  for (std::size_t b = 0; b < blocks;) {
    // Blocks up to the next one with an edit stay as they are.
    const std::size_t stop = k < edits.size() ? edits[k].column / block_width : blocks;
    const std::size_t same = std::min<std::size_t>(stop, old.size);
    if (b < same) {
      const std::size_t links = kernels::count_links(old.masks + b, same - b);
      std::copy_n(old.masks + b, same - b, masks + b);
      std::copy_n(in, links, out);
      in += links;
      out += links;
      b = same;
    }
    std::fill(masks + b, masks + std::max(b, stop), std::uint16_t{0});
    b = std::max(b, stop);
    if (b == blocks) break;
    const std::uint32_t mask = b < old.size ? old.masks[b] : 0U;
    const std::size_t from = k;
    while (k < edits.size() && edits[k].column / block_width == b) ++k;
    masks[b] = edit_block(mask, in, edits.subspan(from, k - from), logs.data() + from, out);
    in += std::popcount(mask);
    out += std::popcount(masks[b]);
    ++b;
  }
  std::fill_n(out, block_width, 0.0F);
  return {masks, nullptr, made, static_cast<std::uint32_t>(blocks), std::move(owner)};
}

Row edit_sparse_row(const Row& old, std::span<const PairEdit> edits, RowMemory& memory) {
  const std::vector<float> logs = logs_after(edits);
  const std::size_t most = old.size + edits.size();
  auto owner = memory.take(most * sizeof(std::uint32_t) + (most + block_width) * sizeof(float));
  auto* const columns = reinterpret_cast<std::uint32_t*>(owner.get());
  auto* const made = reinterpret_cast<float*>(owner.get() + most * sizeof(std::uint32_t));
  std::size_t size = 0;
  const auto take = [&](std::uint32_t column, float log) {
    columns[size] = column;
    made[size++] = log;
  };
  std::size_t n = 0;
  for (std::size_t k = 0; k < edits.size(); ++k) {
    for (; n < old.size && old.columns[n] < edits[k].column; ++n) take(old.columns[n], old.logs[n]);
    if (n < old.size && old.columns[n] == edits[k].column) ++n;
    if (edits[k].after > 0) take(edits[k].column, logs[k]);
  }
  for (; n < old.size; ++n) take(old.columns[n], old.logs[n]);
  std::fill_n(made + size, block_width, 0.0F);
  return {nullptr, columns, made, static_cast<std::uint32_t>(size), std::move(owner)};
}

Row patch_row(const Row& old, std::span<const PairEdit> edits,
              std::span<const LinkPosition> positions, RowMemory& memory) {
  const std::vector<float> logs = logs_after(edits);
  const bool dense = old.masks != nullptr;
  const std::size_t links = link_count(old);
  const std::size_t room = (links + block_width) * sizeof(float);
  const std::size_t pattern =
      dense ? old.size * sizeof(std::uint16_t) : links * sizeof(std::uint32_t);
  auto owner = memory.take(room + pattern);
  auto* const made = reinterpret_cast<float*>(owner.get());
  std::copy_n(old.logs, links + block_width, made);
  for (std::size_t k = 0; k < edits.size(); ++k) made[positions[k].at] = logs[k];
  std::byte* const behind = owner.get() + room;
  Row out{nullptr, nullptr, made, old.size, nullptr};
  if (dense) {
    out.masks =
        std::copy_n(old.masks, old.size, reinterpret_cast<std::uint16_t*>(behind)) - old.size;
  } else {
    out.columns = std::copy_n(old.columns, links, reinterpret_cast<std::uint32_t*>(behind)) - links;
  }
  out.owner = std::move(owner);
  return out;
}

void find_links(const Row& row, std::span<const std::uint32_t> columns,
                std::vector<LinkPosition>& out) {
  out.clear();
  if (row.masks == nullptr) {
    const std::size_t links = link_count(row);
    const std::uint32_t* at = row.columns;
    for (const std::uint32_t column : columns) {
      at = std::lower_bound(at, row.columns + links, column);
      out.push_back({static_cast<std::uint32_t>(at - row.columns),
                     at != row.columns + links && *at == column});
    }
    return;
  }
  std::uint32_t before = 0;  // links of the blocks before `block`
  std::size_t block = 0;
  for (const std::uint32_t column : columns) {
    const std::size_t wanted = std::min<std::size_t>(column / block_width, row.size);
    for (; block < wanted; ++block)
      before += static_cast<std::uint32_t>(std::popcount(row.masks[block]));
    const std::uint32_t mask = column / block_width < row.size ? row.masks[wanted] : 0U;
    const std::uint32_t lane = column % block_width;
    out.push_back({before + static_cast<std::uint32_t>(std::popcount(mask & ((1U << lane) - 1))),
                   (mask >> lane & 1U) != 0});
  }
}

std::size_t link_count(const Row& row) noexcept {
  return row.masks == nullptr ? (row.columns == nullptr ? 0 : row.size)
                              : kernels::count_links(row.masks, row.size);
}

std::span<const std::uint32_t> columns_of(const Row& row, std::vector<std::uint32_t>& buffer) {
  if (row.masks == nullptr) return {row.columns, row.columns == nullptr ? 0 : row.size};
  buffer.resize(row.size * block_width + block_width);
  return {buffer.data(), kernels::linked_columns(row.masks, row.size, buffer.data())};
}

void LinkReader::shift_logs(const State& state, std::size_t graph, const Row& row) {
  const float* shift = state.links->graphs[graph].shift->data();
  shifted_.resize(row.size + block_width, 0.0F);
  values_.resize(row.size + block_width);
  for (std::size_t k = 0; k < row.size; ++k) shifted_[k] = row.logs[k] + shift[row.columns[k]];
}

void LinkReader::add(const State& state, std::size_t graph, std::uint32_t place,
                     std::span<const kernels::PowerTerm> terms) {
  const Row& row = state.links->graphs[graph].rows[place];
  if (state.base->dense) {
    kernels::add_powers({row.masks, row.logs}, row.size, state.links->graphs[graph].shift->data(),
                        terms);
    return;
  }
  shift_logs(state, graph, row);
  for (const kernels::PowerTerm& term : terms) {
    kernels::power_of_logs(shifted_.data(), row.size, term.power, values_.data());
    for (std::size_t k = 0; k < row.size; ++k) term.out[row.columns[k]] += term.x * values_[k];
  }
}

const float* LinkReader::sparse_values(const State& state, const Branch& branch,
                                       std::uint32_t place) {
  const Row& row = state.links->graphs[branch.graph].rows[place];
  shift_logs(state, branch.graph, row);
  kernels::power_of_logs(shifted_.data(), row.size,
                         static_cast<float>(state.base->plan->powers[branch.values].power),
                         values_.data());
  return values_.data();
}

double LinkReader::dot(const State& state, const Branch& branch, std::uint32_t place,
                       const float* y) {
  const Row& row = state.links->graphs[branch.graph].rows[place];
  double sum = 0;
  if (state.base->dense) {
    sum = row_dot({row.masks, row.logs}, row.size, state.links->graphs[branch.graph].shift->data(),
                  static_cast<float>(state.base->plan->powers[branch.values].power), y);
  } else {
    const float* values = sparse_values(state, branch, place);
    for (std::size_t k = 0; k < row.size; ++k) {
      sum += static_cast<double>(values[k]) * static_cast<double>(y[row.columns[k]]);
    }
  }
  return sum * scale_of(state, branch, place);
}

double scale_of(const State& state, const Branch& branch, std::uint32_t place) {
  return std::exp2(state.base->plan->powers[branch.values].power *
                   static_cast<double>((*state.links->graphs[branch.graph].shift)[place]));
}

}  // namespace palate::live
