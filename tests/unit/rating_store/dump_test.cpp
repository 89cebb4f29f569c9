#include <atomic>
#include <thread>

#include "palate/api_keys.hpp"
#include "support/errors.hpp"
#include "unit/rating_store/store_under_test.hpp"

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Rule = RatingStore::IfNotEmpty;

class DumpTest : public StoreUnderTest {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return folder() / name;
  }

  // Criteria, users, items and ratings with all that makes them hard to write down.
  [[nodiscard]] std::unique_ptr<RatingStore> open_filled() const {
    auto store = open_with_criteria();
    write(*store,
          {rating("u", "a", 4.1F, absent, 99), rating("\"u\"\n\\", "b", 0.1F, 3),
           StoredUser{"silent"},
           StoredUser{"u", "{\"big\": 123456789012345678901234567890,\n \"x\": 1.50}"},
           StoredItem{"b", "Title, \"quoted\"", R"({"attributes":{"attributes":1},"z":[]})"}});
    return store;
  }
};
INSTANTIATE_TEST_SUITE_P(In, DumpTest, ::testing::Values(Place::sqlite, Place::postgres),
                         place_name);

std::string without_header(const std::string& text) { return text.substr(text.find('\n')); }

TEST_P(DumpTest, WhatWasDumpedComesBackInAnotherStore) {
  const auto store = open_filled();
  EXPECT_EQ(dump_store(*store, file("all.ndjson.gz")).ratings, 2U);
  dump_store(*store, file("all.ndjson"));
  const auto copy = open_store((folder() / "copy.db").string());
  restore_store(*copy, file("all.ndjson.gz"));
  EXPECT_EQ(copy->criteria()[1].name, "taste");
  EXPECT_EQ(copy->criteria()[1].max, 5);
  EXPECT_EQ(copy->find_rating("u", "a"), rating("u", "a", 4.1F, absent, 99));
  EXPECT_THAT(copy->find_user("u")->attributes, HasSubstr("123456789012345678901234567890"));
  EXPECT_THAT(copy->find_user("u")->attributes, HasSubstr("1.50"));
  EXPECT_EQ(copy->find_item("b")->attributes, R"({"attributes":{"attributes":1},"z":[]})");
  EXPECT_TRUE(copy->find_user("silent").has_value());
  dump_store(*copy, file("again.ndjson"));
  EXPECT_EQ(without_header(read_text(file("again.ndjson"))),
            without_header(read_text(file("all.ndjson"))));
  // And back to where it came from.
  write(*store, {DeleteUser{"u"}, rating("new", "b", 1)});
  restore_store(*store, file("again.ndjson"), Rule::replace);
  dump_store(*store, file("back.ndjson"));
  EXPECT_EQ(without_header(read_text(file("back.ndjson"))),
            without_header(read_text(file("all.ndjson"))));
}

TEST_P(DumpTest, KeysAreNeitherDumpedNorTouched) {
  const auto store = open_filled();
  const std::string secret = open_keys(where())->add("unmistakable", Role::admin);
  dump_store(*store, file("all.ndjson"));
  EXPECT_THAT(read_text(file("all.ndjson")), ::testing::Not(HasSubstr("unmistakable")));
  restore_store(*store, file("all.ndjson"), Rule::replace);
  EXPECT_TRUE(open_keys(where())->check(secret).has_value());
}

TEST_P(DumpTest, AStoreThatIsNotEmptyIsNotReplacedUnasked) {
  const auto store = open_filled();
  dump_store(*store, file("all.ndjson"));
  EXPECT_EQ(thrown_by([&] { restore_store(*store, file("all.ndjson")); }).code(), ErrorCode::usage);
}

TEST_P(DumpTest, FollowersAreToldToBeginAnew) {
  const auto store = open_filled();
  const std::uint64_t before = store->last_sequence();
  dump_store(*store, file("all.ndjson"));
  restore_store(*store, file("all.ndjson"), Rule::replace);
  EXPECT_EQ(store->changes_after(before, 10), std::nullopt);
  const std::uint64_t now = store->read_all().sequence;
  write(*store, {rating("u", "a", 1)});
  EXPECT_EQ(store->changes_after(now, 10)->size(), 1U);
}

