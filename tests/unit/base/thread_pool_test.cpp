#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "palate/error.hpp"

namespace palate {
namespace {

using Chunks = std::multiset<std::pair<std::size_t, std::size_t>>;

Chunks chunks_of(ThreadPool& pool, std::size_t count, std::size_t grain) {
  Chunks chunks;
  std::mutex mutex;
  pool.for_chunks(count, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    const std::lock_guard lock(mutex);
    chunks.emplace(begin, end);
  });
  return chunks;
}

class ThreadPoolOf : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, ::testing::Values(1, 2, 3, 8));

TEST_P(ThreadPoolOf, HasTheSizeAskedFor) { EXPECT_EQ(ThreadPool(GetParam()).size(), GetParam()); }

TEST_P(ThreadPoolOf, VisitsEveryIndexOnce) {
  ThreadPool pool(GetParam());
  for (const std::size_t count : {0, 1, 2, 7, 64, 1000}) {
    for (const std::size_t grain : {1, 3, 64, 5000}) {
      std::vector<std::atomic<int>> visits(count);
      pool.for_chunks(count, grain, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t k = begin; k < end; ++k) ++visits[k];
      });
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(visits[k], 1) << k << " of " << count << " by " << grain;
      }
    }
  }
}

TEST_P(ThreadPoolOf, ChunkBordersDependOnCountAndGrainAlone) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(chunks_of(pool, 10, 4), (Chunks{{0, 4}, {4, 8}, {8, 10}}));
  EXPECT_EQ(chunks_of(pool, 8, 4), (Chunks{{0, 4}, {4, 8}}));
  EXPECT_EQ(chunks_of(pool, 3, 4), (Chunks{{0, 3}}));
  EXPECT_EQ(chunks_of(pool, 0, 4), Chunks{});
}

TEST_P(ThreadPoolOf, HugeGrainIsOneChunk) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(chunks_of(pool, 10, std::numeric_limits<std::size_t>::max()), (Chunks{{0, 10}}));
}

TEST_P(ThreadPoolOf, GrainOfZeroCountsAsOne) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(chunks_of(pool, 3, 0), (Chunks{{0, 1}, {1, 2}, {2, 3}}));
}

TEST_P(ThreadPoolOf, WorkerMayIndexScratchMemory) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> inside(pool.size());
  std::vector<std::size_t> sums(pool.size());  // not atomic: one chunk at a time per worker
  std::atomic<bool> shared{false};
  pool.for_chunks(10000, 1, [&](std::size_t begin, std::size_t, unsigned worker) {
    ASSERT_LT(worker, pool.size());
    if (++inside[worker] != 1) shared = true;
    sums[worker] += begin;
    --inside[worker];
  });
  EXPECT_FALSE(shared);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::size_t{0}), 10000U * 9999U / 2);
}

TEST_P(ThreadPoolOf, ExceptionOfABodyArrivesAtTheCaller) {
  ThreadPool pool(GetParam());
  try {
    pool.for_chunks(1000, 1, [](std::size_t begin, std::size_t, unsigned) {
      if (begin == 500) throw std::out_of_range("at 500");
    });
    ADD_FAILURE() << "no exception";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "at 500");
  }
}

TEST_P(ThreadPoolOf, NobodyRunsAfterAnExceptionHasArrived) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> running{0};
    EXPECT_THROW(pool.for_chunks(100, 1,
                                 [&](std::size_t, std::size_t, unsigned) {
                                   ++running;
                                   std::this_thread::yield();
                                   --running;
                                   throw std::runtime_error("each of them");
                                 }),
                 std::runtime_error);
    EXPECT_EQ(running, 0);
  }
}

TEST_P(ThreadPoolOf, IsUsableAfterAnException) {
  ThreadPool pool(GetParam());
  const auto fail = [](std::size_t, std::size_t, unsigned) { throw std::runtime_error("x"); };
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.for_chunks(10, 1, fail), std::runtime_error);
    EXPECT_EQ(chunks_of(pool, 100, 1).size(), 100U);
  }
}

TEST_P(ThreadPoolOf, ManyShortLoopsInARow) {
  ThreadPool pool(GetParam());
  std::atomic<std::size_t> total{0};
  for (int round = 0; round < 2000; ++round) {
    pool.for_chunks(3, 1, [&](std::size_t, std::size_t, unsigned) { ++total; });
  }
  EXPECT_EQ(total, 6000U);
}

