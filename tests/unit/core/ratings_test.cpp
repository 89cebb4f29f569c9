// Parts of ratings, and ratings taken apart for the model file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/ratings_data.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

using ::testing::ElementsAre;
using testing::random_ratings;
using testing::thrown_by;

Ratings three() {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("ann", "ale", std::vector<float>{1, 2}, 10);
  builder.add("ann", "bock", std::vector<float>{3, 4}, 20);
  builder.add("bob", "ale", std::vector<float>{5, 1}, 30);
  builder.set_title("ale", "An Ale");
  return builder.build();
}

std::vector<Criterion> criteria_of(const Ratings& ratings) {
  return {ratings.criteria().begin(), ratings.criteria().end()};
}

TEST(Ratings, WithoutAnythingIsEmptyAndSafeToAsk) {
  const Ratings nothing;
  EXPECT_EQ(nothing.users(), 0U);
  EXPECT_EQ(nothing.items(), 0U);
  EXPECT_EQ(nothing.interactions(), 0U);
  EXPECT_TRUE(nothing.criteria().empty());
  EXPECT_FALSE(nothing.find_user("a").has_value());
  EXPECT_FALSE(nothing.find_item("a").has_value());
  EXPECT_FALSE(nothing.find_criterion("overall").has_value());
  EXPECT_FALSE(nothing.has_times());
  EXPECT_FALSE(nothing.has_titles());
}

TEST(Ratings, FindsCriteriaByExactName) {
  EXPECT_EQ(three().find_criterion("taste"), std::size_t{1});
  EXPECT_FALSE(three().find_criterion("Taste").has_value());
}

TEST(Subset, KeepsCatalogueScalesAndTimes) {
  const Ratings all = three();
  const Ratings part = subset(all, std::vector<std::uint8_t>{0, 1, 0});
  EXPECT_EQ(part.interactions(), 1U);
  EXPECT_EQ(part.users(), 2U);
  EXPECT_EQ(part.items(), 2U);
  EXPECT_EQ(part.find_user("bob"), all.find_user("bob"));
  EXPECT_EQ(part.item_title(*part.find_item("ale")), "An Ale");
  EXPECT_EQ(part.criteria()[0].max, 5);
  EXPECT_THAT(part.of(0).items, ElementsAre(1));
  EXPECT_THAT(part.of(0).values, ElementsAre(3, 4));
  EXPECT_THAT(part.of(0).times, ElementsAre(20));
  EXPECT_EQ(part.of(1).size(), 0U);
}

TEST(Subset, TwoHalvesMakeTheWhole) {
  const Ratings all = random_ratings({}, 3);
  std::vector<std::uint8_t> keep(all.interactions());
  for (std::size_t k = 0; k < keep.size(); ++k) keep[k] = k % 3 == 0 ? 1 : 0;
  const Ratings one = subset(all, keep);
  for (auto& k : keep) k = k == 0 ? 1 : 0;
  const Ratings two = subset(all, keep);
  EXPECT_EQ(one.interactions() + two.interactions(), all.interactions());
  for (std::size_t c = 0; c < all.criteria().size(); ++c) {
    EXPECT_EQ(one.ratings_of(c) + two.ratings_of(c), all.ratings_of(c));
  }
  for (std::uint32_t u = 0; u < all.users(); ++u) {
    EXPECT_EQ(one.of(u).size() + two.of(u).size(), all.of(u).size());
  }
}

TEST(Subset, NothingKeptIsStillAskable) {
  const Ratings part = subset(three(), std::vector<std::uint8_t>(3, 0));
  EXPECT_EQ(part.interactions(), 0U);
  EXPECT_EQ(part.users(), 2U);
  EXPECT_EQ(part.of(1).size(), 0U);
}

