// What someone who hands in ratings may rely on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "palate/ratings.hpp"
#include "support/errors.hpp"

namespace palate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::thrown_by;

constexpr float absent = std::numeric_limits<float>::quiet_NaN();
using Values = std::vector<float>;

std::vector<std::string> users_of(const Ratings& ratings) {
  std::vector<std::string> out;
  for (std::uint32_t u = 0; u < ratings.users(); ++u) out.emplace_back(ratings.user_id(u));
  return out;
}

std::vector<std::string> items_of(const Ratings& ratings) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < ratings.items(); ++i) out.emplace_back(ratings.item_id(i));
  return out;
}

// The values of the only interaction.
Values only(const Ratings& ratings) {
  EXPECT_EQ(ratings.interactions(), 1U);
  const UserRatings row = ratings.of(0);
  return {row.values.begin(), row.values.end()};
}

TEST(RatingsBuilder, KeepsAnyUtf8Id) {
  const std::vector<std::string> ids = {"Zoë", " leading space", "日本酒", "a,b\"c",
                                        "🍺",   "tab\tand\nline"};
  RatingsBuilder builder({"overall"});
  for (const std::string& id : ids) builder.add(id, "item of " + id, Values{3});
  const Ratings ratings = builder.build();
  ASSERT_EQ(ratings.users(), ids.size());
  for (const std::string& id : ids) {
    const auto user = ratings.find_user(id);
    ASSERT_TRUE(user.has_value()) << id;
    EXPECT_EQ(ratings.user_id(*user), id);
    const UserRatings row = ratings.of(*user);
    ASSERT_EQ(row.size(), 1U);
    EXPECT_EQ(ratings.item_id(row.items[0]), "item of " + id);
  }
  EXPECT_FALSE(ratings.find_user("zoë").has_value());
  EXPECT_FALSE(ratings.find_user("").has_value());
}

TEST(RatingsBuilder, IndicesFollowIntegersByValue) {
  RatingsBuilder builder({"overall"});
  for (const char* id : {"100", "9", "20", "0"}) builder.add(id, id, Values{1});
  const Ratings ratings = builder.build();
  EXPECT_THAT(users_of(ratings), ElementsAre("0", "9", "20", "100"));
  EXPECT_THAT(items_of(ratings), ElementsAre("0", "9", "20", "100"));
}

TEST(RatingsBuilder, IndicesFollowBytesAsSoonAsOneIdIsNoInteger) {
  RatingsBuilder builder({"overall"});
  for (const char* id : {"b", "9", "ä", "20", "B"}) builder.add(id, "1", Values{1});
  EXPECT_THAT(users_of(builder.build()), ElementsAre("20", "9", "B", "b", "ä"));
}

TEST(RatingsBuilder, LeadingZerosMakeDifferentIds) {
  RatingsBuilder builder({"overall"});
  for (const char* id : {"7", "07", "007"}) builder.add(id, "x", Values{1});
  EXPECT_THAT(users_of(builder.build()), ElementsAre("007", "07", "7"));
}

TEST(RatingsBuilder, IntegersBeyond64BitsStayApart) {
  RatingsBuilder builder({"overall"});
  builder.add("99999999999999999999999999999998", "x", Values{1});
  builder.add("99999999999999999999999999999999", "x", Values{2});
  EXPECT_EQ(builder.build().users(), 2U);
}

TEST(RatingsBuilder, OrderOfRowsDoesNotMatter) {
  RatingsBuilder forward({"overall", "taste"});
  RatingsBuilder backward({"overall", "taste"});
  forward.add("a", "x", Values{1, 2});
  forward.add("a", "y", Values{3, absent});
  forward.add("b", "x", Values{absent, 5});
  backward.add("b", "x", Values{absent, 5});
  backward.add("a", "y", Values{3, absent});
  backward.add("a", "x", Values{1, 2});
  const Ratings one = forward.build();
  const Ratings two = backward.build();
  for (std::uint32_t u = 0; u < 2; ++u) {
    EXPECT_EQ(one.user_id(u), two.user_id(u));
    EXPECT_TRUE(std::ranges::equal(one.of(u).items, two.of(u).items));
    EXPECT_TRUE(std::ranges::equal(one.of(u).values, two.of(u).values));
    EXPECT_TRUE(std::ranges::equal(one.of(u).present, two.of(u).present));
  }
}

