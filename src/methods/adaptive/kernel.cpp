#include "methods/adaptive/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/graph/power.hpp"
#include "methods/linear/spd_inverse.hpp"

namespace palate {
namespace {

// Items whose rows are worked on together.
constexpr std::size_t rows_at_once = 64;

std::vector<double> diagonal_of(const ItemMatrix& matrix, std::size_t items) {
  std::vector<double> out(items);
  for (std::size_t i = 0; i < items; ++i) out[i] = static_cast<double>(matrix[i * items + i]);
  return out;
}

// K = N^s.
void turn_into_graph(const ItemMatrix& n, std::size_t items, double power, ThreadPool& pool) {
  if (power != 1) {
    pool.for_chunks(items, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t j = begin; j < end; ++j) {
        const auto row = n.span().subspan(j * items + j, items - j);
        kernels::power(row, power, row);
      }
    });
  }
  mirror(n, items, pool, [](float both, std::size_t) { return both; });
}

// M_ij + the ridge, right of the diagonal.
void prepare_ridge(const ItemMatrix& n, const std::vector<double>& diagonal,
                   const std::vector<double>& added, double power, ThreadPool& pool) {
  const std::size_t items = diagonal.size();
  std::vector<float> root(items);
  for (std::size_t i = 0; i < items; ++i) root[i] = static_cast<float>(std::sqrt(diagonal[i]));
  pool.for_chunks(items, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      const auto row = n.span().subspan(j * items, items);
      if (power != 1 && root[j] > 0) {
        for (std::size_t i = j; i < items; ++i) {
          if (row[i] != 0) row[i] /= root[j] * root[i];
        }
        kernels::power(row.subspan(j), power, row.subspan(j));
        for (std::size_t i = j; i < items; ++i) row[i] *= root[j] * root[i];
      }
      row[j] = static_cast<float>(diagonal[j] + added[j]);
    }
  });
}

}  // namespace

ItemMatrix gram(const Levels& levels, double user_power, double level_power,
                const FitResources& resources) {
  const std::size_t items = levels.items;
  const RatersByItem index = index_by_item(levels);
  const std::vector<float> entry = entries(levels, user_power, level_power);
  ItemMatrix out(items * items, Contents::any);
  std::vector<std::vector<double>> sums(resources.pool.size());
  resources.pool.for_chunks(items, 16, "graph", resources.progress,
                            [&](std::size_t first, std::size_t last, unsigned worker) {
                              std::vector<double>& sum = sums[worker];
                              sum.resize(items);
                              for (std::size_t j = first; j < last; ++j) {
                                std::fill(sum.begin() + static_cast<std::ptrdiff_t>(j), sum.end(),
                                          0.0);
                                for (const auto& [place, begin, end] : index.of(j)) {
                                  const auto own = static_cast<double>(entry[place]);
                                  for (std::uint64_t at = place; at < end; ++at) {
                                    sum[levels.columns[at]] += own * static_cast<double>(entry[at]);
                                  }
                                }
                                for (std::size_t i = j; i < items; ++i)
                                  out[j * items + i] = static_cast<float>(sum[i]);
                              }
                            });
  return out;
}

std::vector<double> ridge(const std::vector<double>& diagonal,
                          const std::vector<std::uint32_t>& raters, const Adaptive& settings) {
  const auto items = static_cast<double>(diagonal.size());
  const double strength =
      settings.lambda * std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / items;
  const double mean = std::accumulate(raters.begin(), raters.end(), 0.0) / items;
  std::vector<double> out(diagonal.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double count = std::max<double>(raters[i], 1);
    out[i] = strength * std::pow(count / mean, settings.lambda_power);
  }
  return out;
}

void turn_into_kernel(const ItemMatrix& n, const std::vector<std::uint32_t>& raters,
                      const Adaptive& settings, const FitResources& resources) {
  const std::size_t items = raters.size();
  ThreadPool& pool = resources.pool;
  if (settings.weights == Adaptive::Weights::graph) {
    turn_into_graph(n, items, settings.link_power, pool);
    return;
  }
  const std::vector<double> diagonal = diagonal_of(n, items);
  prepare_ridge(n, diagonal, ridge(diagonal, raters, settings), settings.link_power, pool);
  // Right of the diagonal, row after row, is the lower triangle, column after column.
  invert_spd(n.span(), items, resources);
  std::vector<float> inverse(items);
  for (std::size_t i = 0; i < items; ++i) inverse[i] = -1.0F / n[i * items + i];
  mirror(n, items, pool, [&](float both, std::size_t i) { return both * inverse[i]; });
  for (std::size_t i = 0; i < items; ++i) n[i * items + i] = 0;
}

std::vector<float> item_factors(const std::vector<std::uint32_t>& raters, double power) {
  std::vector<float> out(raters.size(), 0.0F);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (raters[i] > 0) out[i] = static_cast<float>(std::pow(raters[i], -power));
  }
  return out;
}

}  // namespace palate
