// Asking a model for lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <set>
#include <thread>

#include "support/errors.hpp"
#include "unit/api/sample.hpp"

namespace palate::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Recommend : public ::testing::Test {
 protected:
  Ratings ratings_ = sample_ratings();
  Model model_ = fit(ratings_, sample_settings());
  const std::string ann_ = "user 1";

  ErrorCode code_with(const RecommendOptions& options) const {
    return thrown_by([&] { static_cast<void>(model_.recommend(ann_, options)); }).code();
  }
};

TEST_F(Recommend, OneManyAndAllAgree) {
  for (const Method& method : sample_methods()) {
    const Model model = fit(ratings_, method);
    const std::vector<std::string> users = all_users(ratings_);
    const auto many = model.recommend(users);
    std::vector<Recommendations> all;
    model.recommend_all({}, [&](const Recommendations& one) { all.push_back(one); });
    ASSERT_EQ(many.size(), users.size());
    ASSERT_EQ(all.size(), users.size());
    for (std::size_t u = 0; u < users.size(); ++u) {
      const Recommendations one = model.recommend(users[u]);
      EXPECT_EQ(one.user, users[u]);
      EXPECT_EQ(many[u].user, users[u]);
      EXPECT_EQ(all[u].user, users[u]);
      EXPECT_TRUE(same_list(one, many[u])) << users[u];
      EXPECT_TRUE(same_list(one, all[u])) << users[u];
    }
  }
}

TEST_F(Recommend, ItemsCarryIdTitleAndIndex) {
  const auto list = model_.recommend(ann_, {.top = 100, .exclude_seen = false});
  ASSERT_EQ(list.items.size(), ratings_.items());
  for (const Recommended& one : list.items) {
    EXPECT_EQ(one.item, ratings_.item_id(one.index));
    EXPECT_EQ(one.title, one.item == "item/3" ? "Third Thing" : one.item);
  }
}

TEST_F(Recommend, SeenItemsAreLeftOutUnlessWanted) {
  std::set<std::string> seen;
  const UserRatings row = ratings_.of(*ratings_.find_user(ann_));
  for (std::size_t k = 0; k < row.size(); ++k) {
    if ((row.present[k] & 1U) != 0) seen.emplace(ratings_.item_id(row.items[k]));
  }
  ASSERT_FALSE(seen.empty());
  const auto unseen = model_.recommend(ann_, {.top = 100});
  EXPECT_EQ(unseen.items.size(), ratings_.items() - seen.size());
  for (const Recommended& one : unseen.items) EXPECT_FALSE(seen.contains(one.item));
  EXPECT_EQ(model_.recommend(ann_, {.top = 100, .exclude_seen = false}).items.size(),
            ratings_.items());
}

TEST_F(Recommend, TopIsALimit) {
  EXPECT_THAT(model_.recommend(ann_, {.top = 0}).items, IsEmpty());
  EXPECT_EQ(model_.recommend(ann_, {.top = 3}).items.size(), 3U);
  EXPECT_NO_THROW(
      static_cast<void>(model_.recommend(ann_, {.top = std::numeric_limits<std::size_t>::max()})));
}

TEST_F(Recommend, UnknownUserIsNotFound) {
  for (const char* user : {"nobody", "", "USER 1"}) {
    const Error error = thrown_by([&] { static_cast<void>(model_.recommend(user)); });
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.message(), HasSubstr("'" + std::string(user) + "'"));
    EXPECT_THAT(error.hint(), HasSubstr("profile"));
  }
  const std::vector<std::string> some = {ann_, "nobody"};
  EXPECT_EQ(thrown_by([&] { static_cast<void>(model_.recommend(some)); }).code(),
            ErrorCode::not_found);
}

TEST_F(Recommend, NobodyAskedIsNoList) {
  EXPECT_THAT(model_.recommend(std::vector<std::string>{}), IsEmpty());
}