TEST(RatingsBuilder, MissingIsAbsentAndZeroIsARating) {
  RatingsBuilder builder({"overall", "aroma", "taste"});
  builder.add("u", "missing", Values{4, absent, 2});
  builder.add("u", "nought", Values{4, 0, 2});
  const Ratings ratings = builder.build();
  const UserRatings row = ratings.of(0);
  EXPECT_THAT(row.present, ElementsAre(0b101U, 0b111U));
  EXPECT_THAT(row.values, ElementsAre(4, 0, 2, 4, 0, 2));
  EXPECT_EQ(ratings.ratings_of(0), 2U);
  EXPECT_EQ(ratings.ratings_of(1), 1U);
  EXPECT_EQ(ratings.ratings_of(2), 2U);
}

TEST(RatingsBuilder, OverallMayBeTheOneThatIsMissing) {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("u", "i", Values{absent, 4});
  const Ratings ratings = builder.build();
  EXPECT_EQ(ratings.interactions(), 1U);
  EXPECT_EQ(ratings.ratings_of(0), 0U);
  EXPECT_EQ(ratings.of(0).present[0], 0b10U);
}

TEST(RatingsBuilder, DuplicatesWithoutTimesGoByTheOrderAdded) {
  const auto with = [](Duplicates rule) {
    RatingsBuilder builder({"overall", "taste"}, rule);
    builder.add("u", "i", Values{1, 5});
    builder.add("u", "i", Values{2, absent});
    builder.add("u", "i", Values{6, 3});
    const Ratings ratings = builder.build();
    EXPECT_EQ(builder.duplicates_found(), 2U);
    return ratings;
  };
  EXPECT_THAT(only(with(Duplicates::last)), ElementsAre(6, 3));
  EXPECT_THAT(only(with(Duplicates::first)), ElementsAre(1, 5));
  EXPECT_THAT(only(with(Duplicates::mean)), ElementsAre(3, 4));  // taste: over two rows
}

TEST(RatingsBuilder, DuplicatesWithTimesGoByTime) {
  const auto with = [](Duplicates rule) {
    RatingsBuilder builder({"overall"}, rule);
    builder.add("u", "i", Values{1}, 300);
    builder.add("u", "i", Values{2}, 100);
    builder.add("u", "i", Values{3}, 200);
    return builder.build();
  };
  EXPECT_THAT(only(with(Duplicates::last)), ElementsAre(1));
  EXPECT_THAT(only(with(Duplicates::first)), ElementsAre(2));
  EXPECT_THAT(with(Duplicates::last).of(0).times, ElementsAre(300));
  EXPECT_THAT(with(Duplicates::first).of(0).times, ElementsAre(100));
}

TEST(RatingsBuilder, EqualTimesGoByTheOrderAdded) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "i", Values{1}, 100);
  builder.add("u", "i", Values{2}, 100);
  EXPECT_THAT(only(builder.build()), ElementsAre(2));
}

// What one (user, item) pair keeps, by sorting its rows from old to new.
struct Pair {
  struct Row {
    Values values;
    std::int64_t time;
  };
  std::vector<Row> rows;

  [[nodiscard]] Row kept(Duplicates rule) const {
    std::vector<Row> sorted = rows;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Row& a, const Row& b) { return a.time < b.time; });
    if (rule == Duplicates::first) return sorted.front();
    Row out = sorted.back();
    if (rule == Duplicates::last) return out;
    for (std::size_t c = 0; c < out.values.size(); ++c) {
      double sum = 0;
      double count = 0;
      for (const Row& row : sorted) {
        if (std::isnan(row.values[c])) continue;
        sum += static_cast<double>(row.values[c]);
        ++count;
      }
      out.values[c] = count > 0 ? static_cast<float>(sum / count) : absent;
    }
    return out;
  }
};

void expect_pairs(const Ratings& ratings, const std::map<std::pair<int, int>, Pair>& pairs,
                  Duplicates rule, bool with_times) {
  ASSERT_EQ(ratings.interactions(), pairs.size());
  ASSERT_EQ(ratings.has_times(), with_times);
  std::size_t k = 0;
  std::uint32_t user = 0;
  for (const auto& [ids, pair] : pairs) {
    for (; k == ratings.of(user).size(); ++user) k = 0;
    const UserRatings row = ratings.of(user);
    const Pair::Row kept = pair.kept(rule);
    ASSERT_EQ(ratings.user_id(user), std::to_string(ids.first));
    ASSERT_EQ(ratings.item_id(row.items[k]), std::to_string(ids.second));
    for (std::size_t c = 0; c < kept.values.size(); ++c) {
      const bool there = !std::isnan(kept.values[c]);
      ASSERT_EQ(row.present[k] >> c & 1U, there ? 1U : 0U);
      ASSERT_EQ(row.values[k * kept.values.size() + c], there ? kept.values[c] : 0.0F);
    }
    if (with_times) {
      ASSERT_EQ(row.times[k], kept.time);
    }
    ++k;
  }
}

