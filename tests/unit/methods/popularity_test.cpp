// Popularity counts people, not points.
#include "methods/popularity/popularity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace palate {
namespace {

using ::testing::ElementsAre;

Ratings bar() {
  constexpr float absent = std::numeric_limits<float>::quiet_NaN();
  RatingsBuilder builder({"overall", "taste"});
  builder.add("ann", "ale", std::vector<float>{1, 1});
  builder.add("bob", "ale", std::vector<float>{0, 1});
  builder.add("ann", "bock", std::vector<float>{5, 5});
  builder.add("ann", "cider", std::vector<float>{absent, 5});
  builder.add("bob", "cider", std::vector<float>{absent, 5});
  builder.add_item("dunkel");
  builder.add_user("cyd");
  return builder.build();
}

TEST(Popularity, CountsWhoRatedOverallWhateverTheValue) {
  const Ratings ratings = bar();
  const auto popularity = PopularityRecommender::fit(ratings);
  std::vector<float> scores(4);
  popularity->score({}, scores);
  EXPECT_THAT(scores, ElementsAre(2, 1, 0, 0));
}

TEST(Popularity, IsTheSameForEveryoneButForWhatHeKnows) {
  const Ratings ratings = bar();
  const auto popularity = PopularityRecommender::fit(ratings);
  const auto items_for = [&](const char* user) {
    const Query query{.ratings = ratings.of(*ratings.find_user(user))};
    std::vector<std::vector<ScoredItem>> lists(1);
    ThreadPool pool(1);
    popularity->recommend({&query, 1}, lists, pool);
    std::vector<std::string> out;
    for (const ScoredItem& one : lists[0]) out.emplace_back(ratings.item_id(one.item));
    return out;
  };
  EXPECT_THAT(items_for("cyd"), ElementsAre("ale", "bock", "cider", "dunkel"));
  EXPECT_THAT(items_for("bob"), ElementsAre("bock", "cider", "dunkel"));
}

TEST(Popularity, ExplainsNothingByTheRatingsOfTheUser) {
  const Ratings ratings = bar();
  const Attribution why =
      PopularityRecommender::fit(ratings)->explain({.ratings = ratings.of(0)}, 0);
  EXPECT_EQ(why.score, 2);
  EXPECT_EQ(why.baseline, 2);
  EXPECT_TRUE(why.parts.empty());
}

}  // namespace
}  // namespace palate
