// What a write says that it did.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "unit/rating_store/store_under_test.hpp"

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using enum WriteEffect;

class EffectsTest : public StoreUnderTest {
 protected:
  static std::vector<WriteEffect> effects(RatingStore& store, std::vector<StoreWrite> writes) {
    return store.write(writes).effects;
  }
};
INSTANTIATE_TEST_SUITE_P(In, EffectsTest, ::testing::Values(Place::sqlite, Place::postgres),
                         place_name);

TEST_P(EffectsTest, NewThenChangedThenTheSameThenGone) {
  const auto store = open_with_criteria();
  EXPECT_THAT(effects(*store, {rating("u", "a", 4), StoredUser{"v"}, StoredItem{"b", "Title"}}),
              ElementsAre(created, created, created));
  EXPECT_THAT(effects(*store, {rating("u", "a", 4, 3), StoredUser{"v", "{\"x\": 1}"},
                               StoredItem{"b", "Other"}}),
              ElementsAre(changed, changed, changed));
  EXPECT_THAT(effects(*store, {rating("u", "a", 4, 3), StoredUser{"v", "{\"x\": 1}"},
                               StoredItem{"b", "Other"}}),
              ElementsAre(none, none, none));
  EXPECT_THAT(effects(*store, {rating("u", "a", 4, 3, 7)}), ElementsAre(changed));
  EXPECT_THAT(effects(*store, {RatingKey{"u", "a"}, DeleteUser{"v"}, DeleteItem{"b"}}),
              ElementsAre(deleted, deleted, deleted));
  EXPECT_THAT(effects(*store, {RatingKey{"u", "a"}, DeleteUser{"v"}, DeleteItem{"b"}}),
              ElementsAre(none, none, none));
  EXPECT_TRUE(effects(*store, {}).empty());
}

TEST_P(EffectsTest, WhatARatingMadeKnownIsThereAlready) {
  const auto store = open_with_criteria();
  EXPECT_THAT(effects(*store, {rating("u", "a", 4), StoredUser{"u"}, StoredItem{"a"},
                               StoredUser{"u", "{\"x\": 1}"}}),
              ElementsAre(created, none, none, changed));
}

TEST_P(EffectsTest, RepeatedRowsAreJudgedByWhatIsBeforeThem) {
  const auto store = open_with_criteria();
  write(*store, {rating("old", "a", 3)});
  EXPECT_THAT(effects(*store, {rating("u", "a", 1), rating("u", "a", 2), rating("u", "b", 5),
                               rating("u", "a", 2), rating("old", "a", 4), rating("old", "a", 3),
                               rating("u", "a", 1), rating("u", "b", 5)}),
              ElementsAre(created, changed, created, none, changed, changed, changed, none));
  EXPECT_THAT(store->ratings_of("u"), ElementsAre(rating("u", "a", 1), rating("u", "b", 5)));
  EXPECT_THAT(store->ratings_of("old"), ElementsAre(rating("old", "a", 3)));
  EXPECT_THAT(
      effects(*store, {RatingKey{"u", "a"}, RatingKey{"u", "a"}, rating("u", "a", 1),
                       RatingKey{"u", "a"}, DeleteUser{"u"}, DeleteUser{"u"}, rating("u", "b", 5)}),
      ElementsAre(deleted, none, created, deleted, deleted, none, created));
  EXPECT_THAT(effects(*store, {StoredItem{"c", "C"}, StoredItem{"c", "D"}, StoredItem{"c", "D"},
                               DeleteItem{"c"}, DeleteItem{"c"}}),
              ElementsAre(created, changed, none, deleted, none));
}

// Any writes to a few things, one by one in one store and in batches in another.
TEST_P(EffectsTest, ABatchDoesWhatItsWritesDoOneByOne) {
  const auto single = open_store((folder() / "single.db").string());
  single->set_criteria(std::vector<Criterion>{{"overall", 1, 5}, {"taste", 1, 5}});
  const auto batched = open_with_criteria();
  std::mt19937 random(14);
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  const auto any_write = [&]() -> StoreWrite {
    const std::string user = "u" + std::to_string(below(3));
    const std::string item = "i" + std::to_string(below(3));
    switch (below(9)) {
      case 0:
        return RatingKey{user, item};
      case 1:
        return StoredUser{user, below(2) == 0 ? "{}" : "{\"x\": 1}"};
      case 2:
        return StoredItem{item, below(2) == 0 ? "" : "Title"};
      case 3:
        if (below(3) == 0) return DeleteUser{user};
        return RatingKey{user, item};
      case 4:
        if (below(3) == 0) return DeleteItem{item};
        return RatingKey{user, item};
      default:
        return rating(user, item, static_cast<float>(below(2) + 1), below(2) == 0 ? absent : 4);
    }
  };
  for (int round = 0; round < 40; ++round) {
    std::vector<StoreWrite> writes;
    // Runs of one kind, as imports and groups of requests have them.
    while (writes.size() < 25) {
      const StoreWrite kind = any_write();
      for (int k = below(8); k >= 0;) {
        StoreWrite next = any_write();
        if (next.index() != kind.index()) continue;
        writes.push_back(std::move(next));
        --k;
      }
    }
    std::vector<WriteEffect> expected;
    for (const StoreWrite& one : writes) {
      expected.push_back(single->write(std::span(&one, 1)).effects.at(0));
    }
    ASSERT_THAT(batched->write(writes).effects, ElementsAreArray(expected)) << round;
    for (const std::string user : {"u0", "u1", "u2"}) {
      ASSERT_EQ(batched->ratings_of(user), single->ratings_of(user)) << round;
    }
  }
}

// Threads of two stores on one database, as two servers have them, create and delete the same
// things at once.
TEST_P(EffectsTest, OfManyWhoMakeTheSameThingOneIsTold) {
  open_with_criteria().reset();
  constexpr int rounds = 25;
  constexpr int threads_per_store = 4;
  const std::vector<std::shared_ptr<RatingStore>> stores = {open(), open()};
  std::vector<std::atomic<int>> made(rounds), unmade(rounds);
  std::atomic<int> ready = 0;
  const auto meet = [&](int target) {
    ++ready;
    while (ready < target) std::this_thread::yield();
  };
  const int all = static_cast<int>(stores.size()) * threads_per_store;
  const auto work = [&](RatingStore& store) {
    for (int round = 0; round < rounds; ++round) {
      const std::string id = std::to_string(round);
      meet((2 * round + 1) * all);
      for (const WriteEffect effect :
           effects(store, {rating("u" + id, "i", 4), StoredUser{"v" + id}, StoredItem{"j" + id}})) {
        if (effect == created) ++made[static_cast<std::size_t>(round)];
      }
      meet((2 * round + 2) * all);
      for (const WriteEffect effect :
           effects(store, {RatingKey{"u" + id, "i"}, DeleteUser{"v" + id}, DeleteItem{"j" + id}})) {
        if (effect == deleted) ++unmade[static_cast<std::size_t>(round)];
      }
    }
  };
  std::vector<std::thread> threads;
  for (const auto& store : stores) {
    for (int t = 0; t < threads_per_store; ++t) threads.emplace_back(work, std::ref(*store));
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t round = 0; round < rounds; ++round) {
    EXPECT_EQ(made[round], 3) << round;
    EXPECT_EQ(unmade[round], 3) << round;
  }
}

}  // namespace
}  // namespace palate::testing
