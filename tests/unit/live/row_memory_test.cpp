#include "live/row_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "base/random.hpp"

namespace palate::live {
namespace {

TEST(RowMemory, BlocksAreAlignedAndDoNotOverlap) {
  const auto memory = std::make_shared<RowMemory>();
  Random random(1);
  struct Held {
    std::shared_ptr<std::byte> block;
    std::size_t bytes;
    int mark;
  };
  std::vector<Held> held;
  for (int k = 0; k < 3000; ++k) {
    const std::size_t bytes = 1 + random.below(k % 100 == 0 ? 300000 : 20000);
    auto block = memory->take(bytes);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block.get()) % 64, 0U);
    std::memset(block.get(), k % 251, bytes);
    held.push_back({std::move(block), bytes, k % 251});
    if (held.size() < 200) continue;
    const std::size_t out = random.below(held.size());
    const Held& one = held[out];
    for (std::size_t b = 0; b < one.bytes; ++b) {
      ASSERT_EQ(std::to_integer<int>(one.block.get()[b]), one.mark);
    }
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(out));
  }
}

TEST(RowMemory, UsesAgainWhatIsGivenBack) {
  const auto memory = std::make_shared<RowMemory>();
  const std::byte* first = memory->take(5000).get();
  EXPECT_EQ(memory->take(5000).get(), first);
}

TEST(RowMemory, BlocksOutliveTheirOwnerAndComeBackFromAnyThread) {
  auto memory = std::make_shared<RowMemory>();
  auto block = memory->take(100);
  const std::weak_ptr<RowMemory> watched = memory;
  memory.reset();
  std::memset(block.get(), 1, 100);
  std::thread([&] { block.reset(); }).join();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace palate::live