TEST(RatingsBuilder, KeepsOfManyRowsWhatSortingThemKeeps) {
  for (const Duplicates rule : {Duplicates::last, Duplicates::first, Duplicates::mean}) {
    for (const bool with_times : {false, true}) {
      Random random(with_times ? 6 : 7);
      RatingsBuilder builder({"overall", "taste", "aroma"}, rule);
      std::map<std::pair<int, int>, Pair> pairs;
      std::size_t rows = 0;
      for (; rows < 4000; ++rows) {
        const int user = static_cast<int>(random.below(40));
        const int item = static_cast<int>(random.below(120));
        Values values(3, absent);
        values[random.below(3)] = static_cast<float>(random.below(6));
        values[random.below(3)] = static_cast<float>(random.below(6));
        std::optional<std::int64_t> time;
        if (with_times && random.below(3) > 0) time = static_cast<std::int64_t>(random.below(5));
        // Too little room, then more than is needed.
        if (rows == 1000) builder.reserve(rows + 1);
        if (rows == 2000) builder.reserve(100'000);
        builder.add(std::to_string(user), std::to_string(item), values, time);
        pairs[{user, item}].rows.push_back({values, time.value_or(no_time)});
      }
      const Ratings ratings = builder.build();
      EXPECT_EQ(builder.duplicates_found(), rows - pairs.size());
      expect_pairs(ratings, pairs, rule, with_times);
    }
  }
}

TEST(RatingsBuilder, NewestRowWinsWholeNotCriterionByCriterion) {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("u", "i", Values{1, 5});
  builder.add("u", "i", Values{2, absent});
  const Ratings ratings = builder.build();
  EXPECT_EQ(ratings.of(0).present[0], 0b01U);
}

TEST(RatingsBuilder, DuplicateAsErrorNamesThePair) {
  RatingsBuilder builder({"overall"}, Duplicates::error);
  builder.add("ann", "stout", Values{1});
  builder.add("bob", "stout", Values{1});
  builder.add("ann", "stout", Values{2});
  const Error error = thrown_by([&] { static_cast<void>(builder.build()); });
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("'ann'"));
  EXPECT_THAT(error.message(), HasSubstr("'stout'"));
  EXPECT_THAT(error.hint(), HasSubstr("last, first or mean"));
}

TEST(RatingsBuilder, TimesAreKeptAndUnknownOnesMarked) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "a", Values{1}, -5);
  builder.add("u", "b", Values{1});
  const Ratings ratings = builder.build();
  EXPECT_TRUE(ratings.has_times());
  EXPECT_THAT(ratings.of(0).times, ElementsAre(-5, no_time));

  RatingsBuilder without({"overall"});
  without.add("u", "a", Values{1});
  EXPECT_FALSE(without.build().has_times());
}

TEST(RatingsBuilder, ScalesAreThoseSeen) {
  RatingsBuilder builder({"overall", "aroma", "unrated"});
  builder.add("u", "a", Values{2, 4.5F, absent});
  builder.add("u", "b", Values{5, absent, absent});
  const Ratings ratings = builder.build();
  EXPECT_EQ(ratings.criteria()[0].min, 2);
  EXPECT_EQ(ratings.criteria()[0].max, 5);
  EXPECT_EQ(ratings.criteria()[1].min, 4.5F);
  EXPECT_EQ(ratings.criteria()[1].max, 4.5F);
  EXPECT_EQ(ratings.criteria()[2].min, 0);
  EXPECT_EQ(ratings.criteria()[2].max, 0);
}

TEST(RatingsBuilder, DeclaredScaleWidensAndNeverNarrows) {
  RatingsBuilder builder({"overall"});
  builder.set_scale(0, 1, 5);
  builder.add("u", "a", Values{10});
  const Ratings ratings = builder.build();
  EXPECT_EQ(ratings.criteria()[0].min, 1);
  EXPECT_EQ(ratings.criteria()[0].max, 10);
}

