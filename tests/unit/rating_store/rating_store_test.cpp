#include <atomic>
#include <limits>
#include <pqxx/pqxx>
#include <thread>

#include "palate/api_keys.hpp"
#include "rating_store/sqlite/connection.hpp"
#include "support/errors.hpp"
#include "unit/rating_store/store_under_test.hpp"

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

Error error_of_opening(const std::string& where) {
  return thrown_by([&] { static_cast<void>(open_store(where)); });
}

class RatingStoreTest : public StoreUnderTest {};
INSTANTIATE_TEST_SUITE_P(In, RatingStoreTest, ::testing::Values(Place::sqlite, Place::postgres),
                         place_name);

const std::vector<std::string> odd_ids = {"a/b c",
                                          "\xc3\xbc",
                                          "'; DROP TABLE users; --",
                                          "\"quoted\"",
                                          "back\\slash",
                                          "{1,NULL}",
                                          "NULL",
                                          "\xf0\x9f\x8d\xba",
                                          "tab\tand\nline",
                                          std::string(max_stored_id, 'x')};

TEST_P(RatingStoreTest, ANewStoreIsEmpty) {
  const auto store = open();
  EXPECT_TRUE(store->criteria().empty());
  EXPECT_EQ(store->counts().ratings, 0U);
  EXPECT_EQ(store->read_all().ratings.users(), 0U);
  EXPECT_EQ(store->find_user("nobody"), std::nullopt);
  EXPECT_EQ(store->find_rating("nobody", "nothing"), std::nullopt);
  EXPECT_THAT(store->changes_after(store->last_sequence(), 10), Optional(::testing::IsEmpty()));
}

