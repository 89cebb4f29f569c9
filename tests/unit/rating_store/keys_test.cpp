#include <chrono>
#include <ctime>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <pqxx/pqxx>
#include <thread>

#include "palate/api_keys.hpp"
#include "support/errors.hpp"
#include "unit/rating_store/store_under_test.hpp"

namespace palate::testing {
namespace {

class KeysTest : public StoreUnderTest {
 protected:
  [[nodiscard]] std::unique_ptr<ApiKeys> keys() const { return open_keys(where()); }

  // The hash is the SHA-256 of "palate_secret".
  void insert_by_hand(const std::string& role) const {
    const std::string hash = "5543af12f357d279c9287349d58242e2d1496b9185e225089bb779339963a6d9";
    const std::string literal =
        GetParam() == Place::sqlite ? "x'" + hash + "'" : "'\\x" + hash + "'";
    run_sql({"INSERT INTO palate_api_keys (name, hash, role, created) VALUES ('old', " + literal +
             ", '" + role + "', 1700000000)"});
  }
};
INSTANTIATE_TEST_SUITE_P(In, KeysTest, ::testing::Values(Place::sqlite, Place::postgres),
                         place_name);

TEST_P(KeysTest, WorkUntilRemovedAndAreKeptAsHashes) {
  const auto mine = keys();
  const std::string secret = mine->add("site", Role::write);
  EXPECT_GE(secret.size(), 43U);
  EXPECT_NE(mine->add("other", Role::read), secret);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(mine->add("site", Role::read)); }).code(),
            ErrorCode::usage);
  const auto key = keys()->check(secret);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->name, "site");
  EXPECT_EQ(key->role, Role::write);
  EXPECT_GT(key->created, 1'600'000'000);
  EXPECT_FALSE(mine->check(secret + "x").has_value());
  EXPECT_FALSE(mine->check("").has_value());
  const std::vector<ApiKey> all = mine->list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "other");
  EXPECT_EQ(all[1].name, "site");
  if (GetParam() == Place::sqlite) {
    for (const std::string& name : folder().names()) {
      EXPECT_EQ(read_text(folder() / name).find(secret.substr(7)), std::string::npos) << name;
    }
  }
  EXPECT_TRUE(mine->check(secret).has_value());
  EXPECT_TRUE(mine->remove("site"));
  EXPECT_FALSE(mine->remove("site"));
  EXPECT_FALSE(mine->check(secret).has_value());
}

TEST_P(KeysTest, LieBesideTheRatingsAndNeitherTouchesTheOther) {
  const std::string secret = keys()->add("first", Role::admin);  // makes the store
  const auto store = open_with_criteria();
  const std::uint64_t sequence = write(*store, {rating("u", "a", 4)});
  const auto later = keys();
  static_cast<void>(later->add("second", Role::read));
  EXPECT_TRUE(later->check(secret).has_value());
  EXPECT_EQ(store->last_sequence(), sequence);
  EXPECT_EQ(store->counts().ratings, 1U);
}

TEST_P(KeysTest, ThoseOfAnExistingStoreGoOnWorking) {
  open_with_criteria().reset();
  insert_by_hand("write");
  const auto key = keys()->check("palate_secret");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->name, "old");
  EXPECT_EQ(key->role, Role::write);
  EXPECT_EQ(key->created, 1'700'000'000);
}

TEST_P(KeysTest, ARoleThatIsNoneOpensNothing) {
  open_with_criteria().reset();
  insert_by_hand("god");
  const auto mine = keys();
  EXPECT_EQ(thrown_by([&] { static_cast<void>(mine->check("palate_secret")); }).code(),
            ErrorCode::corrupt);
  EXPECT_TRUE(mine->remove("old"));
  EXPECT_FALSE(mine->check("palate_secret").has_value());
}

// time() may lag behind the clock that keys go by.
std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void wait_until(const std::function<bool()>& condition) {
  constexpr auto patience = std::chrono::seconds(120);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST_P(KeysTest, OneThatExpiresOpensNothingFromThenOn) {
  const auto mine = keys();
  const std::int64_t end = now() + 2;
  const std::string brief = mine->add("brief", Role::read, {.expires = end, .rate = 2.5}, {});
  const std::string lasting = mine->add("lasting", Role::read);
  wait_until([&] { return !mine->check(brief); });
  EXPECT_GE(now(), end);
  EXPECT_FALSE(keys()->check(brief).has_value());
  EXPECT_TRUE(mine->check(lasting).has_value());
  const std::vector<ApiKey> all = mine->list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].expires, end);
  EXPECT_EQ(all[0].rate, 2.5);
  EXPECT_EQ(all[1].expires, std::nullopt);
  EXPECT_EQ(all[1].rate, std::nullopt);
  // With another secret it may go on, for a time that is given.
  EXPECT_EQ(thrown_by([&] { static_cast<void>(mine->rotate("brief", 0, {}, {})); }).code(),
            ErrorCode::usage);
  const auto again = mine->rotate("brief", 0, {.expires = now() + 1000}, {});
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(mine->check(*again).has_value());
}

