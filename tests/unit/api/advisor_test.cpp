// A fitted model and a state of a live one are asked through one type, and answer alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/errors.hpp"
#include "unit/api/sample.hpp"

namespace palate {
namespace {

using testing::all_items;
using testing::all_users;
using testing::ids;
using testing::profile_of;
using testing::same_list;
using testing::sample_methods;
using testing::sample_ratings;
using testing::sample_settings;
using testing::thrown_by;

class AdvisorTest : public ::testing::Test {
 protected:
  AdvisorTest() {
    CaGf settings = sample_settings();
    settings.computing.solver = Solver::exact;
    model_.emplace(fit(sample_ratings(), settings));
    live_.emplace(*model_);
    asked_ = {*model_, live_->snapshot()};
  }

  std::optional<Model> model_;
  std::optional<LiveModel> live_;
  std::vector<Advisor> asked_;  ///< as a caller keeps them who does not mind which it is
};

TEST_F(AdvisorTest, KnowsWhatIsThere) {
  const Ratings& ratings = model_->ratings();
  for (const Advisor& advisor : asked_) {
    EXPECT_EQ(advisor.users(), ratings.users());
    EXPECT_EQ(advisor.items(), ratings.items());
    EXPECT_EQ(advisor.interactions(), ratings.interactions());
    ASSERT_EQ(advisor.criteria().size(), 4U);
    EXPECT_EQ(advisor.criteria()[1].name, "c1");
    EXPECT_TRUE(advisor.knows_user("quiet"));
    EXPECT_TRUE(advisor.knows_item("dusty"));
    EXPECT_FALSE(advisor.knows_user("dusty"));
    EXPECT_FALSE(advisor.knows_item("quiet"));
    EXPECT_EQ(advisor.item_id(*ratings.find_item("item/3")), "item/3");
    EXPECT_EQ(advisor.info().users, ratings.users());
    EXPECT_EQ(advisor.info().settings, model_->info().settings);
    EXPECT_EQ(advisor.info().trained_with, version);
  }
}

TEST_F(AdvisorTest, SummaryCountsPeopleAndGivesMeans) {
  const Ratings& ratings = model_->ratings();
  const std::size_t width = ratings.criteria().size();
  for (const std::string& id : all_items(ratings)) {
    std::vector<double> sums(width, 0.0);
    std::vector<std::size_t> counts(width, 0);
    for (std::uint32_t user = 0; user < ratings.users(); ++user) {
      const UserRatings row = ratings.of(user);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (ratings.item_id(row.items[k]) != id) continue;
        for (std::size_t c = 0; c < width; ++c) {
          if ((row.present[k] >> c & 1U) == 0) continue;
          sums[c] += static_cast<double>(row.values[k * width + c]);
          ++counts[c];
        }
      }
    }
    for (const Advisor& advisor : asked_) {
      const ItemSummary summary = advisor.summary(id);
      EXPECT_EQ(summary.raters, counts[0]) << id;
      ASSERT_EQ(summary.means.size(), width);
      for (std::size_t c = 0; c < width; ++c) {
        if (counts[c] == 0) {
          EXPECT_TRUE(std::isnan(summary.means[c])) << id;
        } else {
          EXPECT_DOUBLE_EQ(summary.means[c], sums[c] / static_cast<double>(counts[c])) << id;
        }
      }
    }
  }
  for (const Advisor& advisor : asked_) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(advisor.summary("nothing")); }).code(),
              ErrorCode::not_found);
  }
}

TEST_F(AdvisorTest, ListsOfManyAreThoseOfEach) {
  const std::vector<std::string> users = all_users(model_->ratings());
  for (const Advisor& advisor : asked_) {
    const auto many = advisor.recommend(users, {.top = 5}, {.threads = 3});
    ASSERT_EQ(many.size(), users.size());
    for (std::size_t u = 0; u < users.size(); ++u) {
      EXPECT_EQ(many[u].user, users[u]);
      EXPECT_TRUE(same_list(many[u], advisor.recommend(users[u], {.top = 5}))) << users[u];
    }
  }
}

TEST_F(AdvisorTest, AnswersAreTheSameToTheRounding) {
  const Advisor& fitted = asked_[0];
  const Advisor& live = asked_[1];
  const std::vector<std::string> items = {"item/3", "item/1", "dusty"};
  for (const std::string& user : all_users(model_->ratings())) {
    const Recommendations mine = fitted.recommend(user);
    const Recommendations theirs = live.recommend(user);
    EXPECT_EQ(mine.basis, theirs.basis);
    ASSERT_EQ(ids(mine.items), ids(theirs.items)) << user;
    const double score = fitted.explain(user, "item/3").score;
    EXPECT_NEAR(live.explain(user, "item/3").score, score, 1e-5 * std::abs(score));
    const auto parts = fitted.attributions(user, items);
    const auto live_parts = live.attributions(user, items);
    for (std::size_t k = 0; k < items.size(); ++k) {
      // First and second orders nearly cancel in some parts: they are rounded like the largest.
      double largest = 0;
      for (const double part : parts[k]) largest = std::max(largest, std::abs(part));
      for (std::size_t c = 0; c < parts[k].size(); ++c) {
        EXPECT_NEAR(live_parts[k][c], parts[k][c], 1e-5 * largest) << items[k];
      }
    }
  }
  EXPECT_EQ(ids(fitted.similar("item/3")), ids(live.similar("item/3")));
}

TEST_F(AdvisorTest, SomeoneUnknownIsTheSameErrorWithTheSameHint) {
  const Error fitted = thrown_by([&] { static_cast<void>(asked_[0].recommend("nobody")); });
  const Error live = thrown_by([&] { static_cast<void>(asked_[1].recommend("nobody")); });
  EXPECT_EQ(fitted.code(), ErrorCode::not_found);
  EXPECT_STREQ(fitted.what(), live.what());
}

TEST_F(AdvisorTest, OutlivesWhatItWasCopiedFrom) {
  const std::vector<std::string> before = ids(asked_[1].recommend("user 1").items);
  live_.reset();
  model_.reset();
  EXPECT_EQ(ids(asked_[0].recommend("user 1").items), before);
  EXPECT_EQ(ids(asked_[1].recommend("user 1").items), before);
}

TEST(Attributions, OfAProfileAreThoseOfAUserWithTheSameRatings) {
  const Ratings ratings = sample_ratings();
  const std::vector<std::string> items = all_items(ratings);
  for (const Method& method : sample_methods()) {
    const Model model = fit(ratings, method);
    for (const std::string user : {"user 1", "quiet"}) {
      EXPECT_EQ(model.attributions_for(profile_of(ratings, user), items),
                model.attributions(user, items));
    }
  }
}

}  // namespace
}  // namespace palate
