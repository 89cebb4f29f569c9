#include "live/bound_keeper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/tolerances.hpp"
#include "kernels/graph/power.hpp"
#include "live/rows.hpp"

namespace palate::live {
namespace {

// Long sums of floats are cut into pieces of this many, which are added up in double.
constexpr std::size_t sum_piece = 256;

constexpr float unset = std::numeric_limits<float>::quiet_NaN();

float or_zero(float shift) { return std::isnan(shift) ? 0.0F : shift; }

// For one worker.
struct Scratch {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

}  // namespace

BoundKeeper::BoundKeeper(Links& next, std::shared_ptr<const Base> base, std::size_t values,
                         ThreadPool& pool)
    : base_(std::move(base)),
      values_(values),
      graph_(base_->plan->powers[values].graph),
      rank_(base_->directions[values].size() * block_width),
      power_(base_->plan->powers[values].power),
      rounding_(tolerance::square_of_value(power_)) {
  Bounds& bounds = next.bounds[values];
  bounds = {};
  const std::size_t items = next.items;
  grow(next);
  for (std::size_t i = 0; i < items; ++i) {
    if (link_count(next.graphs[graph_].rows[i]) > 0) set_old(i, (*next.graphs[graph_].shift)[i]);
  }
  bounds.ratio = std::make_shared<const std::vector<float>>(next.stride(), 1.0F);
  const std::uint64_t edition = new_edition();
  for (std::size_t b = 0; b < next.blocks(); ++b) bounds.blocks.push_back({}, edition);
  pool.for_chunks(items, block_width, [&](std::size_t begin, std::size_t end, unsigned) {
    BoundBlock& block = bounds.blocks.edit(begin / block_width, edition);
    block.directions.assign(rank_ * block_width, 0.0F);
    for (std::size_t i = begin; i < end; ++i) {
      measure(next, static_cast<std::uint32_t>(i));
      write(i, block);
    }
  });
  std::vector<float> reach(next.stride(), 0.0F);
  for (std::size_t i = 0; i < items; ++i) {
    const BoundBlock& block = bounds.blocks[i / block_width];
    reach[i] = block.lengths[i % block_width];
    bounds.longest = std::max(bounds.longest, block.outside[i % block_width]);
  }
  bounds.reach = std::make_shared<const std::vector<float>>(std::move(reach));
}

void BoundKeeper::grow(const Links& next) {
  const std::size_t items = next.items;
  u_.resize(items * rank_, 0.0);
  squares_.resize(items, 0.0);
  trace_.resize(items, 0.0);
  diagonal_.resize(items, 0.0);
  is_touched_.resize(items, 0);
  old_.resize(items, unset);
  factor_.resize(items, 1.0);
}

// U_i += sum_k values[k] Z[columns[k]]
void BoundKeeper::add_directions(std::span<const std::uint32_t> columns, const float* values,
                                 std::size_t place) {
  for (std::size_t p = 0; p * block_width < rank_; ++p) {
    const std::vector<float>& strip = base_->directions[values_][p];
    const auto fitted = static_cast<std::uint32_t>(strip.size() / block_width);
    const auto known = static_cast<std::size_t>(
        std::lower_bound(columns.begin(), columns.end(), fitted) - columns.begin());
    double* u = u_.data() + place * rank_ + p * block_width;
    for (std::size_t k = 0; k < known; k += sum_piece) {
      const std::size_t some = std::min(sum_piece, known - k);
      std::array<float, block_width> sum{};
      kernels::multiply_links(columns.subspan(k, some), values + k, strip.data(), sum.data());
      for (std::size_t r = 0; r < block_width; ++r) u[r] += static_cast<double>(sum[r]);
    }
  }
}

void BoundKeeper::set_old(std::size_t place, float shift) {
  old_[place] = shift;
  factor_[place] = std::exp2(static_cast<double>(shift));
}

void BoundKeeper::touch(std::uint32_t place) {
  if (is_touched_[place] != 0) return;
  is_touched_[place] = 1;
  touched_.push_back(place);
}

// U_i and |q_i|^2 from the row itself.
void BoundKeeper::measure(const Links& links, std::uint32_t place) {
  static thread_local Scratch scratch;
  const Row& row = links.graphs[graph_].rows[place];
  const auto columns = columns_of(row, scratch.columns);
  const std::size_t count = columns.size();
  scratch.values.resize(count + block_width);
  float* values = scratch.values.data();
  const float own = or_zero(old_[place]);
  for (std::size_t k = 0; k < count; ++k)
    values[k] = row.logs[k] + (own + or_zero(old_[columns[k]]));
  kernels::power_of_logs(values, count, static_cast<float>(power_), values);
  double squares = 0;
  diagonal_[place] = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto q = static_cast<double>(values[k]);
    if (!base_->dense && columns[k] == place) {
      diagonal_[place] = q;
    } else {
      squares += q * q;
    }
  }
  squares_[place] = squares;
  trace_[place] = rounding_ * squares;
  std::fill_n(u_.data() + place * rank_, rank_, 0.0);
  add_directions(columns, values, place);
}

void BoundKeeper::shift_changed(const Links& next, std::uint32_t place) {
  shifted_.push_back(place);
  // Without an old shift there are no links yet.
  if (std::isnan(old_[place])) set_old(place, (*next.graphs[graph_].shift)[place]);
}

void BoundKeeper::row_changed(std::uint32_t place, std::span<const PairEdit> edits) {
  std::vector<float> before(edits.size());
  std::vector<float> after(edits.size());
  for (std::size_t k = 0; k < edits.size(); ++k) {
    const double both = factor_[place] * factor_[edits[k].column];
    before[k] = static_cast<float>(static_cast<double>(edits[k].before) * both);
    after[k] = static_cast<float>(static_cast<double>(edits[k].after) * both);
  }
  kernels::power(before, power_, before);
  kernels::power(after, power_, after);
  std::vector<float> change(edits.size());
  std::vector<std::uint32_t> columns(edits.size());
  double moved = 0;  // |change|^2
  for (std::size_t k = 0; k < edits.size(); ++k) {
    columns[k] = edits[k].column;
    const auto less = static_cast<double>(before[k]);
    const auto more = static_cast<double>(after[k]);
    if (!base_->dense && edits[k].column == place) {
      diagonal_[place] = more;
      continue;
    }
    squares_[place] += more * more - less * less;
    change[k] = static_cast<float>(more - less);
    moved += (more - less) * (more - less);
  }
  add_directions(columns, change.data(), place);
  trace_[place] += tolerance::changed_row * std::sqrt(moved * std::max(0.0, squares_[place]));
  touch(place);
}

// Takes the shift of the state for the old one of an item: its row and its column of Q change.
void BoundKeeper::move_shift(const Links& next, std::uint32_t place) {
  const float shift = (*next.graphs[graph_].shift)[place];
  const Row& row = next.graphs[graph_].rows[place];
  Scratch scratch;
  const auto columns = columns_of(row, scratch.columns);
  const std::size_t count = columns.size();
  std::vector<float> before(count + block_width);
  std::vector<float> after(count + block_width);
  for (std::size_t k = 0; k < count; ++k) {
    const float log = row.logs[k] + or_zero(old_[columns[k]]);
    before[k] = log + or_zero(old_[place]);
    after[k] = log + shift;
  }
  kernels::power_of_logs(before.data(), count, static_cast<float>(power_), before.data());
  kernels::power_of_logs(after.data(), count, static_cast<float>(power_), after.data());
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t i = columns[k];
    if (i == place) continue;
    const auto less = static_cast<double>(before[k]);
    const auto more = static_cast<double>(after[k]);
    squares_[i] += more * more - less * less;
    trace_[i] += rounding_ * (more * more + less * less);
    const auto change = static_cast<float>(more - less);
    add_directions({&place, 1}, &change, i);
    touch(i);
  }
  set_old(place, shift);
  measure(next, place);
  touch(place);
}

