// Made-up packed rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "kernels/graph/packed_row.hpp"

namespace palate::kernels {

inline constexpr float absent = -1e30F;

// Rows of sums with shifts per column, packed as they are told apart.
struct Packed {
  std::size_t blocks = 0;
  std::vector<float> sums;  // 0: no link
  std::vector<std::uint16_t> masks;
  std::vector<float> logs;
  std::vector<float> shift;
  std::size_t links = 0;

  [[nodiscard]] PackedRow row() const { return {masks.data(), logs.data()}; }
  [[nodiscard]] double power(std::size_t j, double s) const {
    if (!(sums[j] > 0)) return 0;
    return std::pow(static_cast<double>(sums[j]), s) * std::exp2(s * static_cast<double>(shift[j]));
  }
};

// Whole blocks empty and full among them.
inline Packed random_row(std::size_t blocks, double density, std::uint64_t seed) {
  Random random(seed);
  Packed out;
  out.blocks = blocks;
  out.sums.resize(blocks * block_width, 0.0F);
  for (std::size_t b = 0; b < blocks; ++b) {
    const double share = b % 5 == 3 ? 0.0 : b % 5 == 4 ? 1.0 : density;
    for (std::size_t j = 0; j < block_width; ++j) {
      if (random.uniform() < share) {
        out.sums[b * block_width + j] = static_cast<float>(std::exp(12 * random.uniform() - 8));
      }
    }
  }
  for (std::size_t j = 0; j < out.sums.size(); ++j) {
    out.shift.push_back(static_cast<float>(-6 * random.uniform()));
  }
  out.masks.resize(blocks);
  out.logs.resize(out.sums.size() + block_width, 77.0F);
  std::vector<float> sums = out.sums;
  std::vector<float> tops(sums.size());
  std::vector<std::uint32_t> counts(sums.size());
  out.links = pack_row(sums, 1.0F, tops.data(), counts.data(), out.masks.data(), out.logs.data());
  logs_of(std::span(out.logs).first(out.links), out.logs.data(), false);
  return out;
}

}  // namespace palate::kernels