TEST_P(RatingStoreTest, WhatIsWrittenComesBackWhateverTheIds) {
  const auto store = open_with_criteria();
  std::vector<StoreWrite> writes;
  std::int64_t time = -5;
  for (const std::string& user : odd_ids) {
    for (const std::string& item : odd_ids)
      writes.push_back(rating(user, item, 4.3F, absent, ++time));
    writes.push_back(StoredUser{user, R"({"born": 1984, "likes": ["\u00fc", "\\", "'"]})"});
    writes.push_back(StoredItem{user, "Title of " + user, R"({"deep": {"er": null}})"});
  }
  store->write(writes);
  const auto again = open();
  for (const StoreWrite& one : writes) {
    if (const auto* expected = std::get_if<StoredRating>(&one)) {
      EXPECT_EQ(again->find_rating(expected->user, expected->item), *expected);
    } else if (const auto* user = std::get_if<StoredUser>(&one)) {
      EXPECT_EQ(again->find_user(user->id)->attributes, user->attributes);
      EXPECT_EQ(again->ratings_of(user->id).size(), odd_ids.size());
    } else {
      const auto& item = std::get<StoredItem>(one);
      EXPECT_EQ(again->find_item(item.id)->title, item.title);
      EXPECT_EQ(again->find_item(item.id)->attributes, item.attributes);
    }
  }
  EXPECT_EQ(again->counts().ratings, odd_ids.size() * odd_ids.size());
}

TEST_P(RatingStoreTest, ValuesAndTimesComeBackExactly) {
  const auto store = open_with_criteria();
  const std::vector<StoredRating> all = {
      rating("u", "a", 0.1F, 1e-38F, 0),
      rating("u", "b", absent, 3.4e38F, std::numeric_limits<std::int64_t>::max()),
      rating("u", "c", 0, absent, no_time + 1), rating("u", "d", 16777217, 1.0F / 3)};
  store->write(std::vector<StoreWrite>(all.begin(), all.end()));
  EXPECT_THAT(store->ratings_of("u"), ::testing::ElementsAreArray(all));
}

TEST_P(RatingStoreTest, ABatchWithOneBadRowWritesNothingAndSaysWhich) {
  const auto store = open_with_criteria();
  const Error error = thrown_by([&] {
    write(*store, {rating("u", "a", 4), rating("u", "b", -1), rating("u", "c", 2)});
  });
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_EQ(error.where().line, 2);
  EXPECT_EQ(error.where().field, "overall");
  EXPECT_EQ(store->counts().users, 0U);
}

TEST_P(RatingStoreTest, RefusesWhatCannotBeUsed) {
  const auto store = open_with_criteria();
  const std::vector<StoreWrite> bad = {rating("", "a", 4),
                                       rating("u", "", 4),
                                       rating("\xff", "a", 4),
                                       rating(std::string("a\0b", 3), "a", 4),
                                       rating(std::string(max_stored_id + 1, 'x'), "a", 4),
                                       rating("u", "a", -0.5F),
                                       rating("u", "a", std::numeric_limits<float>::infinity()),
                                       rating("u", "a", absent),
                                       StoredRating{"u", "a", {4}},
                                       StoredUser{"u", "[]"},
                                       StoredUser{"u", "{"},
                                       StoredUser{"u", std::string("{}\0", 3)},
                                       StoredItem{"i", "\xff"},
                                       RatingKey{"u", ""},
                                       DeleteUser{""}};
  for (const StoreWrite& one : bad) {
    const Error error = thrown_by([&] { store->write(std::span(&one, 1)); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << one.index();
    EXPECT_EQ(thrown_by([&] { check_write(one, store->criteria()); }).message(), error.message());
  }
  EXPECT_EQ(store->counts().users + store->counts().items, 0U);
}

TEST_P(RatingStoreTest, WithoutCriteriaNothingCanBeRated) {
  const auto store = open();
  const Error error = thrown_by([&] { write(*store, {rating("u", "a", 4)}); });
  EXPECT_THAT(error.hint(), HasSubstr("criteria"));
  store->set_criteria(std::vector<Criterion>{{"overall"}, {"taste"}});
  write(*store, {rating("u", "a", 4)});
  EXPECT_EQ(store->counts().ratings, 1U);
}

TEST_P(RatingStoreTest, CriteriaAreFixedOnceThereAreRatings) {
  const auto store = open();
  store->set_criteria(std::vector<Criterion>{{"overall", 1, 5}});
  store->set_criteria(std::vector<Criterion>{{"overall", 1, 5}, {"taste", 1, 5}});
  write(*store, {rating("u", "a", 4)});
  EXPECT_EQ(thrown_by([&] {
              store->set_criteria(std::vector<Criterion>{{"overall", 1, 5}});
            }).code(),
            ErrorCode::usage);
  store->set_criteria(std::vector<Criterion>{{"overall", 1, 10}, {"taste", 1, 5}});
  EXPECT_EQ(open()->criteria().front().max, 10);
  EXPECT_EQ(open()->read_all().ratings.criteria()[0].max, 10);
  EXPECT_THROW(store->set_criteria({}), Error);
  EXPECT_THROW(store->set_criteria(std::vector<Criterion>{{"a"}, {"a"}}), Error);
}

TEST_P(RatingStoreTest, WhatIsTheSameAlreadyIsNoChange) {
  const auto store = open_with_criteria();
  const std::vector<StoreWrite> writes = {rating("u", "a", 4, absent, 7),
                                          StoredUser{"v", "{\"a\": 1}"},
                                          StoredItem{"b", "Title", "{}"}};
  const std::uint64_t sequence = store->write(writes).sequence;
  EXPECT_EQ(store->write(writes).sequence, sequence);
  EXPECT_EQ(write(*store, {RatingKey{"u", "none"}, DeleteUser{"none"}, DeleteItem{"none"}}),
            sequence);
  EXPECT_GT(write(*store, {rating("u", "a", 4, absent, 8)}), sequence);
}

TEST_P(RatingStoreTest, OrderWithinABatchCounts) {
  const auto store = open_with_criteria();
  write(*store, {rating("u", "a", 1), rating("u", "a", 2), RatingKey{"u", "b"}, rating("u", "b", 3),
                 rating("v", "a", 5), DeleteUser{"v"}, rating("u", "c", 4), RatingKey{"u", "c"}});
  EXPECT_THAT(store->ratings_of("u"), ElementsAre(rating("u", "a", 2), rating("u", "b", 3)));
  EXPECT_EQ(store->find_user("v"), std::nullopt);
  EXPECT_TRUE(store->find_item("c").has_value());
}

TEST_P(RatingStoreTest, ARatingLeavesWhatIsKnownOfUserAndItem) {
  const auto store = open_with_criteria();
  write(*store, {StoredUser{"u", "{\"x\": 1}"}, StoredItem{"a", "Title", "{\"y\": 2}"}});
  write(*store, {rating("u", "a", 4)});
  EXPECT_EQ(store->find_user("u")->attributes, "{\"x\": 1}");
  EXPECT_EQ(store->find_item("a")->title, "Title");
}

TEST_P(RatingStoreTest, DeletedUsersAndItemsTakeTheirRatingsAlong) {
  const auto store = open_with_criteria();
  write(*store,
        {rating("u", "a", 4), rating("u", "b", 3), rating("v", "a", 2), rating("v", "b", 1)});
  write(*store, {DeleteUser{"u"}});
  EXPECT_EQ(store->counts().ratings, 2U);
  write(*store, {DeleteItem{"b"}});
  EXPECT_THAT(store->ratings_of("v"), ElementsAre(rating("v", "a", 2)));
  EXPECT_EQ(store->find_item("b"), std::nullopt);
  write(*store, {rating("u", "b", 5)});  // a stranger of the same name
  EXPECT_THAT(store->ratings_of("u"), ElementsAre(rating("u", "b", 5)));
}

TEST_P(RatingStoreTest, PagesAreInByteOrderAndComplete) {
  const auto store = open();
  const std::vector<std::string> sorted = {"B", "Z", "a", "a b", "ab", "b", "\xc3\xa4"};
  for (const std::string id : {"a", "b", "B", "\xc3\xa4", "a b", "Z", "ab"}) {
    write(*store, {StoredUser{id}, StoredItem{id}});
  }
  std::vector<std::string> users, items;
  for (auto page = store->users("", 2); !page.empty(); page = store->users(page.back().id, 2)) {
    EXPECT_LE(page.size(), 2U);
    for (const StoredUser& user : page) users.push_back(user.id);
  }
  for (auto page = store->items("", 3); !page.empty(); page = store->items(page.back().id, 3)) {
    for (const StoredItem& item : page) items.push_back(item.id);
  }
  EXPECT_EQ(users, sorted);
  EXPECT_EQ(items, sorted);
}

TEST_P(RatingStoreTest, ReadAllHasEverybodyWithTitlesTimesAndScales) {
  const auto store = open_with_criteria();
  write(*store, {rating("u", "a", 4, 2, 100), rating("v", "a", 3), StoredUser{"silent"},
                 StoredItem{"unrated", "Nobody knows", "{}"}});
  const auto all = store->read_all();
  const Ratings& ratings = all.ratings;
  EXPECT_EQ(all.sequence, store->last_sequence());
  EXPECT_EQ(ratings.users(), 3U);
  EXPECT_EQ(ratings.interactions(), 2U);
  EXPECT_TRUE(ratings.find_user("silent").has_value());
  EXPECT_EQ(ratings.item_title(*ratings.find_item("unrated")), "Nobody knows");
  EXPECT_EQ(ratings.item_title(*ratings.find_item("a")), "a");
  EXPECT_EQ(ratings.criteria()[1].max, 5);
  const UserRatings of_u = ratings.of(*ratings.find_user("u"));
  EXPECT_THAT(of_u.values, ElementsAre(4, 2));
  EXPECT_THAT(of_u.times, ElementsAre(100));
  EXPECT_THAT(ratings.of(*ratings.find_user("v")).present, ElementsAre(1));
}

TEST_P(RatingStoreTest, ReadEachGivesAllInByteOrder) {
  const auto store = open_with_criteria();
  write(*store,
        {rating("v", "b", 1), rating("v", "a", 2), rating("B", "z", 3), rating("u", "a", 4)});
  std::vector<std::string> seen;
  StoreCounts counts;
  StoreVisitor visitor;
  visitor.begin = [&](std::span<const Criterion> criteria, const StoreCounts& all, std::uint64_t) {
    EXPECT_EQ(criteria.size(), 2U);
    counts = all;
  };
  visitor.user = [&](const StoredUser& user) { seen.push_back("user " + user.id); };
  visitor.item = [&](const StoredItem& item) { seen.push_back("item " + item.id); };
  visitor.rating = [&](const StoredRating& one) { seen.push_back(one.user + " " + one.item); };
  store->read_each(visitor);
  EXPECT_EQ(counts.ratings, 4U);
  EXPECT_THAT(seen, ElementsAre("user B", "user u", "user v", "item a", "item b", "item z", "B z",
                                "u a", "v a", "v b"));
}

TEST_P(RatingStoreTest, AReaderSeesOneStateWhileOthersWrite) {
  const auto store = open_with_criteria();
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int round = 1; !stop; ++round) {
      const auto value = static_cast<float>(round);
      write(*store, {rating("u", "a", value), rating("u", "b", value), rating("v", "a", value)});
    }
  });
  for (int look = 0; look < 30; ++look) {
    const Ratings ratings = store->read_all().ratings;
    std::vector<float> values;
    for (std::uint32_t user = 0; user < ratings.users(); ++user) {
      const UserRatings of = ratings.of(user);
      for (std::size_t k = 0; k < of.size(); ++k) values.push_back(of.values[k * 2]);
    }
    if (values.empty()) continue;
    EXPECT_THAT(values, ElementsAre(values[0], values[0], values[0]));
  }
  stop = true;
  writer.join();
}

TEST_P(RatingStoreTest, WritesOfManyThreadsAreAllThere) {
  const auto store = open_with_criteria();
  constexpr int threads = 8;
  constexpr int each = 25;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (int k = 0; k < each; ++k) {
        write(*store, {rating("u" + std::to_string(t), "i" + std::to_string(k), 3)});
        // A bad one among them fails alone.
        EXPECT_THROW(write(*store, {rating("bad", "i", -1)}), Error);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(store->counts().ratings, static_cast<std::size_t>(threads * each));
  EXPECT_EQ(store->find_user("bad"), std::nullopt);
}

TEST_P(RatingStoreTest, ANewerSchemaIsRefusedWithAHint) {
  open_with_criteria().reset();
  run_sql({"UPDATE palate_meta SET schema = 99"});
  const Error error = error_of_opening(where());
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_THAT(error.message(), HasSubstr("99"));
  EXPECT_THAT(error.hint(), HasSubstr("newer"));
}

// A newer program may bring the tables up to date while a server of this version runs: from then on
// it writes nothing, and says why.
TEST_P(RatingStoreTest, OneThatAnotherProgramBroughtToANewerSchemaTakesNoWrite) {
  const auto store = open_with_criteria();
  const auto keys = open_keys(where());
  const std::string secret = keys->add("site", Role::read);
  write(*store, {rating("u", "i", 4)});
  run_sql({"UPDATE palate_meta SET schema = 99"});
  for (const std::function<void()>& work : std::vector<std::function<void()>>{
           [&] { write(*store, {rating("u", "j", 4)}); },
           [&] { static_cast<void>(store->last_sequence()); },
           [&] { static_cast<void>(keys->add("other", Role::read)); },
           [&] { open_audit_log(where())->note("x", {}, "{}"); }}) {
    const Error error = thrown_by(work);
    EXPECT_THAT(error.message(), HasSubstr("version 99"));
  }
  EXPECT_EQ(thrown_by([&] { write(*store, {rating("u", "j", 4)}); }).code(), ErrorCode::io);
  EXPECT_TRUE(keys->check(secret).has_value());
  run_sql({"UPDATE palate_meta SET schema = " + std::to_string(store::newest_schema)});
  write(*store, {rating("u", "j", 4)});
  EXPECT_EQ(store->counts().ratings, 2U);
  EXPECT_EQ(keys->list().size(), 1U);
}

TEST_P(RatingStoreTest, ReadingAllCanBeStopped) {
  const auto store = open_with_criteria();
  write(*store, {rating("u", "i", 4), rating("v", "i", 4)});
  std::uint64_t expected = 0;
  const auto stop = [&](std::string_view, std::uint64_t, std::uint64_t total) {
    expected = total;
    return false;
  };
  const Error error = thrown_by([&] { static_cast<void>(store->read_all(stop)); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
  EXPECT_EQ(expected, 2U);
  EXPECT_EQ(store->read_all().ratings.interactions(), 2U);
}

TEST_P(RatingStoreTest, AStoreHasAnIdentityOfItsOwnThatStays) {
  const std::string mine = open_with_criteria()->identity();
  EXPECT_EQ(mine.size(), 32U);
  EXPECT_EQ(open()->identity(), mine);
  const TemporaryFolder folder;
  EXPECT_NE(open_store((folder / "other.db").string())->identity(), mine);
}

TEST_P(RatingStoreTest, AStoreOfAnOlderSchemaIsBroughtUpToDateAndKeepsWhatItHas) {
  const std::string secret = open_keys(where())->add("site", Role::write);
  write(*open_with_criteria(), {rating("u", "i", 4)});
  const std::vector<std::string> to_second = {
      "DROP TABLE palate_audit",
      GetParam() == Place::sqlite ? "DROP INDEX palate_api_keys_by_old_hash" : "SELECT 1",
      "ALTER TABLE palate_api_keys DROP COLUMN old_hash",
      "ALTER TABLE palate_api_keys DROP COLUMN old_until",
      "ALTER TABLE palate_api_keys DROP COLUMN expires",
      "ALTER TABLE palate_api_keys DROP COLUMN rate",
      "UPDATE palate_meta SET schema = 2"};
  const std::vector<std::string> to_first = {"ALTER TABLE palate_meta DROP COLUMN identity",
                                             "UPDATE palate_meta SET schema = 1"};
  for (const bool first : {false, true}) {
    run_sql(to_second);
    if (first) run_sql(to_first);
    EXPECT_EQ(open()->identity().size(), 32U);
    EXPECT_TRUE(open()->find_rating("u", "i").has_value());
    EXPECT_TRUE(open_keys(where())->check(secret).has_value());
    open_audit_log(where())->note("test", {}, "{}");
  }
  EXPECT_TRUE(open_keys(where())->rotate("site", 0, {.rate = 1}, {}).has_value());
}

class StoreFile : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = open_store(where_.string());
    store_->set_criteria(std::vector<Criterion>{{"overall"}, {"taste"}});
    write(*store_, {rating("u", "i", 4)});
    // As long as it gets, and all of it in the file.
    store::SqliteConnection(where_.string(), store::SqliteConnection::Use::writer)
        .script("PRAGMA wal_checkpoint(TRUNCATE)");
    write(*store_, {rating("u", "j", 4)});
  }
  /// Writing fails, and whoever waits for changes hears of it.
  void expect_no_writing(const std::string& why) {
    const Error error = thrown_by([&] { write(*store_, {rating("u", "lost", 4)}); });
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_THAT(error.message(), HasSubstr(why));
    EXPECT_THAT(error.hint(), HasSubstr("backup"));
    const Error waited = thrown_by(
        [&] { static_cast<void>(store_->wait_for_changes(std::chrono::milliseconds(0))); });
    EXPECT_THAT(waited.message(), HasSubstr(why));
  }

  TemporaryFolder folder_;
  std::filesystem::path where_ = folder_ / "ratings.db";
  std::unique_ptr<RatingStore> store_;
};

TEST_F(StoreFile, RemovedTakesNoWrites) {
  std::filesystem::remove(where_);
  expect_no_writing("removed");
}

TEST_F(StoreFile, ReplacedTakesNoWrites) {
  std::filesystem::copy_file(where_, folder_ / "copy");
  std::filesystem::rename(folder_ / "copy", where_);
  expect_no_writing("replaced");
}

TEST_F(StoreFile, WhoseLogOrIndexWasRemovedTakesNoWrites) {
  for (const char* beside : {"-wal", "-shm"}) {
    const std::string name = where_.string() + beside;
    std::filesystem::rename(name, name + "-away");
    expect_no_writing("removed");
    std::filesystem::rename(name + "-away", name);
    write(*store_, {rating("u", beside, 4)});
  }
}

TEST_F(StoreFile, CutTakesNoWrites) {
  std::filesystem::resize_file(where_, std::filesystem::file_size(where_) - 4096);
  expect_no_writing("cut");
  std::filesystem::resize_file(where_, 0);
  expect_no_writing("cut");
}

TEST_F(StoreFile, CompactedByAnotherProgramGoesOn) {
  for (int k = 0; k < 300; ++k) {
    write(*store_,
          {StoredUser{"u" + std::to_string(k), "{\"n\": \"" + std::string(900, 'x') + "\"}"}});
  }
  store::SqliteConnection db(where_.string(), store::SqliteConnection::Use::writer);
  db.script("PRAGMA wal_checkpoint(TRUNCATE)");
  write(*store_, {rating("u", "k", 4)});
  const auto before = std::filesystem::file_size(where_);
  db.script("DELETE FROM users WHERE length(attributes) > 100");
  db.script("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  ASSERT_LT(std::filesystem::file_size(where_), before);
  write(*store_, {rating("u", "l", 4)});
  EXPECT_TRUE(store_->find_rating("u", "l").has_value());
}

TEST_F(StoreFile, IsMadeForItsOwnerAlone) {
  for (const std::string& name : folder_.names()) {
    EXPECT_EQ(std::filesystem::status(folder_ / name).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << name;
  }
  std::filesystem::permissions(where_, std::filesystem::perms(0640));
  store_ = open_store(where_.string());
  EXPECT_EQ(std::filesystem::status(where_).permissions(), std::filesystem::perms(0640));
}

TEST(OpenStore, RefusesWhatIsNoStoreAndLeavesItAlone) {
  const TemporaryFolder folder;
  const std::string text = "user,item,overall\n" + std::string(5000, 'x');
  write_text(folder / "ratings.csv", text);
  EXPECT_EQ(error_of_opening((folder / "ratings.csv").string()).code(), ErrorCode::corrupt);
  EXPECT_EQ(read_text(folder / "ratings.csv"), text);
  {
    store::SqliteConnection other((folder / "other.db").string(),
                                  store::SqliteConnection::Use::writer);
    other.script("CREATE TABLE mine (x)");
  }
  const std::string before = read_text(folder / "other.db");
  EXPECT_EQ(error_of_opening((folder / "other.db").string()).code(), ErrorCode::corrupt);
  EXPECT_EQ(read_text(folder / "other.db"), before);
  EXPECT_EQ(error_of_opening((folder / "no/where.db").string()).code(), ErrorCode::io);
  EXPECT_EQ(error_of_opening(folder.path().string()).code(), ErrorCode::io);
  EXPECT_EQ(error_of_opening("").code(), ErrorCode::usage);
  EXPECT_EQ(error_of_opening("mysql://x").code(), ErrorCode::usage);
}

TEST(OpenStore, DoesNotShowThePasswordOfADatabaseThatCannotBeReached) {
  for (const std::string url : {"postgresql://me:s3cret@localhost:1/x",
                                "postgresql://me@localhost:1/x?password=s3cret&sslmode=disable"}) {
    const Error error = error_of_opening(url);
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(std::string(error.what()).find("s3cret"), std::string::npos) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("localhost"));
  }
}

}  // namespace
}  // namespace palate::testing
