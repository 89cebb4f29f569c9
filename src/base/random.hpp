// Random numbers that are the same on every machine: the standard's engines are portable, but its
// distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace palate {

/// SplitMix64's finaliser: a good mix of 64 bits.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A seeded hash of a text (FNV-1a, then mixed), for choices that depend on ids alone.
[[nodiscard]] constexpr std::uint64_t hash64(std::string_view text, std::uint64_t seed) noexcept {
  std::uint64_t h = 0xcbf29ce484222325ULL ^ mix64(seed);
  for (const char ch : text) {
    h = (h ^ static_cast<unsigned char>(ch)) * 0x100000001b3ULL;
  }
  return mix64(h);
}

/// SplitMix64 as a generator.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(mix64(seed)) {}

  constexpr std::uint64_t bits() noexcept {
    const std::uint64_t out = mix64(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return out;
  }
  /// Uniform in [0, 1).
  constexpr double uniform() noexcept { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  /// Uniform in [0, n); 0 < n < 2^32. The bias is below 2^-32.
  constexpr std::uint64_t below(std::uint64_t n) noexcept { return ((bits() >> 32) * n) >> 32; }
  /// Standard normal: Box-Muller, one of the two values, so that nothing is carried between calls.
  double normal() noexcept {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace palate
