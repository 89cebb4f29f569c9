// Whatever fails beneath a store, at whichever call, and whenever the power goes: what was
// acknowledged is there, and nothing is there by half.
#include "unit/rating_store/faulty_disk.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "palate/error.hpp"
#include "rating_store/sqlite/connection.hpp"
#include "unit/rating_store/store_under_test.hpp"

namespace palate::testing {
namespace {

using Fault = FaultyDisk::Fault;
using Lasts = FaultyDisk::Lasts;

// A user whose two ratings were written together, as often as it was acknowledged.
struct Written {
  float acknowledged = 0;  // 0: nothing was, or they were deleted
  bool doubtful = false;   // the last write failed: the user is as before, or as it would have been
  float would_be = 0;
};
using Everybody = std::map<std::string, Written>;

// Adds, changes and deletes; failures are noted and survived.
void work(RatingStore& store, int rounds, Everybody& everybody) {
  for (int round = 0; round < rounds; ++round) {
    const std::string user = "u" + std::to_string(round % 5);
    const bool leaves = round % 4 == 3;
    Written& one = everybody[user];
    one.would_be = leaves ? 0.0F : static_cast<float>(round + 1);
    try {
      if (leaves) {
        write(store, {DeleteUser{user}});
      } else {
        write(store, {rating(user, "a", one.would_be), rating(user, "b", one.would_be),
                      StoredItem{"a", "Title " + std::to_string(round), "{}"}});
      }
      one.acknowledged = one.would_be;
      one.doubtful = false;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::io || error.code() == ErrorCode::corrupt)
          << error.what();
      one.doubtful = true;
    }
  }
}

// 0 if there are none; nullopt if there is one without the other.
std::optional<float> both(const RatingStore& store, const std::string& user) {
  const auto a = store.find_rating(user, "a");
  const auto b = store.find_rating(user, "b");
  if (!a && !b) return 0.0F;
  if (!a || !b || a->values[0] != b->values[0]) return std::nullopt;
  return a->values[0];
}

void expect_kept(const std::string& where, const Everybody& everybody) {
  const auto store = open_store(where);
  for (const auto& [user, one] : everybody) {
    const std::optional<float> found = both(*store, user);
    ASSERT_TRUE(found.has_value()) << user << " has half of what was written at once";
    const bool right = *found == one.acknowledged || (one.doubtful && *found == one.would_be);
    ASSERT_TRUE(right) << user << " has " << *found << ", " << one.acknowledged
                       << " was acknowledged";
  }
  store::SqliteConnection db(where, store::SqliteConnection::Use::reader);
  std::string sound;
  db.each("PRAGMA integrity_check", [&](const store::Row& row) { sound += row.text(0); });
  ASSERT_EQ(sound, "ok");
  // It goes on from here.
  write(*store, {rating("after", "a", 1)});
}

class FaultyDiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto store = open_store((folder_ / "made.db").string());
    store->set_criteria(std::vector<Criterion>{{"overall", 0, 100}, {"taste", 0, 100}});
  }
  /// A store of its own, where it may be ruined.
  std::filesystem::path fresh(const std::string& name) {
    const std::filesystem::path room = folder_ / name;
    std::filesystem::remove_all(room);
    std::filesystem::create_directory(room);
    std::filesystem::copy_file(folder_ / "made.db", room / "ratings.db");
    return room / "ratings.db";
  }
  /// What a loss of power leaves is sound and whole.
  void expect_kept_without_power(const FaultyDisk& disk, const std::filesystem::path& where,
                                 const Everybody& everybody, std::uint64_t seed) {
    SCOPED_TRACE("without power, seed " + std::to_string(seed) + ", failed: " + disk.failed());
    const std::filesystem::path room = folder_ / "found";
    std::filesystem::remove_all(room);
    std::filesystem::create_directory(room);
    disk.lose_power(where.parent_path(), room, seed);
    expect_kept((room / "ratings.db").string(), everybody);
  }
  void fail_everywhere(Fault fault, Lasts lasts) {
    bool reached = true;
    for (std::uint64_t call = 1; reached && !HasFatalFailure(); ++call) {
      SCOPED_TRACE("call " + std::to_string(call));
      const std::filesystem::path where = fresh("used");
      Everybody everybody;
      {
        FaultyDisk disk;
        const auto store = open_store(where.string());
        disk.fail_at(call, fault, lasts);
        work(*store, 6, everybody);
        reached = disk.has_failed();
        disk.heal();
        if (call % 3 == 0) expect_kept_without_power(disk, where, everybody, call);
        // When it is well again, so is the store.
        Everybody later;
        work(*store, 1, later);
        EXPECT_FALSE(later.at("u0").doubtful);
        everybody["u0"] = later.at("u0");
        expect_kept_without_power(disk, where, everybody, call % 2);
      }
      expect_kept(where.string(), everybody);
      if (!reached) {
        EXPECT_GT(call, 30U) << "there was something to fail";
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_F(FaultyDiskTest, LossOfPowerAtAnyTimeLosesNothingAcknowledged) {
  for (int rounds = 1; rounds < 16; ++rounds) {
    const std::filesystem::path where = fresh("used");
    FaultyDisk disk;
    const auto store = open_store(where.string());
    Everybody everybody;
    work(*store, rounds, everybody);
    for (const auto& [user, one] : everybody) ASSERT_FALSE(one.doubtful) << user;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(std::to_string(rounds) + " rounds, seed " + std::to_string(seed));
      expect_kept_without_power(disk, where, everybody, seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(FaultyDiskTest, CallsThatFailOnce) { fail_everywhere(Fault::error, Lasts::once); }
TEST_F(FaultyDiskTest, CallsThatAreTornOnce) { fail_everywhere(Fault::torn, Lasts::once); }
TEST_F(FaultyDiskTest, ADiskThatIsFullFromSomeCallOn) {
  fail_everywhere(Fault::full, Lasts::for_ever);
}
}  // namespace
}  // namespace palate::testing