TEST_P(ThreadPoolOf, LoopsOfSeveralCallersDoNotMix) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> seen(4);
  {
    std::vector<std::jthread> callers;
    for (std::size_t caller = 0; caller < seen.size(); ++caller) {
      callers.emplace_back([&, caller] { seen[caller] = chunks_of(pool, 100 + caller, 1).size(); });
    }
  }
  EXPECT_EQ(seen, (std::vector<std::size_t>{100, 101, 102, 103}));
}

TEST_P(ThreadPoolOf, BodyMayUseAPoolOfItsOwn) {
  ThreadPool outer(GetParam());
  std::atomic<std::size_t> total{0};
  outer.for_chunks(6, 1, [&](std::size_t, std::size_t, unsigned) {
    ThreadPool inner(2);
    inner.for_chunks(50, 7,
                     [&](std::size_t begin, std::size_t end, unsigned) { total += end - begin; });
  });
  EXPECT_EQ(total, 300U);
}

TEST_P(ThreadPoolOf, ProgressComesFromTheCallingThreadAndNeverGoesBack) {
  ThreadPool pool(GetParam());
  const auto caller = std::this_thread::get_id();
  std::uint64_t before = 0;
  int calls = 0;
  pool.for_chunks(
      200, 1, "graph",
      [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(stage, "graph");
        EXPECT_EQ(total, 200U);
        EXPECT_GE(done, before);
        EXPECT_LE(done, total);
        before = done;
        ++calls;
        return true;
      },
      [](std::size_t, std::size_t, unsigned) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
  EXPECT_GE(calls, 1);
}

TEST_P(ThreadPoolOf, EmptyProgressIsAllowed) {
  ThreadPool pool(GetParam());
  std::atomic<std::size_t> total{0};
  pool.for_chunks(10, 1, "graph", Progress(), [&](std::size_t, std::size_t, unsigned) { ++total; });
  EXPECT_EQ(total, 10U);
}

TEST_P(ThreadPoolOf, ProgressThatSaysStopEndsTheLoopEarly) {
  ThreadPool pool(GetParam());
  constexpr std::size_t count = 20000;
  std::atomic<std::size_t> visits{0};
  try {
    pool.for_chunks(
        count, 1, "graph", [](auto, auto, auto) { return false; },
        [&](std::size_t, std::size_t, unsigned) {
          ++visits;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
    ADD_FAILURE() << "not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_LT(visits, count);
  EXPECT_EQ(chunks_of(pool, 100, 1).size(), 100U);
}

TEST_P(ThreadPoolOf, ExceptionOfTheProgressCallbackArrivesAtTheCaller) {
  ThreadPool pool(GetParam());
  const Progress fail = [](auto, auto, auto) -> bool { throw std::logic_error("display"); };
  EXPECT_THROW(pool.for_chunks(10, 1, "graph", fail, [](std::size_t, std::size_t, unsigned) {}),
               std::logic_error);
  EXPECT_EQ(chunks_of(pool, 100, 1).size(), 100U);
}

TEST_P(ThreadPoolOf, LoopsThatTellNothingAskTheWatchWhetherToGoOn) {
  std::string last;
  ThreadPool pool(
      GetParam(),
      [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
        last = std::string(stage) + " " + std::to_string(done) + "/" + std::to_string(total);
        return false;
      },
      "begin");
  const auto slow = [](std::size_t, std::size_t, unsigned) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const auto stopped = [&] {
    try {
      pool.for_chunks(20000, 1, slow);
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::cancelled;
    }
  };
  EXPECT_TRUE(stopped());
  EXPECT_EQ(last, "begin 0/0");
  pool.for_chunks(
      7, 1, "graph", [](auto, auto, auto) { return true; }, slow);
  EXPECT_TRUE(stopped());
  EXPECT_TRUE(last.starts_with("graph ") && last.ends_with("/7")) << last;
}

TEST(ThreadPool, ZeroMeansAtLeastOneThread) { EXPECT_GE(ThreadPool(0).size(), 1U); }

TEST(ThreadPool, OneThreadIsTheCallingThread) {
  ThreadPool pool(1);
  const auto caller = std::this_thread::get_id();
  pool.for_chunks(10, 1, [&](std::size_t, std::size_t, unsigned worker) {
    EXPECT_EQ(worker, 0U);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ThreadPool, SeveralThreadsRunAtTheSameTime) {
  ThreadPool pool(2);
  // Each of the two chunks waits until the other has begun.
  std::atomic<int> begun{0};
  pool.for_chunks(2, 1, [&](std::size_t, std::size_t, unsigned) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace palate