TEST_P(KeysTest, ARotatedOneIsKnownByBothSecretsForAWhile) {
  const auto mine = keys();
  const std::string first = mine->add("site", Role::write, {.rate = 9}, {});
  EXPECT_TRUE(mine->check(first).has_value());
  const auto second = mine->rotate("site", 1000, {}, {});
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*second, first);
  for (const auto& who : {mine->check(first), mine->check(*second), keys()->check(first)}) {
    ASSERT_TRUE(who.has_value());
    EXPECT_EQ(who->name, "site");
    EXPECT_EQ(who->role, Role::write);
    EXPECT_EQ(who->rate, 9);
    EXPECT_GE(who->old_until.value_or(0), now() + 900);
  }
  // Rotated once more, the first is gone, and without an overlap the second too.
  const auto third = mine->rotate("site", 2, {}, {});
  EXPECT_FALSE(mine->check(first).has_value());
  EXPECT_TRUE(mine->check(*third).has_value());
  wait_until([&] { return !mine->check(*second); });
  EXPECT_TRUE(mine->check(*third).has_value());
  const auto last = mine->rotate("site", 0, {.rate = 4}, {});
  EXPECT_FALSE(mine->check(*third).has_value());
  EXPECT_EQ(mine->check(*last)->rate, 4);
  EXPECT_EQ(mine->list().size(), 1U);
  EXPECT_EQ(mine->rotate("nobody", 0, {}, {}), std::nullopt);
}

TEST_P(KeysTest, TermsThatAreNoneAreRefused) {
  const auto mine = keys();
  static_cast<void>(mine->add("site", Role::read));
  for (const KeyTerms& terms :
       {KeyTerms{.expires = now() - 1}, KeyTerms{.rate = 0}, KeyTerms{.rate = -1},
        KeyTerms{.rate = std::numeric_limits<double>::quiet_NaN()}, KeyTerms{.rate = 1e10}}) {
    EXPECT_THROW(static_cast<void>(mine->add("other", Role::read, terms, {})), Error);
    EXPECT_THROW(static_cast<void>(mine->rotate("site", 0, terms, {})), Error);
  }
  EXPECT_THROW(static_cast<void>(mine->rotate("site", -1, {}, {})), Error);
  EXPECT_EQ(mine->list().size(), 1U);
  EXPECT_EQ(mine->list()[0].old_until, std::nullopt);
}

TEST_P(KeysTest, WhoChangedThemIsInTheAuditLog) {
  const auto mine = keys();
  const std::string secret =
      mine->add("site", Role::write, {.expires = now() + 1000}, {"root", "palate keys"});
  const auto next = mine->rotate("site", 0, {}, {"boss", "10.0.0.7"});
  EXPECT_TRUE(mine->remove("site", {"boss", "10.0.0.7"}));
  EXPECT_FALSE(mine->remove("site"));
  EXPECT_THROW(static_cast<void>(mine->add("", Role::read)), Error);
  const auto log = open_audit_log(where());
  const std::vector<AuditEvent> events = log->list(100, std::nullopt);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].event, "key removed");
  EXPECT_EQ(events[1].event, "key rotated");
  EXPECT_EQ(events[2].event, "key added");
  EXPECT_EQ(events[2].by.name, "root");
  EXPECT_EQ(events[2].by.from, "palate keys");
  EXPECT_EQ(events[0].by.from, "10.0.0.7");
  EXPECT_GT(events[2].time, 1'600'000'000);
  const auto detail = nlohmann::json::parse(events[2].detail);
  EXPECT_EQ(detail["name"], "site");
  EXPECT_EQ(detail["role"], "write");
  for (const AuditEvent& event : events) {
    EXPECT_EQ(event.detail.find(secret), std::string::npos);
    EXPECT_EQ(event.detail.find(*next), std::string::npos);
  }
}

TEST_P(KeysTest, TheAuditLogKeepsSoManyOfEachKind) {
  const auto log = open_audit_log(where());
  log->note("rare", {"a", "b"}, R"({"n": 0})");
  const std::size_t all = max_audit_events + 20;
  run_sql(
      {"INSERT INTO palate_audit (time, event, actor, origin, detail) "
       "WITH RECURSIVE counted (n) AS "
       "(SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < " +
       std::to_string(all) + ") SELECT n, 'frequent', '', '', '{}' FROM counted"});
  log->note("frequent", {}, "{}");
  EXPECT_EQ(log->list(2 * all, std::nullopt).size(), max_audit_events + 1);
  const std::vector<AuditEvent> page = log->list(10, std::nullopt);
  ASSERT_EQ(page.size(), 10U);
  const std::vector<AuditEvent> next = log->list(max_audit_events, page.back().number);
  EXPECT_EQ(next.size(), max_audit_events + 1 - page.size());
  EXPECT_LT(next.front().number, page.back().number);
  EXPECT_EQ(next.back().event, "rare");
  EXPECT_EQ(thrown_by([&] { log->note("rare", {}, "no object"); }).code(), ErrorCode::usage);
}

TEST_P(KeysTest, NamesAreText) {
  const auto mine = keys();
  for (const std::string& name :
       {std::string(), std::string(101, 'x'), std::string("\xff"), std::string("a\0b", 3)}) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(mine->add(name, Role::read)); }).code(),
              ErrorCode::usage);
  }
  EXPECT_TRUE(mine->list().empty());
}

TEST(OpenKeys, RefusesWhatIsNoStore) {
  const auto error_of = [](const std::string& where) {
    return thrown_by([&] { static_cast<void>(open_keys(where)); }).code();
  };
  EXPECT_EQ(error_of(""), ErrorCode::usage);
  EXPECT_EQ(error_of("mysql://x"), ErrorCode::usage);
  EXPECT_EQ(error_of("postgresql://me@localhost:1/x"), ErrorCode::io);
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(folder.path().string()), ErrorCode::io);
  write_text(folder / "ratings.csv", "user,item,overall\n" + std::string(5000, 'x'));
  EXPECT_EQ(error_of((folder / "ratings.csv").string()), ErrorCode::corrupt);
}

}  // namespace
}  // namespace palate::testing
