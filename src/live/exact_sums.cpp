#include "live/exact_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "graph/tolerances.hpp"
#include "live/ledger.hpp"

namespace palate::live {
namespace {

float single(double sum) { return static_cast<float>(std::min(sum, 1e38)); }

constexpr std::int8_t nothing = std::numeric_limits<std::int8_t>::min();

// Of a sum, the exponent of the least power of two above it.
std::int8_t exponent_above(double sum) {
  if (sum <= 0) return nothing;
  return static_cast<std::int8_t>(std::clamp(std::ilogb(sum) + 1, nothing + 1, 127));
}

double sum_of(float log) { return std::exp2(static_cast<double>(log)); }
float rest_of(double sum, float log) {
  return static_cast<float>(std::min(sum, 1e38) - sum_of(log));
}

// The same ratings at more places.
ScaledRow spread(const ScaledRow& row, const std::vector<std::uint32_t>& places,
                 std::size_t width) {
  ScaledRow out{places, std::vector<double>(places.size() * width, 0.0)};
  std::size_t k = 0;
  for (std::size_t n = 0; n < places.size() && k < row.places.size(); ++n) {
    if (places[n] != row.places[k]) continue;
    for (std::size_t c = 0; c < width; ++c) {
      out.values[c * places.size() + n] = row.values[c * row.places.size() + k];
    }
    ++k;
  }
  return out;
}

}  // namespace

ScaledRow scale_row(const Base& base, const UserRatings& ratings, CriterionSet criteria) {
  const std::size_t all = base.criteria();
  const std::size_t n = ratings.size();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted(n);  // place, position
  for (std::uint32_t k = 0; k < n; ++k) sorted[k] = {base.place_of(ratings.items[k]), k};
  std::sort(sorted.begin(), sorted.end());
  const auto width = static_cast<std::size_t>(std::popcount(criteria));
  ScaledRow out{std::vector<std::uint32_t>(n), std::vector<double>(n * width)};
  for (std::size_t k = 0; k < n; ++k) out.places[k] = sorted[k].first;
  for (double* values = out.values.data(); criteria != 0; criteria &= criteria - 1, values += n) {
    const auto c = static_cast<std::size_t>(std::countr_zero(criteria));
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(ratings.values[k * all + c]);
    const double factor = sum > 0 ? 1.0 / std::sqrt(sum) : 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      values[k] = static_cast<double>(ratings.values[sorted[k].second * all + c]) * factor;
    }
  }
  return out;
}

void pairs_of(const ScaledRow& row, std::size_t a, std::span<double> out) {
  const std::size_t n = row.places.size();
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t at = 0; at < row.values.size(); at += n) {
    const double mine = row.values[at + a];
    const double* others = row.values.data() + at;
    for (std::size_t k = 0; k < n; ++k) out[k] += mine * others[k];
  }
}

UserChange::UserChange(const Base& base, const UserRatings& before, const UserRatings& after,
                       CriterionSet criteria) {
  const ScaledRow old_row = scale_row(base, before, criteria);
  const ScaledRow new_row = scale_row(base, after, criteria);
  std::vector<std::uint32_t> places;
  std::set_union(old_row.places.begin(), old_row.places.end(), new_row.places.begin(),
                 new_row.places.end(), std::back_inserter(places));
  const auto width = static_cast<std::size_t>(std::popcount(criteria));
  before_ = spread(old_row, places, width);
  after_ = spread(new_row, places, width);
}

void UserChange::changes_of(std::size_t a, std::vector<double>& out) const {
  const std::size_t n = after_.places.size();
  out.resize(n);
  less_.resize(n);
  pairs_of(after_, a, out);
  pairs_of(before_, a, less_);
  for (std::size_t k = 0; k < n; ++k) out[k] -= less_[k];
}

void ExactSums::take(const Row& row, Sums& out) {
  const std::size_t count = link_count(row);
  out.rest.assign(count, 0.0F);
  out.largest.resize(count);
  for (std::size_t k = 0; k < count; ++k) out.largest[k] = exponent_above(sum_of(row.logs[k]));
  out.kept = true;
}