TEST(RatingsBuilder, ScaleOfAnUnknownCriterionIsAnError) {
  RatingsBuilder builder({"overall"});
  EXPECT_EQ(thrown_by([&] { builder.set_scale(1, 1, 5); }).code(), ErrorCode::usage);
  EXPECT_EQ(thrown_by([&] { builder.set_scale(0, 5, 1); }).code(), ErrorCode::usage);
}

TEST(RatingsBuilder, KnowsUsersAndItemsWithoutRatings) {
  RatingsBuilder builder({"overall"});
  builder.add_user("quiet");
  builder.add_item("new");
  builder.add("loud", "old", Values{3});
  const Ratings ratings = builder.build();
  EXPECT_THAT(users_of(ratings), ElementsAre("loud", "quiet"));
  EXPECT_THAT(items_of(ratings), ElementsAre("new", "old"));
  EXPECT_EQ(ratings.of(1).size(), 0U);
}

TEST(RatingsBuilder, TitlesStandForIdsWhereGiven) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "b2", Values{3});
  builder.add("u", "b1", Values{3});
  builder.set_title("b2", "Kölsch, cold");
  const Ratings ratings = builder.build();
  EXPECT_TRUE(ratings.has_titles());
  EXPECT_EQ(ratings.item_title(*ratings.find_item("b2")), "Kölsch, cold");
  EXPECT_EQ(ratings.item_title(*ratings.find_item("b1")), "b1");
}

TEST(RatingsBuilder, NothingAddedGivesNoInteractions) {
  RatingsBuilder builder({"overall"});
  const Ratings ratings = builder.build();
  EXPECT_EQ(ratings.users(), 0U);
  EXPECT_EQ(ratings.items(), 0U);
  EXPECT_EQ(ratings.interactions(), 0U);
  EXPECT_EQ(ratings.criteria().size(), 1U);
}

TEST(RatingsBuilder, IsEmptyAfterBuild) {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("u", "i", Values{3, 5});
  static_cast<void>(builder.build());
  EXPECT_EQ(builder.rows(), 0U);
  builder.add("v", "j", Values{1, absent});
  const Ratings second = builder.build();
  EXPECT_THAT(users_of(second), ElementsAre("v"));
  EXPECT_EQ(second.criteria()[0].max, 1);
  EXPECT_EQ(second.criteria()[1].max, 0);
}

TEST(RatingsBuilder, RefusesRowsThatSayNothing) {
  RatingsBuilder builder({"overall", "taste"});
  const auto code = [&](const char* user, const char* item, const Values& values) {
    return thrown_by([&] { builder.add(user, item, values); }).code();
  };
  EXPECT_EQ(code("", "i", {1, 1}), ErrorCode::bad_input);
  EXPECT_EQ(code("u", "", {1, 1}), ErrorCode::bad_input);
  EXPECT_EQ(code("u", "i", {absent, absent}), ErrorCode::bad_input);
  EXPECT_EQ(code("u", "i", {-1, 1}), ErrorCode::bad_input);
  EXPECT_EQ(code("u", "i", {1, std::numeric_limits<float>::infinity()}), ErrorCode::bad_input);
  EXPECT_EQ(code("u", "i", {1}), ErrorCode::usage);
  EXPECT_EQ(builder.rows(), 0U);
  EXPECT_EQ(builder.build().users(), 0U) << "a refused row leaves nothing behind";
}

TEST(RatingsBuilder, EmptyIdsAreRefusedWithoutARatingToo) {
  RatingsBuilder builder({"overall"});
  EXPECT_EQ(thrown_by([&] { builder.add_user(""); }).code(), ErrorCode::bad_input);
  EXPECT_EQ(thrown_by([&] { builder.add_item(""); }).code(), ErrorCode::bad_input);
  EXPECT_EQ(thrown_by([&] { builder.set_title("", "nothing"); }).code(), ErrorCode::bad_input);
}

TEST(RatingsBuilder, BadValueNamesTheCriterion) {
  RatingsBuilder builder({"overall", "taste"});
  const Error error = thrown_by([&] { builder.add("u", "i", Values{1, -2}); });
  EXPECT_EQ(error.where().field, "taste");
}

