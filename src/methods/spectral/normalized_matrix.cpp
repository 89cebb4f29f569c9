#include "methods/spectral/normalized_matrix.hpp"

#include <cmath>
#include <numeric>

namespace palate {
namespace {

SparseRows<double> turned(const SparseRows<double>& m, std::size_t columns) {
  SparseRows<double> out;
  out.offsets.assign(columns + 1, 0);
  for (const std::uint32_t c : m.columns) ++out.offsets[c + 1];
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  out.columns.resize(m.columns.size());
  out.values.resize(m.values.size());
  std::vector<std::uint64_t> next(out.offsets.begin(), out.offsets.end() - 1);
  for (std::size_t r = 0; r < m.rows(); ++r) {
    for (std::uint64_t n = m.offsets[r]; n < m.offsets[r + 1]; ++n) {
      const std::uint64_t at = next[m.columns[n]]++;
      out.columns[at] = static_cast<std::uint32_t>(r);
      out.values[at] = m.values[n];
    }
  }
  return out;
}

}  // namespace

Block multiply(const SparseRows<double>& m, const Block& x, ThreadPool& pool) {
  Block out = Block::Zero(static_cast<Eigen::Index>(m.rows()), x.cols());
  pool.for_chunks(m.rows(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t r = begin; r < end; ++r) {
      auto row = out.row(static_cast<Eigen::Index>(r));
      for (std::uint64_t n = m.offsets[r]; n < m.offsets[r + 1]; ++n) {
        row += m.values[n] * x.row(static_cast<Eigen::Index>(m.columns[n]));
      }
    }
  });
  return out;
}

std::vector<double> powers(std::span<const double> x, double power, double added) {
  std::vector<double> out;
  out.reserve(x.size());
  for (const double value : x) out.push_back(value > 0 ? std::pow(value + added, power) : 0.0);
  return out;
}

NormalizedMatrix normalized(const Ratings& ratings, std::size_t criterion, const GraphInput& input,
                            const Normalization& by, const RatingWeight& weight) {
  const std::size_t width = ratings.criteria().size();
  NormalizedMatrix out;
  out.user_sums.assign(ratings.users(), 0.0);
  out.item_sums.assign(ratings.items(), 0.0);
  SparseRows<double>& rows = out.by_user;
  rows.offsets.push_back(0);
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings row = ratings.of(user);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if ((row.present[k] >> criterion & 1U) == 0) continue;
      const double value =
          input.of(row.values[k * width + criterion]) * (weight ? weight(row, k) : 1.0);
      if (!(value > 0)) continue;
      rows.columns.push_back(row.items[k]);
      rows.values.push_back(value);
      out.user_sums[user] += value;
      out.item_sums[row.items[k]] += value;
    }
    rows.offsets.push_back(rows.columns.size());
  }
  const std::vector<double> users = powers(out.user_sums, -by.user_power, by.added);
  const std::vector<double> items = powers(out.item_sums, -by.item_power, by.added);
  for (std::size_t user = 0; user < rows.rows(); ++user) {
    for (std::uint64_t n = rows.offsets[user]; n < rows.offsets[user + 1]; ++n) {
      rows.values[n] *= users[user] * items[rows.columns[n]];
    }
  }
  out.by_item = turned(rows, ratings.items());
  return out;
}

}  // namespace palate