double ExactSums::add_up(const State& seen, std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t item_a = seen.item_at(a);
  const std::uint32_t item_b = seen.item_at(b);
  const std::vector<std::uint32_t>& raters_a = *seen.raters[item_a];
  const std::vector<std::uint32_t>& raters_b = *seen.raters[item_b];
  std::vector<std::uint32_t> users;
  std::set_intersection(raters_a.begin(), raters_a.end(), raters_b.begin(), raters_b.end(),
                        std::back_inserter(users));
  const std::size_t width = seen.base->criteria();
  double sum = 0;
  for (const std::uint32_t user : users) {
    const UserRatings row = seen.users[user].for_others();
    const std::size_t at_a = position_of(row, item_a);
    const std::size_t at_b = position_of(row, item_b);
    if (at_a == row.size() || at_b == row.size()) continue;
    for (CriterionSet rest = criteria_; rest != 0; rest &= rest - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(rest));
      double whole = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        whole += static_cast<double>(row.values[k * width + c]);
      }
      if (whole > 0) {
        sum += static_cast<double>(row.values[at_a * width + c]) *
               static_cast<double>(row.values[at_b * width + c]) / whole;
      }
    }
  }
  return sum;
}

Row ExactSums::change(const State& seen, std::uint32_t place, const Row& old,
                      const RowChange& change, RowMemory& memory, std::vector<PairEdit>& edits) {
  if (rows_.size() <= place) rows_.resize(seen.items());
  Sums& mine = rows_[place];
  if (!mine.kept) take(old, mine);
  find_links(old, change.columns, positions_);
  edits.clear();
  sums_.clear();
  bool same = true;  // the same links as before
  for (std::size_t n = 0; n < change.columns.size(); ++n) {
    const LinkPosition position = positions_[n];
    if (!position.there && single(change.changes[n]) <= 0) continue;
    const double before =
        position.there ? sum_of(old.logs[position.at]) + static_cast<double>(mine.rest[position.at])
                       : 0.0;
    double after = before + change.changes[n];
    if (position.there) {
      std::int8_t& largest = mine.largest[position.at];
      if (after < tolerance::small_pair * std::exp2(largest)) {
        after = add_up(seen, place, change.columns[n]);
        largest = nothing;
      }
      largest = std::max(largest, exponent_above(after));
    }
    same = same && position.there && single(after) > 0;
    positions_[edits.size()] = position;
    edits.push_back({change.columns[n], single(before), single(after)});
    sums_.push_back(after);
  }
  if (edits.empty()) return old;
  if (same) {
    Row next = patch_row(old, edits, positions_, memory);
    for (std::size_t n = 0; n < edits.size(); ++n) {
      const std::uint32_t at = positions_[n].at;
      mine.rest[at] = rest_of(sums_[n], next.logs[at]);
    }
    return next;
  }
  Row next = seen.base->dense ? edit_dense_row(old, edits, seen.blocks(), memory)
                              : edit_sparse_row(old, edits, memory);
  mine = carried(mine, next, edits);
  return next;
}

// What is kept of the links of `next`, which are those of before but for the edits.
ExactSums::Sums ExactSums::carried(const Sums& old, const Row& next,
                                   std::span<const PairEdit> edits) const {
  Sums out;
  out.kept = true;
  const std::size_t links = link_count(next);
  out.rest.reserve(links);
  out.largest.reserve(links);
  std::size_t k = 0;
  const auto carry = [&](std::size_t end) {
    for (; k < end; ++k) {
      out.rest.push_back(old.rest[k]);
      out.largest.push_back(old.largest[k]);
    }
  };
  for (std::size_t n = 0; n < edits.size(); ++n) {
    const LinkPosition& position = positions_[n];
    carry(position.at);
    if (position.there) ++k;
    if (edits[n].after <= 0) continue;
    out.rest.push_back(rest_of(sums_[n], next.logs[out.rest.size()]));
    out.largest.push_back(position.there ? old.largest[position.at] : exponent_above(sums_[n]));
  }
  carry(old.rest.size());
  return out;
}

}  // namespace palate::live