TEST(RatingsBuilder, RefusesCriteriaThatCannotBeToldApart) {
  const auto code = [](std::vector<std::string> names) {
    return thrown_by([&] { RatingsBuilder builder(std::move(names)); }).code();
  };
  EXPECT_EQ(code({}), ErrorCode::bad_input);
  EXPECT_EQ(code({"overall", ""}), ErrorCode::bad_input);
  EXPECT_EQ(code({"overall", "taste", "taste"}), ErrorCode::bad_input);
}

TEST(RatingsBuilder, HoldsTheMostCriteriaAndNotOneMore) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < max_criteria; ++c) names.push_back("c" + std::to_string(c));
  RatingsBuilder builder(names);
  Values values(max_criteria, absent);
  values.back() = 5;
  builder.add("u", "i", values);
  const Ratings ratings = builder.build();
  EXPECT_EQ(ratings.of(0).present[0], 1U << (max_criteria - 1));
  EXPECT_EQ(ratings.ratings_of(max_criteria - 1), 1U);

  names.emplace_back("one more");
  const Error error = thrown_by([&] { RatingsBuilder too_many(names); });
  EXPECT_EQ(error.code(), ErrorCode::too_large);
  EXPECT_THAT(error.hint(), HasSubstr(std::to_string(max_criteria)));
}

const std::vector<std::string> users = {"b", "a", "quiet"};
const std::vector<std::string> items = {"y", "x", "dusty"};

TEST(RatingsBuilder, ColumnsAreTheSameAsRows) {
  const std::vector<std::uint32_t> user = {1, 0, 1};
  const std::vector<std::uint32_t> item = {0, 1, 1};
  const Values values = {4, absent, 2, 3, absent, 1};
  const std::vector<std::int64_t> times = {7, no_time, 9};
  RatingsBuilder columns({"overall", "taste"});
  columns.add(RatingColumns{.users = users,
                            .items = items,
                            .user = user,
                            .item = item,
                            .values = values,
                            .times = times});
  RatingsBuilder rows({"overall", "taste"});
  rows.add("a", "y", Values{4, absent}, 7);
  rows.add("b", "x", Values{2, 3});
  rows.add("a", "x", Values{absent, 1}, 9);
  rows.add_user("quiet");
  rows.add_item("dusty");
  const Ratings one = columns.build();
  const Ratings two = rows.build();
  EXPECT_EQ(users_of(one), users_of(two));
  EXPECT_EQ(items_of(one), items_of(two));
  for (std::uint32_t u = 0; u < two.users(); ++u) {
    EXPECT_TRUE(std::ranges::equal(one.of(u).items, two.of(u).items));
    EXPECT_TRUE(std::ranges::equal(one.of(u).values, two.of(u).values));
    EXPECT_TRUE(std::ranges::equal(one.of(u).present, two.of(u).present));
    EXPECT_TRUE(std::ranges::equal(one.of(u).times, two.of(u).times));
  }
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(one.criteria()[c].min, two.criteria()[c].min);
    EXPECT_EQ(one.criteria()[c].max, two.criteria()[c].max);
  }
}

TEST(RatingsBuilder, ColumnsNameTheRowThatIsWrongAndNothingIsAdded) {
  const std::vector<std::uint32_t> places = {0, 1};
  for (const Values& values :
       {Values{4, -1}, Values{4, absent}, Values{4, std::numeric_limits<float>::infinity()}}) {
    RatingsBuilder builder({"overall"});
    const Error error = thrown_by([&] {
      builder.add(RatingColumns{
          .users = users, .items = items, .user = places, .item = places, .values = values});
    });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("row 1"));
    EXPECT_EQ(builder.rows(), 0U);
  }
}

TEST(RatingsBuilder, ColumnsThatDoNotGoTogetherAreAWrongCall) {
  const std::vector<std::uint32_t> places = {0, 3};
  const std::vector<std::uint32_t> one = {0};
  const Values values = {4, 4};
  RatingsBuilder builder({"overall"});
  const auto code = [&](RatingColumns columns) {
    columns.users = users;
    columns.items = items;
    return thrown_by([&] { builder.add(columns); }).code();
  };
  EXPECT_EQ(code({.user = places, .item = places, .values = values}), ErrorCode::usage);
  EXPECT_EQ(code({.user = one, .item = places, .values = values}), ErrorCode::usage);
  EXPECT_EQ(code({.user = one, .item = one, .values = values}), ErrorCode::usage);
}

}  // namespace
}  // namespace palate
