#include <atomic>
#include <map>
#include <pqxx/pqxx>
#include <random>
#include <set>
#include <thread>

#include "support/errors.hpp"
#include "unit/rating_store/store_under_test.hpp"

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using Kind = StoreChange::Kind;

class ChangesTest : public StoreUnderTest {};
INSTANTIATE_TEST_SUITE_P(In, ChangesTest, ::testing::Values(Place::sqlite, Place::postgres),
                         place_name);

// What somebody knows who only follows.
class Follower {
 public:
  explicit Follower(const RatingStore& store) : store_(store) { begin(); }

  /// Takes what is new, in pages; says how often it had to begin anew.
  int follow() {
    int begun = 0;
    for (;;) {
      const auto changes = store_.changes_after(sequence_, 7);
      if (!changes || nameless(*changes)) {
        begin();
        ++begun;
        continue;
      }
      if (changes->empty()) return begun;
      for (const StoreChange& change : *changes) take(change);
    }
  }

  [[nodiscard]] const auto& users() const { return users_; }
  [[nodiscard]] const auto& items() const { return items_; }
  [[nodiscard]] const auto& ratings() const { return ratings_; }

 private:
  using Key = std::pair<std::string, std::string>;

  static bool nameless(const std::vector<StoreChange>& changes) {
    return std::ranges::any_of(changes, [](const StoreChange& change) {
      return change.kind == Kind::user_deleted && change.user.empty();
    });
  }

  void begin() {
    users_.clear();
    items_.clear();
    ratings_.clear();
    const auto all = store_.read_all();
    sequence_ = all.sequence;
    const Ratings& r = all.ratings;
    for (std::uint32_t i = 0; i < r.items(); ++i) items_.emplace(r.item_id(i));
    for (std::uint32_t u = 0; u < r.users(); ++u) {
      users_.emplace(r.user_id(u));
      const UserRatings of = r.of(u);
      for (std::size_t k = 0; k < of.size(); ++k) {
        ratings_[{std::string(r.user_id(u)), std::string(r.item_id(of.items[k]))}] =
            of.values[k * r.criteria().size()];
      }
    }
  }

  void take(const StoreChange& change) {
    ASSERT_GT(change.sequence, sequence_);
    sequence_ = change.sequence;
    switch (change.kind) {
      case Kind::user:
        users_.insert(change.user);
        break;
      case Kind::item:
        items_.insert(change.item);
        break;
      case Kind::rating:
        if (!change.rating) {
          ratings_.erase({change.user, change.item});
          break;
        }
        users_.insert(change.user);
        items_.insert(change.item);
        ratings_[{change.user, change.item}] = change.rating->values[0];
        break;
      case Kind::user_deleted:
        users_.erase(change.user);
        std::erase_if(ratings_, [&](const auto& one) { return one.first.first == change.user; });
        break;
      case Kind::item_deleted:
        items_.erase(change.item);
        std::erase_if(ratings_, [&](const auto& one) { return one.first.second == change.item; });
        break;
    }
  }

  const RatingStore& store_;
  std::uint64_t sequence_ = 0;
  std::set<std::string> users_, items_;
  std::map<Key, float> ratings_;
};

std::vector<StoreWrite> random_writes(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<StoreWrite> writes;
  for (int k = pick(3); k >= 0; --k) {
    const std::string user = "u" + std::to_string(pick(12));
    const std::string item = "i" + std::to_string(pick(8));
    const int what = pick(20);
    if (what < 13) {
      writes.emplace_back(rating(user, item, static_cast<float>(pick(5) + 1)));
    } else if (what < 17) {
      writes.emplace_back(RatingKey{user, item});
    } else if (what == 17) {
      writes.emplace_back(DeleteUser{user});
    } else if (what == 18) {
      writes.emplace_back(DeleteItem{item});
    } else {
      writes.emplace_back(StoredUser{user, "{\"n\": " + std::to_string(pick(100)) + "}"});
    }
  }
  return writes;
}

// Sequences that become visible out of order would be missed here.
TEST_P(ChangesTest, AFollowerOfManyWritersEndsWithWhatIsThere) {
  const auto first = open_with_criteria();
  const auto second = open();
  const auto watched = open();
  Follower follower(*watched);
  std::atomic<int> running = 4;
  std::vector<std::thread> writers;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    writers.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int k = 0; k < 60; ++k) (seed % 2 == 0 ? first : second)->write(random_writes(random));
      --running;
    });
  }
  int begun = 0;
  while (running > 0) begun += follower.follow();
  for (std::thread& writer : writers) writer.join();
  begun += follower.follow();

  const Follower fresh(*first);
  EXPECT_EQ(follower.users(), fresh.users());
  EXPECT_EQ(follower.items(), fresh.items());
  EXPECT_EQ(follower.ratings(), fresh.ratings());
  // Somebody who comes and goes between two looks cannot be named; the rest can.
  EXPECT_LT(begun, 60);
}

