#include "methods/linear/short_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace palate {
namespace {

constexpr std::size_t rows_at_once = 64;

// max_j |w_ji| of each column.
std::vector<float> largest_of_columns(std::span<const float> weights, std::size_t items,
                                      ThreadPool& pool) {
  std::vector<std::vector<float>> of_worker(pool.size());
  pool.for_chunks(items, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned worker) {
    std::vector<float>& most = of_worker[worker];
    most.resize(items);
    for (std::size_t j = begin; j < end; ++j) {
      const float* row = weights.data() + j * items;
      for (std::size_t i = 0; i < items; ++i) most[i] = std::max(most[i], std::abs(row[i]));
    }
  });
  std::vector<float> out(items, 0.0F);
  for (const std::vector<float>& most : of_worker) {
    for (std::size_t i = 0; i < most.size(); ++i) out[i] = std::max(out[i], most[i]);
  }
  return out;
}

// The nearest whole number, ties to the even one; |value| < 2^15. Next to 1.5 * 2^23 floats are
// whole numbers, so that the addition rounds, and the number stands in the last bits.
std::int16_t nearest(float value) {
  return static_cast<std::int16_t>(std::bit_cast<std::uint32_t>(value + 0x1.8p23F));
}

}  // namespace

ShortWeights to_short_weights(const HugeBuffer<float>& weights, std::size_t items,
                              ThreadPool& pool) {
  std::vector<float> factors = largest_of_columns(weights.span(), items, pool);
  std::vector<float> inverse(items);
  for (std::size_t i = 0; i < items; ++i) {
    const float largest = std::max(factors[i], 0x1p-100F);
    factors[i] = largest / 32767;
    inverse[i] = 32767 / largest;
  }
  const HugeBuffer<std::int16_t> numbers(items * items, Contents::any);
  pool.for_chunks(items, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      const float* row = weights.data() + j * items;
      std::int16_t* out = numbers.data() + j * items;
      for (std::size_t i = 0; i < items; ++i) out[i] = nearest(row[i] * inverse[i]);
    }
    weights.forget(begin * items, (end - begin) * items);
  });
  return {Array<std::int16_t>(numbers), std::move(factors)};
}

}  // namespace palate
