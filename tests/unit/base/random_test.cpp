#include "base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace palate {
namespace {

// The pinned values were computed from the definitions in Python; mix64(0) is also the first value
// of SplitMix64 with seed 0.
TEST(Random, MixAndHashArePinned) {
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mix64(1), 0x910a2dec89025cc1ULL);
  EXPECT_EQ(mix64(~0ULL), 0xe4d971771b652c20ULL);
  EXPECT_EQ(hash64("", 0), 0x5b21f68ffa77f14cULL);
  EXPECT_EQ(hash64("u42", 7), 0x966787330939fe98ULL);
  EXPECT_EQ(hash64("señor", 7), 0x49776ec5ff37f67fULL);
  EXPECT_EQ(hash64("u42", 8), 0x0db0420160701d04ULL);
}

TEST(Random, SequenceIsPinned) {
  Random bits(7);
  EXPECT_EQ(bits.bits(), 0xb8b4c2977eabce45ULL);
  EXPECT_EQ(bits.bits(), 0xa65305fd338ec8feULL);
  EXPECT_EQ(bits.bits(), 0x8ca3cbb6ca63129bULL);
  Random uniform(7);
  EXPECT_EQ(uniform.uniform(), 0.7215081806049702);
  EXPECT_EQ(uniform.uniform(), 0.6497043364684557);
  Random below(7);
  for (const std::uint64_t expected : {721, 649, 549, 604, 348, 182}) {
    EXPECT_EQ(below.below(1000), expected);
  }
  Random normal(7);
  EXPECT_NEAR(normal.normal(), -0.9422576653840772, 1e-12);
  EXPECT_NEAR(normal.normal(), -1.0013831968636933, 1e-12);
  EXPECT_NEAR(normal.normal(), 0.38178265192226435, 1e-12);
}

TEST(Random, IsUsableAtCompileTime) {
  constexpr std::uint64_t first = [] { return Random(7).bits(); }();
  static_assert(first == 0xb8b4c2977eabce45ULL);
  static_assert(hash64("a", 1) != hash64("b", 1));
}

TEST(Random, HashTellsTextsAndSeedsApart) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (int k = 0; k < 1000; ++k) seen.insert(hash64("user" + std::to_string(k), seed));
  }
  EXPECT_EQ(seen.size(), 20000U);
  const std::string with_zero("a\0b", 3);
  EXPECT_NE(hash64(with_zero, 1), hash64("a", 1));
}

TEST(Random, NeighbouringSeedsGiveUnrelatedSequences) {
  // The correlation of n pairs of independent uniforms has a deviation of 1 / sqrt(n).
  constexpr int n = 20000;
  Random a(1);
  Random b(2);
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  EXPECT_LT(std::abs(sum / n * 12), 5 / std::sqrt(n));
}

TEST(Random, UniformIsEvenInTheUnitInterval) {
  constexpr int n = 100000;
  constexpr int bins = 20;
  std::array<int, bins> count{};
  Random random(11);
  for (int k = 0; k < n; ++k) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    ++count[static_cast<std::size_t>(x * bins)];
  }
  constexpr double expected = static_cast<double>(n) / bins;
  double chi_square = 0;
  for (const int c : count) chi_square += std::pow(c - expected, 2) / expected;
  EXPECT_LT(chi_square, 43.8);  // 99.9 % point, 19 degrees of freedom
}

TEST(Random, BelowReachesEveryValueEquallyOften) {
  constexpr int n = 70000;
  std::array<int, 7> count{};
  Random random(12);
  for (int k = 0; k < n; ++k) {
    const std::uint64_t x = random.below(7);
    ASSERT_LT(x, 7U);
    ++count[x];
  }
  constexpr double expected = n / 7.0;
  double chi_square = 0;
  for (const int c : count) chi_square += std::pow(c - expected, 2) / expected;
  EXPECT_LT(chi_square, 22.5);  // 99.9 % point, 6 degrees of freedom
}

TEST(Random, BelowKeepsItsBoundAtTheExtremes) {
  constexpr std::uint64_t largest = 0xffffffffULL;
  Random random(13);
  bool upper_half = false;
  for (int k = 0; k < 1000; ++k) {
    EXPECT_EQ(random.below(1), 0U);
    const std::uint64_t x = random.below(largest);
    EXPECT_LT(x, largest);
    upper_half = upper_half || x > largest / 2;
  }
  EXPECT_TRUE(upper_half);
}

TEST(Random, NormalHasTheMomentsOfAStandardNormal) {
  constexpr int n = 100000;
  Random random(14);
  double mean = 0;
  double square = 0;
  double cube = 0;
  double fourth = 0;
  int beyond_two = 0;
  for (int k = 0; k < n; ++k) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    mean += x / n;
    square += x * x / n;
    cube += x * x * x / n;
    fourth += x * x * x * x / n;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  // Five deviations of each estimate: variances 1, 2, 15 and 96 over n.
  const double unit = 5 / std::sqrt(n);
  EXPECT_NEAR(mean, 0, unit);
  EXPECT_NEAR(square, 1, unit * std::sqrt(2.0));
  EXPECT_NEAR(cube, 0, unit * std::sqrt(15.0));
  EXPECT_NEAR(fourth, 3, unit * std::sqrt(96.0));
  EXPECT_NEAR(beyond_two / static_cast<double>(n), 0.0455, unit * 0.21);
}

}  // namespace
}  // namespace palate
