// CA-GF as plainly as it can be written: dense matrices in double precision, one formula after the
// other.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "palate/model.hpp"

namespace palate::testing {

using Matrix = std::vector<std::vector<double>>;

inline Matrix zeros(std::size_t rows, std::size_t columns) {
  return Matrix(rows, std::vector<double>(columns, 0.0));
}

inline double power_or_zero(double x, double exponent) {
  return x > 0 ? std::pow(x, exponent) : 0.0;
}

inline Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix out = zeros(a.size(), b.empty() ? 0 : b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (a[i][k] == 0) continue;
      for (std::size_t j = 0; j < out[i].size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

/// R_c as a dense matrix.
inline Matrix dense(const Ratings& ratings, std::size_t c) {
  Matrix out = zeros(ratings.users(), ratings.items());
  const std::size_t width = ratings.criteria().size();
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const UserRatings row = ratings.of(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      out[u][row.items[k]] = static_cast<double>(row.values[k * width + c]);
    }
  }
  return out;
}

/// P = Rn^T Rn of the stacked matrices.
inline Matrix graph(const std::vector<Matrix>& matrices) {
  const std::size_t items = matrices[0].empty() ? 0 : matrices[0][0].size();
  Matrix stacked;
  for (const Matrix& m : matrices) stacked.insert(stacked.end(), m.begin(), m.end());
  std::vector<double> by_item(items, 0.0);
  for (const auto& row : stacked) {
    for (std::size_t i = 0; i < items; ++i) by_item[i] += row[i];
  }
  Matrix out = zeros(items, items);
  for (const auto& row : stacked) {
    double by_user = 0;
    for (const double r : row) by_user += r;
    for (std::size_t i = 0; i < items; ++i) {
      if (row[i] == 0) continue;
      for (std::size_t j = 0; j < items; ++j) {
        if (row[j] == 0) continue;
        out[i][j] += row[i] * row[j] * power_or_zero(by_user, -1.0) *
                     power_or_zero(by_item[i], -0.5) * power_or_zero(by_item[j], -0.5);
      }
    }
  }
  return out;
}

/// sum_k a_k P_s^k
inline Matrix filter_matrix(const Filter& filter, Matrix p) {
  for (auto& row : p) {
    for (double& entry : row) entry = power_or_zero(entry, filter.power);
  }
  Matrix out = zeros(p.size(), p.size());
  Matrix power = p;
  for (std::size_t k = 0; k < filter.coefficients.size(); ++k) {
    if (k > 0) power = multiply(power, p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = 0; j < p.size(); ++j) out[i][j] += filter.coefficients[k] * power[i][j];
    }
  }
  return out;
}

/// Xn, the shares of the rating sums.
inline Matrix shares(const std::vector<Matrix>& matrices) {
  Matrix out = zeros(matrices[0].size(), matrices.size());
  for (std::size_t u = 0; u < out.size(); ++u) {
    double total = 0;
    for (std::size_t c = 0; c < matrices.size(); ++c) {
      for (const double r : matrices[c][u]) out[u][c] += r;
      total += out[u][c];
    }
    for (double& x : out[u]) x *= power_or_zero(total, -1.0);
  }
  return out;
}

/// Tb from the users of the graph.
inline Matrix adjusted_criteria(const std::vector<Matrix>& matrices, double power) {
  const Matrix x = shares(matrices);
  Matrix t = zeros(matrices.size(), matrices.size());
  for (const auto& row : x) {
    for (std::size_t a = 0; a < t.size(); ++a) {
      for (std::size_t b = 0; b < t.size(); ++b) t[a][b] += row[a] * row[b];
    }
  }
  for (auto& row : t) {
    for (double& entry : row) entry = power_or_zero(entry, power);
  }
  return t;
}

/// Scores users x items of the people in `who`, by the graph and the preference of the people in
/// `of`.
inline Matrix slow_scores(const Ratings& of, const Ratings& who, const std::vector<Filter>& filters,
                          std::optional<double> preference) {
  std::vector<Matrix> base;
  std::vector<Matrix> signal;
  for (std::size_t c = 0; c < filters.size(); ++c) {
    base.push_back(dense(of, c));
    signal.push_back(dense(who, c));
  }
  const Matrix p = graph(base);
  Matrix chat = Matrix(who.users(), std::vector<double>(filters.size(), 1.0));
  if (preference) chat = multiply(shares(signal), adjusted_criteria(base, *preference));
  Matrix out = zeros(who.users(), who.items());
  for (std::size_t c = 0; c < filters.size(); ++c) {
    const Matrix smooth = multiply(signal[c], filter_matrix(filters[c], p));
    for (std::size_t u = 0; u < out.size(); ++u) {
      for (std::size_t i = 0; i < out[u].size(); ++i) {
        out[u][i] += chat[u][c] * smooth[u][i] / static_cast<double>(filters.size());
      }
    }
  }
  return out;
}

/// By elimination with pivots, nothing like the code under test.
[[nodiscard]] inline Matrix inverse(Matrix a) {
  const std::size_t n = a.size();
  Matrix out = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) out[i][i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k; r < n; ++r) {
      if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
    }
    std::swap(a[k], a[pivot]);
    std::swap(out[k], out[pivot]);
    const double by = a[k][k];
    for (std::size_t c = 0; c < n; ++c) {
      a[k][c] /= by;
      out[k][c] /= by;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = a[r][k];
      if (r == k || factor == 0) continue;
      for (std::size_t c = 0; c < n; ++c) {
        a[r][c] -= factor * a[k][c];
        out[r][c] -= factor * out[k][c];
      }
    }
  }
  return out;
}

}  // namespace palate::testing