TEST_F(Recommend, TermWeightsChangeTheScoresOfTheirCriterionAlone) {
  const auto plain = model_.attributions(ann_, all_items(ratings_));
  const auto weighted =
      model_.attributions(ann_, all_items(ratings_), {.term_weights = {{"c1", 3}}});
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (std::size_t c = 0; c < 4; ++c) {
      const double expected = plain[i][c] * (c == 1 ? 3 : 1);
      EXPECT_NEAR(weighted[i][c], expected, 1e-5 * std::abs(expected) + 1e-9);
    }
  }
}

TEST_F(Recommend, TermWeightsCanChangeTheOrder) {
  const RecommendOptions only_c1{.top = 25,
                                 .term_weights = {{"overall", 0}, {"c2", 0}, {"c3", 0}, {"c1", 1}}};
  bool any = false;
  for (const std::string& user : all_users(ratings_)) {
    any = any || ids(model_.recommend(user, {.top = 25}).items) !=
                     ids(model_.recommend(user, only_c1).items);
  }
  EXPECT_TRUE(any);
}

TEST_F(Recommend, WeightsThatMeanNothingAreErrors) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(code_with({.weights = {{"c1", -1}}}), ErrorCode::usage);
  EXPECT_EQ(code_with({.weights = {{"c1", infinite}}}), ErrorCode::usage);
  EXPECT_EQ(code_with({.weights = {{"c1", std::nan("")}}}), ErrorCode::usage);
  EXPECT_EQ(code_with({.term_weights = {{"overall", 0}, {"c1", 0}, {"c2", 0}, {"c3", 0}}}),
            ErrorCode::usage);
  const Error unknown = thrown_by([&] {
    static_cast<void>(model_.recommend(ann_, {.weights = {{"smell", 1}}}));
  });
  EXPECT_EQ(unknown.code(), ErrorCode::usage);
  EXPECT_THAT(unknown.message(), HasSubstr("'smell'"));
  EXPECT_THAT(unknown.hint(), HasSubstr("overall, c1, c2, c3"));
}

TEST_F(Recommend, MethodsWithoutTermsPerCriterionSaySo) {
  for (const char* name : {"popularity", "item-knn", "overall-only"}) {
    const Model model = fit(ratings_, Method(name));
    const Error error = thrown_by([&] {
      static_cast<void>(model.recommend(ann_, {.term_weights = {{"c1", 2}}}));
    });
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << name;
    EXPECT_THAT(error.hint(), HasSubstr("ca-gf"));
  }
}

TEST_F(Recommend, WeightsOfOneChangeNothing) {
  for (const std::string& user : all_users(ratings_)) {
    const auto plain = model_.recommend(user, {.top = 25}).items;
    const auto same =
        model_.recommend(user, {.top = 25, .weights = {{"c1", 1}, {"overall", 1}}}).items;
    ASSERT_EQ(ids(same), ids(plain));
    for (std::size_t k = 0; k < plain.size(); ++k) {
      EXPECT_EQ(same[k].score, plain[k].score);
      EXPECT_EQ(same[k].dialled, 0);
    }
  }
}

TEST_F(Recommend, DialsWorkWithEveryMethodAndAddUp) {
  for (const char* name : {"adaptive", "ca-gf", "ease", "popularity", "item-knn"}) {
    const Model model = fit(ratings_, Method(name));
    const RecommendOptions turned{.top = 25, .weights = {{"c1", 8}, {"c2", 0.5}}};
    bool any = false;
    for (const std::string& user : all_users(ratings_)) {
      const auto items = model.recommend(user, turned).items;
      any = any || ids(items) != ids(model.recommend(user, {.top = 25}).items);
      for (const Recommended& one : items) {
        const Explanation why = model.explain(user, one.item, turned);
        ASSERT_EQ(why.dials.size(), 2U);
        double sum = why.baseline + why.dials[0].value + why.dials[1].value;
        for (const Explanation::Part& part : why.parts) sum += part.value;
        EXPECT_NEAR(sum, why.score, 1e-9 * (1 + std::abs(why.score)));
        EXPECT_NEAR(why.score, static_cast<double>(one.score), 1e-4 * (1 + std::abs(why.score)));
        EXPECT_THAT(why.dials[0].why, HasSubstr("you turned c1 up"));
        EXPECT_THAT(why.dials[1].why, HasSubstr("you turned c2 down"));
      }
    }
    EXPECT_TRUE(any) << name;
  }
}

