#include "live/exact_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

namespace palate::live {
namespace {

// Below this share of what it was, a sum is added up anew.
constexpr double small_pair_share = 1e-6;

double dot(const double* a, const double* b, std::size_t width) {
  double sum = 0;
  for (std::size_t c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}

float single(double sum) { return static_cast<float>(std::min(sum, 1e38)); }

// The first position from `at` on whose column is not below `column`. Places are popular ones, so
// it is near: strides double until it is passed.
std::size_t find_from(const std::vector<std::uint32_t>& columns, std::size_t at,
                      std::uint32_t column) {
  std::size_t stride = 1;
  std::size_t end = at;
  while (end < columns.size() && columns[end] < column) {
    at = end + 1;
    end += stride;
    stride *= 2;
  }
  const auto from = columns.begin() + static_cast<std::ptrdiff_t>(at);
  const auto to = columns.begin() + static_cast<std::ptrdiff_t>(std::min(end, columns.size()));
  return static_cast<std::size_t>(std::lower_bound(from, to, column) - columns.begin());
}

// Everybody's scaled ratings, and the way from a place to its raters.
struct Everybody {
  std::vector<std::uint64_t> offsets = {0};  // of users
  std::vector<std::uint32_t> places;
  std::vector<double> values;
  std::vector<std::uint64_t> rater_offsets;  // of places
  struct Rater {
    std::uint64_t at, end;  // where he rated it, and where his ratings end
  };
  std::vector<Rater> raters;
};

Everybody gather(const State& state, CriterionSet criteria) {
  Everybody all;
  all.places.reserve(state.interactions);
  for (std::size_t u = 0; u < state.users.size(); ++u) {
    const ScaledRow row = scale_row(state, state.users[u].ratings, criteria);
    all.places.insert(all.places.end(), row.places.begin(), row.places.end());
    all.values.insert(all.values.end(), row.values.begin(), row.values.end());
    all.offsets.push_back(all.places.size());
  }
  all.rater_offsets.assign(state.items() + 1, 0);
  for (const std::uint32_t place : all.places) ++all.rater_offsets[place + 1];
  std::partial_sum(all.rater_offsets.begin(), all.rater_offsets.end(), all.rater_offsets.begin());
  all.raters.resize(all.places.size());
  std::vector<std::uint64_t> next(all.rater_offsets.begin(), all.rater_offsets.end() - 1);
  for (std::size_t u = 0; u + 1 < all.offsets.size(); ++u) {
    for (std::uint64_t k = all.offsets[u]; k < all.offsets[u + 1]; ++k) {
      all.raters[next[all.places[k]]++] = {k, all.offsets[u + 1]};
    }
  }
  return all;
}

class RowBuilder {
 public:
  explicit RowBuilder(std::size_t places) : sums_(places) {}

  void build(const Everybody& all, std::size_t width, std::size_t i, ExactSums::Row& row) {
    touched_.clear();
    for (std::uint64_t n = all.rater_offsets[i]; n < all.rater_offsets[i + 1]; ++n) {
      const auto [at, end] = all.raters[n];
      const double* mine = all.values.data() + at * width;
      for (std::uint64_t k = at; k < end; ++k) {
        const double part = dot(mine, all.values.data() + k * width, width);
        if (part <= 0) continue;
        PairSum& sum = sums_[all.places[k]];
        if (sum.users++ == 0) touched_.push_back(all.places[k]);
        sum.sum += part;
      }
    }
    row.columns.reserve(touched_.size());
    row.sums.reserve(touched_.size());
    const auto keep = [&](std::uint32_t j) {
      if (sums_[j].users == 0) return;
      row.columns.push_back(j);
      row.sums.push_back(sums_[j]);
      sums_[j] = {};
    };
    if (touched_.size() * 8 > sums_.size()) {
      for (std::size_t j = i; j < sums_.size(); ++j) keep(static_cast<std::uint32_t>(j));
    } else {
      std::sort(touched_.begin(), touched_.end());
      for (const std::uint32_t j : touched_) keep(j);
    }
  }

 private:
  std::vector<PairSum> sums_;  // all 0 between rows
  std::vector<std::uint32_t> touched_;
};

}  // namespace

ScaledRow scale_row(const State& state, const UserRatings& ratings, CriterionSet criteria) {
  const std::size_t all = state.base->criteria();
  const std::size_t n = ratings.size();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted(n);  // place, position
  for (std::uint32_t k = 0; k < n; ++k) sorted[k] = {state.place_of(ratings.items[k]), k};
  std::sort(sorted.begin(), sorted.end());
  const auto width = static_cast<std::size_t>(std::popcount(criteria));
  ScaledRow out{std::vector<std::uint32_t>(n), std::vector<double>(n * width)};
  for (std::size_t k = 0; k < n; ++k) out.places[k] = sorted[k].first;
  for (std::size_t w = 0; criteria != 0; criteria &= criteria - 1, ++w) {
    const auto c = static_cast<std::size_t>(std::countr_zero(criteria));
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(ratings.values[k * all + c]);
    const double factor = sum > 0 ? 1.0 / std::sqrt(sum) : 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      out.values[k * width + w] =
          static_cast<double>(ratings.values[sorted[k].second * all + c]) * factor;
    }
  }
  return out;
}

ExactSums::ExactSums(const State& state, CriterionSet criteria, ThreadPool& pool)
    : rows_(state.items()), width_(static_cast<std::size_t>(std::popcount(criteria))) {
  const Everybody all = gather(state, criteria);
  std::vector<std::unique_ptr<RowBuilder>> builders(pool.size());
  pool.for_chunks(rows_.size(), 16, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!builders[worker]) builders[worker] = std::make_unique<RowBuilder>(rows_.size());
    for (std::size_t i = begin; i < end; ++i) builders[worker]->build(all, width_, i, rows_[i]);
  });
}