TEST(Subset, NeedsOneFlagPerInteraction) {
  const Error error =
      thrown_by([] { static_cast<void>(subset(three(), std::vector<std::uint8_t>(2, 1))); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
}

TEST(SavedRatings, ComeBackTheSame) {
  for (const Ratings& ratings : {three(), random_ratings({}, 5), RatingsBuilder({"o"}).build()}) {
    Parts parts;
    save_ratings(ratings, parts);
    const Ratings back = load_ratings(parts, criteria_of(ratings));
    ASSERT_EQ(back.users(), ratings.users());
    ASSERT_EQ(back.items(), ratings.items());
    EXPECT_EQ(back.has_times(), ratings.has_times());
    EXPECT_EQ(back.has_titles(), ratings.has_titles());
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      EXPECT_EQ(back.user_id(u), ratings.user_id(u));
      EXPECT_EQ(back.find_user(ratings.user_id(u)), u);
      EXPECT_TRUE(std::ranges::equal(back.of(u).items, ratings.of(u).items));
      EXPECT_TRUE(std::ranges::equal(back.of(u).values, ratings.of(u).values));
      EXPECT_TRUE(std::ranges::equal(back.of(u).present, ratings.of(u).present));
      EXPECT_TRUE(std::ranges::equal(back.of(u).times, ratings.of(u).times));
    }
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      EXPECT_EQ(back.item_title(i), ratings.item_title(i));
    }
  }
}

// A model file that someone forged has right checksums and wrong contents.
TEST(SavedRatings, DamageIsRefused) {
  using Damage = std::function<void(Parts&)>;
  const auto put_u32 = [](const char* name, std::vector<std::uint32_t> values) -> Damage {
    return [=](Parts& parts) { parts.put(name, Array<std::uint32_t>(values)); };
  };
  const auto put_u64 = [](const char* name, std::vector<std::uint64_t> values) -> Damage {
    return [=](Parts& parts) { parts.put(name, Array<std::uint64_t>(values)); };
  };
  const auto put_f32 = [](const char* name, std::vector<float> values) -> Damage {
    return [=](Parts& parts) { parts.put(name, Array<float>(values)); };
  };
  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<const char*, Damage>> damages = {
      {"a part is missing", [](Parts& parts) { parts.arrays.erase("ratings/items"); }},
      {"a part of another type", put_f32("ratings/items", {0, 1, 0})},
      {"an item out of bounds", put_u32("ratings/items", {0, 2, 0})},
      {"items out of order", put_u32("ratings/items", {1, 0, 0})},
      {"an item twice", put_u32("ratings/items", {0, 0, 0})},
      {"too few items", put_u32("ratings/items", {0, 1})},
      {"offsets beyond the end", put_u64("ratings/offsets", {0, 2, 4})},
      {"offsets that fall", put_u64("ratings/offsets", {0, 4, 3})},
      {"offsets that do not begin at 0", put_u64("ratings/offsets", {1, 2, 3})},
      {"too few offsets", put_u64("ratings/offsets", {0, 3})},
      {"no offsets", put_u64("ratings/offsets", {})},
      {"too few values", put_f32("ratings/values", {1, 2, 3, 4, 5})},
      {"a value that is no number", put_f32("ratings/values", {1, 2, 3, 4, 5, not_a_number})},
      {"a negative value", put_f32("ratings/values", {1, 2, 3, 4, 5, -1})},
      {"too few marks", put_u32("ratings/present", {3, 3})},
      {"a mark of nothing", put_u32("ratings/present", {3, 0, 3})},
      {"a mark of a criterion that is not there", put_u32("ratings/present", {3, 3, 7})},
      {"too few times",
       [](Parts& parts) {
         parts.put("ratings/times", Array<std::int64_t>({1, 2}));
       }},
      {"user ids beyond the text", put_u64("users/offsets", {0, 3, 600})},
      {"an order out of bounds", put_u32("users/order", {0, 2})},
      {"titles for some items only",
       [](Parts& parts) { StringTable(std::vector<std::string>{"one"}).save(parts, "titles"); }},
  };
  for (const auto& [what, damage] : damages) {
    SCOPED_TRACE(what);
    Parts parts;
    save_ratings(three(), parts);
    damage(parts);
    const Error error =
        thrown_by([&] { static_cast<void>(load_ratings(parts, criteria_of(three()))); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
  }
}

}  // namespace
}  // namespace palate