// One place into its block.
void BoundKeeper::write(std::size_t place, BoundBlock& block) {
  const std::size_t lane = place % block_width;
  double inside = 0;
  for (std::size_t r = 0; r < rank_; ++r) {
    const double u = u_[place * rank_ + r];
    inside += u * u;
    block.directions[r * block_width + lane] = static_cast<float>(u);
  }
  const double room = trace_[place] + 2 * rounding_ * squares_[place];
  const double rest = std::max(0.0, squares_[place] - inside) + room;
  block.outside[lane] = static_cast<float>(std::sqrt(rest) * (1 + tolerance::to_float));
  block.lengths[lane] =
      static_cast<float>(std::sqrt(squares_[place] + room) * (1 + tolerance::to_float));
  block.diagonal[lane] = static_cast<float>(diagonal_[place]);
}

void BoundKeeper::publish(Links& next, std::uint64_t edition) {
  Bounds& bounds = next.bounds[values_];
  const std::vector<float>& shift = *next.graphs[graph_].shift;
  for (const std::uint32_t place : shifted_) {
    if (std::abs(shift[place] - or_zero(old_[place])) > tolerance::farthest_shift)
      move_shift(next, place);
  }
  for (const std::uint32_t place : touched_) {
    if (!(trace_[place] <= tolerance::most_trace * squares_[place])) measure(next, place);
    write(place, bounds.blocks.edit(place / block_width, edition));
    is_touched_[place] = 0;
  }
  if (!shifted_.empty()) {
    auto ratio = std::make_shared<std::vector<float>>(*bounds.ratio);
    for (const std::uint32_t place : shifted_) {
      (*ratio)[place] = static_cast<float>(
          std::exp2(power_ * static_cast<double>(shift[place] - or_zero(old_[place]))));
    }
    bounds.ratio = std::move(ratio);
  }
  auto reach = std::make_shared<std::vector<float>>(*bounds.reach);
  for (const auto* places : {&touched_, &shifted_}) {
    for (const std::uint32_t place : *places) {
      const BoundBlock& block = bounds.blocks[place / block_width];
      const float ratio = (*bounds.ratio)[place];
      (*reach)[place] =
          ratio * block.lengths[place % block_width] * static_cast<float>(1 + tolerance::to_float);
      bounds.longest = std::max(bounds.longest, ratio * block.outside[place % block_width]);
    }
  }
  bounds.reach = std::move(reach);
  touched_.clear();
  shifted_.clear();
}

}  // namespace palate::live
