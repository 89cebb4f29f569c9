// Someone who is not in the data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/errors.hpp"
#include "unit/api/sample.hpp"

namespace palate {
namespace {

using testing::all_users;
using ::testing::HasSubstr;
using testing::ids;
using testing::profile_of;
using testing::same_list;
using testing::sample_methods;
using testing::sample_ratings;
using testing::thrown_by;

TEST(ProfileOfAKnownUser, GetsTheListOfThatUser) {
  const Ratings ratings = sample_ratings();
  for (const Method& method : sample_methods()) {
    const Model model = fit(ratings, method);
    for (const std::string& user : all_users(ratings)) {
      const Recommendations list = model.recommend_for(profile_of(ratings, user));
      EXPECT_TRUE(same_list(list, model.recommend(user))) << user;
      EXPECT_EQ(list.user, "");
    }
  }
}

class ProfileTest : public ::testing::Test {
 protected:
  Model model_ = fit(sample_ratings());

  Error error_with(const Profile& profile) const {
    return thrown_by([&] { static_cast<void>(model_.recommend_for(profile)); });
  }
};

TEST_F(ProfileTest, OrderOfItsRatingsDoesNotMatter) {
  Profile profile = profile_of(model_.ratings(), "user 1");
  const Recommendations list = model_.recommend_for(profile);
  std::reverse(profile.begin(), profile.end());
  EXPECT_TRUE(same_list(model_.recommend_for(profile), list));
}

TEST_F(ProfileTest, EmptyOneGetsWhatIsPopular) {
  const Recommendations list = model_.recommend_for({});
  EXPECT_EQ(list.basis, Basis::popularity);
  EXPECT_EQ(ids(list.items), ids(model_.recommend("quiet").items));
}

TEST_F(ProfileTest, ItemNamedWithoutARatingIsNotSeen) {
  const Recommendations list = model_.recommend_for({{"item/1", {}}}, {.top = 100});
  EXPECT_THAT(ids(list.items), ::testing::Contains("item/1"));
}

TEST_F(ProfileTest, OptionsApply) {
  const Profile profile = {{"item/1", {{"overall", 5.0F}, {"c1", 2.0F}}}};
  EXPECT_EQ(model_.recommend_for(profile, {.top = 2}).items.size(), 2U);
  EXPECT_EQ(thrown_by([&] {
              static_cast<void>(model_.recommend_for(profile, {.weights = {{"c9", 1}}}));
            }).code(),
            ErrorCode::usage);
}

TEST_F(ProfileTest, MistakesAreNamed) {
  const Error item = error_with({{"no such item", {{"overall", 3.0F}}}});
  EXPECT_EQ(item.code(), ErrorCode::not_found);
  EXPECT_THAT(item.message(), HasSubstr("'no such item'"));

  const Error criterion = error_with({{"item/1", {{"smell", 3.0F}}}});
  EXPECT_EQ(criterion.code(), ErrorCode::not_found);
  EXPECT_THAT(criterion.message(), HasSubstr("'smell'"));

  const Error twice = error_with({{"item/1", {{"overall", 3.0F}}}, {"item/1", {{"c1", 3.0F}}}});
  EXPECT_EQ(twice.code(), ErrorCode::bad_input);
  EXPECT_THAT(twice.message(), HasSubstr("'item/1'"));

  for (const float value :
       {-1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    const Error bad = error_with({{"item/1", {{"c1", value}}}});
    EXPECT_EQ(bad.code(), ErrorCode::bad_input);
    EXPECT_THAT(bad.message(), HasSubstr("c1"));
  }
}

}  // namespace
}  // namespace palate
