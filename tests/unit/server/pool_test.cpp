#include "server/http/pool.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>

namespace palate::server {
namespace {

// Takes processor time, not just time.
void work_for(double seconds) {
  const double end = processor_seconds() + seconds;
  while (processor_seconds() < end) continue;
}

TEST(Pool, WhoTookLittleComesBeforeWhoTookMuch) {
  std::latch gate(1), done(41);
  std::string order;
  Pool pool(1, 100);
  ASSERT_TRUE(pool.submit([&] { gate.wait(); }, "first"));
  // The greedy one is there first, with all that it wants.
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(pool.submit(
        [&] {
          work_for(0.002);
          order += 'g';
          done.count_down();
        },
        "greedy"));
  }
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(pool.submit(
        [&] {
          order += 'm';
          done.count_down();
        },
        "modest"));
  }
  gate.count_down();
  done.arrive_and_wait();
  // One task of the greedy one may go first; then all of the other go, which cost nearly nothing.
  EXPECT_LE(order.find_last_of('m'), 25U) << order;
}

TEST(Pool, NoShareHasAllThreadsAtOnce) {
  std::latch gate(1);
  std::promise<void> served;
  Pool pool(3, 100);
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(pool.submit([&] { gate.wait(); }, "greedy"));
  }
  ASSERT_TRUE(pool.submit([&] { served.set_value(); }, "other"));
  served.get_future().wait();  // for ever, if the greedy one had all three
  gate.count_down();
}

TEST(Pool, AShareMayHaveOnlySoMuchWaiting) {
  std::latch begun(1), gate(1);
  Pool pool(1, 3);
  ASSERT_TRUE(pool.submit([&] {
    begun.count_down();
    gate.wait();
  }));
  begun.wait();
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(pool.submit([] {}, "one"));
  EXPECT_FALSE(pool.submit([] {}, "one"));
  EXPECT_TRUE(pool.submit([] {}, "two"));
  gate.count_down();
}

TEST(Pool, StoppingFinishesWhatWaits) {
  int done = 0;
  std::mutex mutex;
  Pool pool(4, 1000);
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(pool.submit(
        [&] {
          const std::lock_guard lock(mutex);
          ++done;
        },
        k % 3 == 0 ? "one" : "two"));
  }
  pool.stop();
  EXPECT_EQ(done, 500);
}

}  // namespace
}  // namespace palate::server