TEST_P(ChangesTest, AreInOrderWithWhoAndWhatTheyConcern) {
  const auto store = open_with_criteria();
  const std::uint64_t start = store->last_sequence();
  write(*store, {rating("u", "a", 4, 2)});
  write(*store, {StoredItem{"a", "Title", "{}"}, RatingKey{"u", "a"}});
  const auto changes = store->changes_after(start, 100);
  ASSERT_TRUE(changes.has_value());
  std::vector<Kind> kinds;
  for (const StoreChange& change : *changes) kinds.push_back(change.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::user, Kind::item, Kind::rating));
  EXPECT_EQ(changes->back().user, "u");
  EXPECT_EQ(changes->back().item, "a");
  EXPECT_EQ(changes->back().rating, std::nullopt);
  EXPECT_EQ(changes->back().sequence, store->last_sequence());
  EXPECT_EQ(store->changes_after(start, 2)->size(), 2U);
}

TEST_P(ChangesTest, ADeletedUserLeavesNoTraceAndFollowersLearnOfIt) {
  const std::string id = "someone-quite-unmistakable";
  const auto store = open_with_criteria();
  const auto follower = open();
  write(*store, {rating(id, "a", 4), rating(id, "b", 4), rating("v", "a", 1),
                 StoredUser{id, "{\"mail\": \"unmistakable@example.org\"}"}});
  write(*store, {RatingKey{id, "b"}});
  const std::uint64_t known = follower->read_all().sequence;
  write(*store, {DeleteUser{id}});

  const auto changes = follower->changes_after(known, 10);
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->size(), 1U);
  EXPECT_EQ(changes->front().kind, Kind::user_deleted);
  EXPECT_EQ(changes->front().user, id);
  // Who never knew the user cannot be told the name, nor who has forgotten it.
  const auto stranger = open()->changes_after(known, 10);
  ASSERT_TRUE(stranger.has_value());
  ASSERT_EQ(stranger->size(), 1U);
  EXPECT_EQ(stranger->front().kind, Kind::user_deleted);
  EXPECT_EQ(stranger->front().user, "");
  follower->forget_departed(known);
  EXPECT_EQ(follower->changes_after(known, 10)->front().user, id) << "left later than that";
  follower->forget_departed(known + 1);
  EXPECT_EQ(follower->changes_after(known, 10)->front().user, "");

  if (GetParam() == Place::sqlite) {
    for (const std::string& name : folder().names()) {
      EXPECT_EQ(read_text(folder() / name).find("unmistakable"), std::string::npos) << name;
    }
  } else {
    pqxx::connection connection(where());
    pqxx::nontransaction look(connection);
    for (const std::string table : {"users", "ratings", "items", "departures", "meta"}) {
      const auto rows = look.exec("SELECT count(*) FROM palate_" + table +
                                  " t WHERE t::text LIKE "
                                  "'%unmistakable%'");
      EXPECT_EQ(rows[0][0].as<int>(), 0) << table;
    }
    // The one number that remains stands for the deletion; none for what the user did.
    EXPECT_EQ(look.exec("SELECT count(*) FROM palate_departures")[0][0].as<int>(), 1);
  }
}

TEST_P(ChangesTest, DeletionsOfLongAgoAreForgottenAndFollowersToldSo) {
  open_with_criteria().reset();
  const auto store = store::open_store(where(), {.kept_departures = 20});
  const std::uint64_t start = store->last_sequence();
  std::uint64_t recent = 0;
  for (int k = 0; k < 60; ++k) {
    write(*store, {rating("u", "i" + std::to_string(k), 3)});
    recent = write(*store, {RatingKey{"u", "i" + std::to_string(k)}});
    if (k == 55) break;
  }
  EXPECT_EQ(store->changes_after(start, 10), std::nullopt);
  EXPECT_THAT(store->changes_after(recent - 10, 100),
              Optional(::testing::Not(::testing::IsEmpty())));
  Follower follower(*store);
  EXPECT_EQ(follower.follow(), 0);
}

TEST_P(ChangesTest, ASequenceFromTheFutureIsNotKnown) {
  const auto store = open_with_criteria();
  EXPECT_EQ(store->changes_after(store->last_sequence() + 1, 10), std::nullopt);
}

TEST_P(ChangesTest, WaitingEndsWhenSomebodyElseWrites) {
  using std::chrono::milliseconds;
  const auto store = open_with_criteria();
  const auto waiting = open();
  while (waiting->wait_for_changes(milliseconds(0))) {
  }
  EXPECT_FALSE(waiting->wait_for_changes(milliseconds(50)));
  std::thread writer([&] { write(*store, {rating("u", "a", 4)}); });
  EXPECT_TRUE(waiting->wait_for_changes(milliseconds(20'000)));
  writer.join();
  // What was written while nobody waited counts as well.
  while (waiting->wait_for_changes(milliseconds(0))) {
  }
  write(*store, {rating("u", "a", 5)});
  EXPECT_TRUE(waiting->wait_for_changes(milliseconds(20'000)));
}

}  // namespace
}  // namespace palate::testing