TEST_P(DumpTest, ADamagedDumpChangesNothing) {
  const auto store = open_filled();
  dump_store(*store, file("all.ndjson"));
  const std::string good = read_text(file("all.ndjson"));
  const std::size_t last = good.rfind("{");
  const std::vector<std::pair<std::string, std::string>> damaged = {
      {"", "empty"},
      {"user,item\n", "no dump"},
      {good.substr(0, last), "what its first line says"},
      {good.substr(0, good.size() - 10), "no JSON object"},
      {good + "{\"what\": 1}\n", "neither a user nor an item"},
      {good.substr(0, last) + R"({"user":"x","item":"y","values":[-1,null]})" + "\n", "negative"},
      {R"({"palate":"store","version":2})" + good.substr(good.find('\n')), "version 2"}};
  for (const auto& [text, words] : damaged) {
    write_text(file("bad.ndjson"), text);
    const Error error =
        thrown_by([&] { restore_store(*store, file("bad.ndjson"), Rule::replace); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << words;
    EXPECT_THAT(error.message(), HasSubstr(words));
    EXPECT_THAT(error.where().file, HasSubstr("bad.ndjson"));
    EXPECT_EQ(store->counts().ratings, 2U);
  }
  dump_store(*store, file("cut.ndjson.gz"));
  const std::string packed = read_text(file("cut.ndjson.gz"));
  write_text(file("cut.ndjson.gz"), packed.substr(0, packed.size() - 12));
  EXPECT_EQ(thrown_by([&] { restore_store(*store, file("cut.ndjson.gz"), Rule::replace); }).code(),
            ErrorCode::bad_input);
  EXPECT_EQ(thrown_by([&] { restore_store(*store, file("none.ndjson"), Rule::replace); }).code(),
            ErrorCode::io);
  dump_store(*store, file("after.ndjson"));
  EXPECT_EQ(read_text(file("after.ndjson")), good);
}

TEST_P(DumpTest, StoppingHalfwayLeavesNothingBehind) {
  const auto store = open_with_criteria();
  std::vector<StoreWrite> many;
  for (int k = 0; k < 9000; ++k) many.push_back(rating("u" + std::to_string(k), "a", 3));
  store->write(many);
  const RunOptions stop{
      .progress = [](std::string_view, std::uint64_t, std::uint64_t) { return false; }};
  EXPECT_EQ(thrown_by([&] { dump_store(*store, file("all.ndjson"), stop); }).code(),
            ErrorCode::cancelled);
  EXPECT_FALSE(std::filesystem::exists(file("all.ndjson")));
  dump_store(*store, file("all.ndjson"));
  EXPECT_EQ(
      thrown_by([&] { restore_store(*store, file("all.ndjson"), Rule::replace, stop); }).code(),
      ErrorCode::cancelled);
  EXPECT_EQ(store->counts().ratings, 9000U);
}

TEST(Backup, IsOneStateWhileOthersWriteAndAStoreOfItsOwn) {
  const TemporaryFolder folder;
  const std::string where = (folder / "ratings.db").string();
  const std::string copy = (folder / "copy.db").string();
  const auto store = open_store(where);
  store->set_criteria(std::vector<Criterion>{{"overall"}, {"taste"}});
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  std::thread writer([&] {
    for (int k = 0; !stop; ++k, ++rounds) {
      const std::string user = "u" + std::to_string(k);
      write(*store, {rating(user, "a", 4), rating(user, "b", 4)});
    }
  });
  for (int round = 0; round < 5; ++round) {
    while (rounds < 5 * (round + 1)) std::this_thread::yield();
    const StoreCounts counts = backup_store(where, copy);
    EXPECT_EQ(counts.ratings, 2 * counts.users) << "what is written at once is copied at once";
    const auto opened = open_store(copy);
    EXPECT_EQ(opened->counts().ratings, counts.ratings);
    EXPECT_NE(opened->identity(), store->identity());
    write(*opened, {rating("new", "a", 1)});
  }
  stop = true;
  writer.join();
}

TEST(Backup, OfADamagedStoreIsRefusedAndAnOlderCopyStays) {
  const TemporaryFolder folder;
  const std::filesystem::path where = folder / "ratings.db";
  {
    const auto store = open_store(where.string());
    store->set_criteria(std::vector<Criterion>{{"overall"}, {"taste"}});
    for (int k = 0; k < 400; ++k) write(*store, {rating("u" + std::to_string(k), "a", 4)});
  }
  write_text(folder / "copy.db", "older");
  std::string bytes = read_text(where);
  std::fill(bytes.end() - 3 * 4096, bytes.end(), 'x');
  write_text(where, bytes);
  const Error error = thrown_by([&] { backup_store(where.string(), folder / "copy.db"); });
  EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.what();
  EXPECT_EQ(read_text(folder / "copy.db"), "older");
}

}  // namespace
}  // namespace palate::testing