// The places of a user before and after, and his values at each; 0 where he has not rated.
struct ExactSums::Parts {
  std::vector<std::uint32_t> places;
  std::vector<double> before, after;

  Parts(const ScaledRow& old_row, const ScaledRow& new_row, std::size_t width) {
    std::set_union(old_row.places.begin(), old_row.places.end(), new_row.places.begin(),
                   new_row.places.end(), std::back_inserter(places));
    before = spread(old_row, width);
    after = spread(new_row, width);
  }

 private:
  [[nodiscard]] std::vector<double> spread(const ScaledRow& row, std::size_t width) const {
    std::vector<double> out(places.size() * width, 0.0);
    std::size_t k = 0;
    for (std::size_t n = 0; n < places.size() && k < row.places.size(); ++n) {
      if (places[n] != row.places[k]) continue;
      std::copy_n(row.values.data() + k * width, width, out.data() + n * width);
      ++k;
    }
    return out;
  }
};

// The pairs of place a with itself and those behind it: out[b - a].
void ExactSums::change_row(const Parts& parts, std::size_t a, const Resum& resum, Pair* out) {
  Row& row = rows_[parts.places[a]];
  std::vector<std::pair<std::uint32_t, PairSum>> fresh;
  bool vanished = false;
  std::size_t at = 0;
  for (std::size_t b = a; b < parts.places.size(); ++b, ++out) {
    const std::uint32_t column = parts.places[b];
    const double less =
        dot(parts.before.data() + a * width_, parts.before.data() + b * width_, width_);
    const double more =
        dot(parts.after.data() + a * width_, parts.after.data() + b * width_, width_);
    at = find_from(row.columns, at, column);
    const bool there = at < row.columns.size() && row.columns[at] == column;
    PairSum sum = there ? row.sums[at] : PairSum{};
    out->before = single(sum.sum);
    if (less > 0) --sum.users;
    if (more > 0) ++sum.users;
    const double old = sum.sum;
    sum.sum = sum.users == 0 ? 0.0 : old + (more - less);
    if (sum.users > 0 && sum.sum < small_pair_share * old) {
      sum = resum(parts.places[a], column);
    }
    out->after = single(sum.sum);
    if (there) {
      row.sums[at] = sum;
      vanished |= sum.users == 0;
    } else if (sum.users > 0) {
      fresh.emplace_back(column, sum);
    }
  }
  if (fresh.empty() && !vanished) return;
  Row next;
  next.columns.reserve(row.columns.size() + fresh.size());
  next.sums.reserve(row.columns.size() + fresh.size());
  auto in = fresh.begin();
  const auto take = [&](std::uint32_t column, const PairSum& sum) {
    next.columns.push_back(column);
    next.sums.push_back(sum);
  };
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    for (; in != fresh.end() && in->first < row.columns[k]; ++in) take(in->first, in->second);
    if (row.sums[k].users > 0) take(row.columns[k], row.sums[k]);
  }
  for (; in != fresh.end(); ++in) take(in->first, in->second);
  row = std::move(next);
}

void ExactSums::change(const ScaledRow& before, const ScaledRow& after, const Resum& resum,
                       std::vector<PairEdit>& edits) {
  const Parts parts(before, after, width_);
  const std::size_t n = parts.places.size();
  std::vector<Pair> pairs(n * (n + 1) / 2);  // the upper triangle, row by row
  const auto start = [n](std::size_t a) { return a * n - a * (a - 1) / 2; };
  for (std::size_t a = 0; a < n; ++a) change_row(parts, a, resum, pairs.data() + start(a));
  edits.reserve(edits.size() + n * n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const Pair& pair = pairs[start(std::min(a, b)) + (std::max(a, b) - std::min(a, b))];
      if (pair.before == 0 && pair.after == 0) continue;
      edits.push_back({parts.places[a], parts.places[b], pair.before, pair.after});
    }
  }
}

}  // namespace palate::live