TEST_F(Recommend, AllowAndDenyLists) {
  const RecommendOptions allowed{
      .exclude_seen = false, .allow = {"item/1", "item/2", "item/3"}, .deny = {"item/2"}};
  EXPECT_THAT(ids(model_.recommend(ann_, allowed).items),
              ::testing::UnorderedElementsAre("item/1", "item/3"));
  const auto best = ids(model_.recommend(ann_).items);
  const auto denied = ids(model_.recommend(ann_, {.deny = {best[0], best[1]}}).items);
  EXPECT_THAT(denied, Not(Contains(best[0])));
  EXPECT_EQ(denied[0], best[2]);
}

TEST_F(Recommend, AllowListOfUnknownItemsOnlyIsNotFound) {
  EXPECT_EQ(code_with({.allow = {"no such item"}}), ErrorCode::not_found);
  EXPECT_THAT(ids(model_.recommend(ann_, {.exclude_seen = false, .allow = {"?", "item/1"}}).items),
              ElementsAre("item/1"));
}

TEST_F(Recommend, SomeoneWithoutRatingsGetsWhatIsPopularAndIsTold) {
  const Recommendations list = model_.recommend("quiet");
  EXPECT_EQ(list.basis, Basis::popularity);
  const auto popular = fit(ratings_, Method("popularity")).recommend("quiet");
  EXPECT_EQ(ids(list.items), ids(popular.items));
  EXPECT_EQ(model_.recommend(ann_).basis, Basis::ratings);
  EXPECT_THAT(ids(model_.recommend("quiet", {.deny = {list.items[0].item}}).items),
              Not(Contains(list.items[0].item)));
}

TEST_F(Recommend, OverallOnlyModelIsToldOfPeopleWhoNeverRatedOverall) {
  constexpr float absent = std::numeric_limits<float>::quiet_NaN();
  RatingsBuilder builder({"overall", "taste"});
  builder.add("a", "x", std::vector<float>{4, 4});
  builder.add("a", "y", std::vector<float>{4, 4});
  builder.add("taster", "x", std::vector<float>{absent, 5});
  const Ratings ratings = builder.build();
  EXPECT_EQ(fit(ratings, Method("overall-only")).recommend("taster").basis, Basis::popularity);
  EXPECT_EQ(fit(ratings, CaGf{}).recommend("taster").basis, Basis::ratings);
}

TEST_F(Recommend, SimilarItems) {
  const auto alike = model_.similar("item/3", 5);
  ASSERT_EQ(alike.size(), 5U);
  EXPECT_THAT(ids(alike), Not(Contains("item/3")));
  EXPECT_THAT(model_.similar("dusty"), IsEmpty());
  EXPECT_EQ(thrown_by([&] { static_cast<void>(model_.similar("no such item")); }).code(),
            ErrorCode::not_found);
}

TEST_F(Recommend, ManyThreadsMayShareOneModel) {
  const std::vector<std::string> users = all_users(ratings_);
  const auto expected = model_.recommend(users);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t n = 0; n < users.size(); ++n) {
        const std::size_t u = (n + t * 3) % users.size();
        if (!same_list(model_.recommend(users[u]), expected[u])) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Recommend, StopsWhenAsked) {
  const std::vector<std::string> users = all_users(ratings_);
  const RunOptions stop{.progress = [](auto, auto, auto) { return false; }};
  EXPECT_EQ(thrown_by([&] { static_cast<void>(model_.recommend(users, {}, stop)); }).code(),
            ErrorCode::cancelled);
  EXPECT_EQ(thrown_by([&] {
              model_.recommend_all(
                  {}, [](const Recommendations&) {}, stop);
            }).code(),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace palate::testing
