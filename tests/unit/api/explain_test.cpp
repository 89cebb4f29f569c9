// Why a score is what it is.
#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.hpp"
#include "unit/api/sample.hpp"

namespace palate {
namespace {

using testing::all_items;
using testing::all_users;
using testing::profile_of;
using testing::sample_methods;
using testing::sample_ratings;
using testing::thrown_by;

double size_of(const Explanation& why) {
  double sum = std::abs(why.baseline);
  for (const Explanation::Part& part : why.parts) sum += std::abs(part.value);
  return sum;
}

TEST(Explain, AddsUpToTheScoreInTheList) {
  const Ratings ratings = sample_ratings();
  for (const Method& method : sample_methods()) {
    const Model model = fit(ratings, method);
    for (const std::string& user : all_users(ratings)) {
      for (const Recommended& one : model.recommend(user, {.top = 4}).items) {
        const Explanation why = model.explain(user, one.item);
        const double near = 1e-5 * size_of(why) + 1e-9;
        EXPECT_EQ(why.user, user);
        EXPECT_EQ(why.item, one.item);
        EXPECT_EQ(why.title, one.title);
        EXPECT_NEAR(why.score, static_cast<double>(one.score), near);
        double by_part = why.baseline;
        for (const Explanation::Part& part : why.parts) by_part += part.value;
        EXPECT_NEAR(by_part, why.score, near);
        double by_criterion = why.baseline;
        ASSERT_EQ(why.by_criterion.size(), why.criteria.size());
        for (const double value : why.by_criterion) by_criterion += value;
        EXPECT_NEAR(by_criterion, why.score, near);
      }
    }
  }
}

TEST(Explain, PartsNameWhatTheUserGaveLargestFirst) {
  const Ratings ratings = sample_ratings();
  const Model model = fit(ratings, testing::sample_settings());
  const Explanation why = model.explain("user 1", "item/3");
  const UserRatings row = ratings.of(*ratings.find_user("user 1"));
  ASSERT_FALSE(why.parts.empty());
  EXPECT_EQ(why.criteria, testing::criterion_names(4));
  for (std::size_t k = 0; k < why.parts.size(); ++k) {
    const Explanation::Part& part = why.parts[k];
    EXPECT_EQ(part.item, ratings.item_id(part.index));
    EXPECT_EQ(part.title, ratings.item_title(part.index));
    bool given = false;
    for (std::size_t n = 0; n < row.size(); ++n) {
      given = given || (row.items[n] == part.index &&
                        static_cast<double>(row.values[n * 4 + part.criterion]) == part.rating);
    }
    EXPECT_TRUE(given) << part.item;
    if (k > 0) {
      EXPECT_GE(std::abs(why.parts[k - 1].value), std::abs(part.value));
    }
  }
}

TEST(Explain, TermWeightsShowInPreferenceAndParts) {
  const Model model = fit(sample_ratings(), testing::sample_settings());
  const Explanation plain = model.explain("user 1", "item/3");
  const Explanation weighted = model.explain("user 1", "item/3", {.term_weights = {{"c1", 2}}});
  for (std::size_t c = 0; c < 4; ++c) {
    const double factor = c == 1 ? 2 : 1;
    EXPECT_NEAR(weighted.preference[c], factor * plain.preference[c], 1e-9);
    EXPECT_NEAR(weighted.by_criterion[c], factor * plain.by_criterion[c],
                1e-6 * std::abs(plain.by_criterion[c]));
  }
}

TEST(Explain, ProfileOfAKnownUserIsExplainedLikeHim) {
  const Ratings ratings = sample_ratings();
  for (const Method& method : sample_methods()) {
    const Model model = fit(ratings, method);
    const Explanation known = model.explain("user 1", "item/3");
    const Explanation fresh = model.explain_for(profile_of(ratings, "user 1"), "item/3");
    EXPECT_EQ(fresh.user, "");
    EXPECT_EQ(fresh.score, known.score);
    EXPECT_EQ(fresh.by_criterion, known.by_criterion);
    EXPECT_EQ(fresh.preference, known.preference);
    EXPECT_EQ(fresh.parts.size(), known.parts.size());
  }
}

TEST(Explain, PopularityIsABaselineNotDueToTheUser) {
  const Model model = fit(sample_ratings());
  const Recommended best = model.recommend("quiet").items.front();
  const Explanation why = model.explain("quiet", best.item);
  EXPECT_EQ(why.basis, Basis::popularity);
  EXPECT_EQ(why.score, static_cast<double>(best.score));
  EXPECT_EQ(why.baseline, why.score);
  EXPECT_TRUE(why.parts.empty());
}

TEST(Explain, UnknownNamesAreNotFound) {
  const Model model = fit(sample_ratings());
  const auto code = [&](const char* user, const char* item) {
    return thrown_by([&] { static_cast<void>(model.explain(user, item)); }).code();
  };
  EXPECT_EQ(code("nobody", "item/1"), ErrorCode::not_found);
  EXPECT_EQ(code("user 1", "nothing"), ErrorCode::not_found);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(model.explain_for({}, "nothing")); }).code(),
            ErrorCode::not_found);
}

// What no rating explains (popularity) counts as overall there.
TEST(Attributions, AgreeWithExplain) {
  const Ratings ratings = sample_ratings();
  const std::vector<std::string> items = all_items(ratings);
  for (const Method& method : sample_methods()) {
    const Model model = fit(ratings, method);
    for (const char* user : {"user 1", "user 7", "quiet"}) {
      const auto rows = model.attributions(user, items);
      ASSERT_EQ(rows.size(), items.size());
      for (std::size_t i = 0; i < items.size(); ++i) {
        const Explanation why = model.explain(user, items[i]);
        for (std::size_t c = 0; c < rows[i].size(); ++c) {
          EXPECT_NEAR(rows[i][c], why.by_criterion[c] + (c == 0 ? why.baseline : 0),
                      1e-5 * size_of(why) + 1e-7);
        }
      }
    }
  }
}

TEST(Attributions, KeepTheOrderOfTheItemsAndRefuseUnknownOnes) {
  const Model model = fit(sample_ratings());
  const std::vector<std::string> there = {"item/4", "item/2"};
  const std::vector<std::string> back = {"item/2", "item/4"};
  const auto a = model.attributions("user 1", there);
  const auto b = model.attributions("user 1", back);
  EXPECT_EQ(a[0], b[1]);
  EXPECT_EQ(a[1], b[0]);
  const std::vector<std::string> unknown = {"item/2", "nothing"};
  EXPECT_EQ(thrown_by([&] { static_cast<void>(model.attributions("user 1", unknown)); }).code(),
            ErrorCode::not_found);
}

}  // namespace
}  // namespace palate
