// Large memory that is given back and used again.
#include "base/huge_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "palate/memory.hpp"

namespace palate {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

bool all_zero(std::span<const unsigned char> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char b) { return b == 0; });
}

// Small, just below and above what comes straight from the system, and large.
const std::vector<std::size_t> sizes = {
    1, 63, 4096, mebibyte / 2 - 1, mebibyte, 3 * mebibyte, 9 * mebibyte + 5};

TEST(HugeBuffer, IsZeroAlsoWhereMemoryWasUsedBefore) {
  for (const std::size_t size : sizes) {
    for (int round = 0; round < 3; ++round) {
      const HugeBuffer<unsigned char> buffer(size);
      ASSERT_EQ(buffer.size(), size);
      ASSERT_TRUE(all_zero(buffer.span())) << size << " bytes, round " << round;
      std::memset(buffer.data(), 0xEE, size);
    }
    // A little smaller: it may get the same pages.
    ASSERT_TRUE(all_zero(HugeBuffer<unsigned char>(size - size / 4).span()));
  }
}

TEST(HugeBuffer, IsAlignedForAnyVector) {
  for (const std::size_t size : sizes) {
    for (const Contents contents : {Contents::zero, Contents::any}) {
      const HugeBuffer<float> buffer(size, contents);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U) << size;
    }
  }
}

TEST(HugeBuffer, OnlyWhatIsForgottenIsGone) {
  for (const std::size_t size : {std::size_t{5000}, 9 * mebibyte + 5}) {
    const HugeBuffer<unsigned char> buffer(size);
    std::memset(buffer.data(), 7, size);
    buffer.forget(size / 4 + 1, size / 2);
    const auto is = [](unsigned char b) { return b == 7; };
    EXPECT_TRUE(std::ranges::all_of(buffer.span().first(size / 4 + 1), is));
    EXPECT_TRUE(std::ranges::all_of(buffer.span().subspan(size / 4 + 1 + size / 2), is));
    std::memset(buffer.data(), 8, size);
    EXPECT_EQ(buffer[size / 2], 8);
  }
}

TEST(HugeBuffer, TwoAtATimeNeverShare) {
  std::vector<HugeBuffer<std::uint32_t>> buffers;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t k = 0; k < 12; ++k) {
      buffers.emplace_back(mebibyte, Contents::any);
      std::ranges::fill(buffers.back().span(), k);
    }
    for (std::uint32_t k = 0; k < 12; ++k) {
      EXPECT_TRUE(std::ranges::all_of(buffers[k].span(), [k](std::uint32_t v) { return v == k; }));
    }
    buffers.clear();
  }
}

TEST(HugeBuffer, ItsOwnerKeepsTheMemory) {
  std::shared_ptr<void> owner;
  std::span<int> numbers;
  {
    const HugeBuffer<int> buffer(mebibyte);
    buffer[mebibyte - 1] = 42;
    owner = buffer.owner();
    numbers = buffer.span();
  }
  const HugeBuffer<int> other(mebibyte);  // must not get the same
  EXPECT_EQ(other[mebibyte - 1], 0);
  EXPECT_EQ(numbers[mebibyte - 1], 42);
}

// What the process has mapped, in bytes.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

TEST(ReleaseMemory, GivesBackWhatIsKeptAndNothingElse) {
  const HugeBuffer<int> in_use(4 * mebibyte);
  std::ranges::fill(in_use.span(), 42);
  static_cast<void>(release_memory());
  for (const std::size_t size : {8 * mebibyte, 40 * mebibyte}) {  // kept in two ways
    static_cast<void>(HugeBuffer<int>(size / sizeof(int)));
  }
  const std::size_t before = address_space();
  const std::size_t given_back = release_memory();
  EXPECT_GE(given_back, 48 * mebibyte);
  EXPECT_LE(address_space() + given_back, before);
  EXPECT_EQ(release_memory(), 0U) << "there is no more";
  EXPECT_TRUE(std::ranges::all_of(in_use.span(), [](int v) { return v == 42; }));
  EXPECT_TRUE(all_zero(HugeBuffer<unsigned char>(8 * mebibyte).span())) << "and can be had again";
}

TEST(HugeBuffer, NothingIsFine) {
  EXPECT_EQ(HugeBuffer<float>().size(), 0U);
  EXPECT_EQ(HugeBuffer<float>(0).size(), 0U);
}

}  // namespace
}  // namespace palate
