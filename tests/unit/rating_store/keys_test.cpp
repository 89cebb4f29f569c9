#include <pqxx/pqxx>

#include "palate/api_keys.hpp"
#include "rating_store/sqlite/connection.hpp"
#include "support/errors.hpp"
#include "unit/rating_store/store_under_test.hpp"

namespace palate::testing {
namespace {

class KeysTest : public StoreUnderTest {
 protected:
  [[nodiscard]] std::unique_ptr<ApiKeys> keys() const { return open_keys(where()); }

  /// Straight into the table, as another version or another program would.
  void run_sql(const std::string& sqlite, const std::string& postgres) const {
    if (GetParam() == Place::sqlite) {
      store::SqliteConnection(where(), store::SqliteConnection::Use::writer).script(sqlite);
    } else {
      pqxx::connection connection(where());
      pqxx::nontransaction(connection).exec(postgres);
    }
  }
  // The hash is the SHA-256 of "palate_secret".
  void insert_by_hand(const std::string& role) const {
    const std::string hash = "5543af12f357d279c9287349d58242e2d1496b9185e225089bb779339963a6d9";
    run_sql("INSERT INTO api_keys VALUES ('old', x'" + hash + "', '" + role + "', 1700000000)",
            "INSERT INTO palate_api_keys VALUES ('old', '\\x" + hash + "', '" + role +
                "', 1700000000)");
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
