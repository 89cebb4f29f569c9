// What a person reads of a score: the match, the predicted rating, and what is lost on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/temporary_folder.hpp"
#include "unit/api/sample.hpp"

namespace palate {
namespace {

using testing::all_items;
using testing::all_users;
using ::testing::HasSubstr;
using testing::ids;
using ::testing::IsEmpty;
using testing::profile_of;
using testing::sample_methods;
using testing::sample_ratings;

std::vector<Method> methods_to_try() {
  std::vector<Method> out = sample_methods();
  out.push_back(Method("adaptive", {{"lambda", "5"}}));
  out.push_back(Method("ease"));
  return out;
}

std::vector<std::string> rated_overall(const Profile& profile) {
  std::vector<std::string> out;
  for (const ProfileRating& rating : profile) {
    for (const auto& [name, value] : rating.values) {
      if (name == "overall") out.push_back(rating.item);
    }
  }
  return out;
}

struct Wanted {
  std::map<std::string, double> match;
  double place = 0;  ///< what one item more or less below makes
};

// The definition, from a list of everything there is.
Wanted slow_matches(const Recommendations& everything, const std::vector<std::string>& rated) {
  Wanted out;
  for (const Recommended& one : everything.items) {
    double lower = 0;
    double others = 0;
    for (const Recommended& other : everything.items) {
      if (other.item == one.item || std::ranges::count(rated, other.item) > 0) continue;
      ++others;
      lower += other.score < one.score ? 1 : 0;
    }
    out.match[one.item] = others > 0 ? 100 * lower / others : 100;
    out.place = std::max(out.place, others > 0 ? 100.01 / others : 0.01);
  }
  return out;
}

// Two ways to a score may round a near tie differently, which is one place in the line.
void expect_matches(const Recommendations& list, const Wanted& wanted) {
  double before = 100;
  for (const Recommended& one : list.items) {
    ASSERT_TRUE(one.match.has_value());
    EXPECT_GE(*one.match, 0);
    EXPECT_LE(*one.match, before) << "never rises along a list";
    EXPECT_NEAR(*one.match, wanted.match.at(one.item), wanted.place) << one.item;
    before = *one.match;
  }
}

void expect_matches(const Advisor& model, const Ratings& ratings, const std::string& user,
                    RecommendOptions options) {
  options.exclude_seen = false;
  options.top = ratings.items();
  const Profile profile = profile_of(ratings, user);
  const auto wanted = slow_matches(model.recommend(user, options), rated_overall(profile));
  for (const std::size_t top : {std::size_t{1}, std::size_t{4}, ratings.items()}) {
    for (const bool exclude : {true, false}) {
      RecommendOptions how = options;
      how.top = top;
      how.exclude_seen = exclude;
      expect_matches(model.recommend(user, how), wanted);
      how.deny = {"item/1", "item/7"};
      expect_matches(model.recommend(user, how), wanted);
      how.allow = {"item/2", "item/3", "item/5", "item/8"};
      expect_matches(model.recommend(user, how), wanted);
    }
  }
}

TEST(Match, IsTheShareOfWhatScoresLowerForEveryMethodDialsTurnedOrNot) {
  const Ratings ratings = sample_ratings();
  for (const Method& method : methods_to_try()) {
    SCOPED_TRACE(method.to_json());
    const Model model = fit(ratings, method);
    for (const std::string user : {"user 1", "user 17", "quiet"}) {
      SCOPED_TRACE(user);
      expect_matches(model, ratings, user, {});
      expect_matches(model, ratings, user, {.weights = {{"c1", 4}, {"c2", 0.5}}});
    }
  }
}

TEST(Match, IsThatOfExplanationsNewcomersAndLiveModels) {
  const Ratings ratings = sample_ratings();
  const Model model = fit(ratings, testing::sample_settings());
  const std::string user = "user 3";
  const Recommendations list = model.recommend(user, {.top = 8, .weights = {{"c1", 2}}});
  for (const Recommended& one : list.items) {
    const Explanation why = model.explain(user, one.item, {.weights = {{"c1", 2}}});
    EXPECT_EQ(why.match, *one.match);
    const auto row = list.predicted_for(static_cast<std::size_t>(&one - list.items.data()));
    EXPECT_TRUE(std::ranges::equal(why.predicted, row));
  }
  const Profile profile = profile_of(ratings, user);
  const Recommendations plain = model.recommend(user);
  const Recommendations newcomer = model.recommend_for(profile);
  LiveModel live(model);
  const Recommendations now = live.snapshot().recommend(user);
  ASSERT_EQ(ids(newcomer.items), ids(plain.items));
  ASSERT_EQ(ids(now.items), ids(plain.items));
  for (std::size_t k = 0; k < plain.items.size(); ++k) {
    EXPECT_EQ(newcomer.items[k].match, plain.items[k].match);
    EXPECT_EQ(now.items[k].match, plain.items[k].match);
  }
  EXPECT_EQ(newcomer.predicted, plain.predicted);
  EXPECT_EQ(now.predicted, plain.predicted);
}

TEST(Match, OfALiveModelCountsWhatIsThereNow) {
  LiveModel live(fit(sample_ratings(), testing::sample_settings()));
  live.remove_item("item/3");
  live.remove_item("item/4");
  live.add_item("late");
  const LiveSnapshot snapshot = live.snapshot();
  const Recommendations all = snapshot.recommend("user 1", {.top = 100});
  ASSERT_FALSE(all.items.empty());
  const auto rated = rated_overall(profile_of(sample_ratings(), "user 1"));
  const auto wanted =
      slow_matches(snapshot.recommend("user 1", {.top = 100, .exclude_seen = false}), rated);
  expect_matches(all, wanted);
  expect_matches(snapshot.recommend("user 1", {.top = 2}), wanted);
}

TEST(Match, IsSensibleWhereThereIsNothingToTellApart) {
  RatingsBuilder apart({"overall"});
  for (const auto& [user, item] : {std::pair("a", "x"), {"a", "y"}, {"b", "z"}, {"b", "w"}}) {
    apart.add(user, item, std::vector<float>{4});
  }
  const Model unlinked = fit(apart.build(), CaGf{});
  for (const Recommended& one : unlinked.recommend("a").items) {
    EXPECT_EQ(one.score, 0);
    EXPECT_EQ(one.match, 0) << "nothing scores lower";
  }
  RatingsBuilder lonely({"overall"});
  lonely.add("a", "only", std::vector<float>{4});
  lonely.add_user("new");
  const Model one = fit(lonely.build(), Method("popularity"));
  EXPECT_EQ(one.recommend("new").items.front().match, 100);
  EXPECT_THAT(one.recommend("a").items, IsEmpty());
  EXPECT_EQ(one.explain("a", "only").match, 100);
}

TEST(Match, IsNotThereForSimilarItems) {
  const Model model = fit(sample_ratings(), testing::sample_settings());
  for (const Recommended& one : model.similar("item/3")) {
    EXPECT_FALSE(one.match.has_value());
  }
}

// People who rate generously or not, items that are good or not.
Ratings people_who_differ() {
  return synthesize({.users = 300, .items = 80, .criteria = {"food", "service"}, .seed = 5});
}

TEST(PredictedRatings, AreBetterThanPlainMeansOnRatingsNotSeen) {
  const Split parts = split(people_who_differ());
  const Model model = fit(parts.train, Method("popularity"));
  const std::vector<PredictionError> known = model.prediction_errors();
  ASSERT_FALSE(known.empty());
  for (const PredictionError& error : known) {
    EXPECT_LT(error.mae, error.trivial_mae);
    EXPECT_GT(error.mae, 0);
    EXPECT_GE(error.ratings, 20U);
  }
  const std::vector<PredictionError> measured = measure_predictions(model, parts.test);
  ASSERT_EQ(measured.size(), known.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    EXPECT_EQ(measured[k].criterion, known[k].criterion);
    EXPECT_EQ(measured[k].ratings, parts.test.ratings_of(measured[k].criterion));
    EXPECT_LT(measured[k].mae, measured[k].trivial_mae);
    EXPECT_NEAR(measured[k].mae, known[k].mae, 0.15 * known[k].mae);
  }
}

TEST(PredictedRatings, AreOnTheScaleAndTheSameForAnyNumberOfThreadsAndFromAFile) {
  const Ratings ratings = people_who_differ();
  const Model model = fit(ratings, Method("item-knn"));
  const testing::TemporaryFolder folder;
  model.save(folder / "m.palate");
  const Model again = Model::load(folder / "m.palate");
  ASSERT_EQ(again.prediction_errors().size(), model.prediction_errors().size());
  EXPECT_EQ(again.prediction_errors().front().mae, model.prediction_errors().front().mae);
  const std::vector<std::string> users = all_users(ratings);
  const auto one = model.recommend(users, {}, {.threads = 1});
  const auto many = again.recommend(users, {}, {.threads = 3});
  for (std::size_t u = 0; u < users.size(); ++u) {
    ASSERT_EQ(one[u].items.size(), many[u].items.size());
    ASSERT_EQ(one[u].predicted.size(), one[u].items.size() * ratings.criteria().size());
    EXPECT_EQ(one[u].predicted, many[u].predicted);
    for (std::size_t k = 0; k < one[u].items.size(); ++k) {
      EXPECT_EQ(one[u].items[k].match, many[u].items[k].match);
      for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
        EXPECT_GE(one[u].predicted_for(k)[c], ratings.criteria()[c].min);
        EXPECT_LE(one[u].predicted_for(k)[c], ratings.criteria()[c].max);
      }
    }
  }
}

TEST(PredictedRatings, FollowNewRatingsOfALiveModel) {
  const Ratings ratings = people_who_differ();
  LiveModel live(fit(ratings, Method("item-knn")));
  const std::string user(ratings.user_id(0));
  const Recommendations before = live.snapshot().recommend(user, {.top = 1});
  const Recommended& first = before.items.front();
  std::vector<RatingChange> changes;
  for (std::uint32_t u = 1; u < 120; ++u) {
    changes.push_back({std::string(ratings.user_id(u)), first.item, {1, 1, 1}});
  }
  live.apply(changes);
  const Recommendations now = live.snapshot().recommend(user, {.top = 80});
  const auto found = std::ranges::find(now.items, first.item, &Recommended::item);
  ASSERT_NE(found, now.items.end());
  const auto place = static_cast<std::size_t>(found - now.items.begin());
  EXPECT_LT(now.predicted_for(place)[0], before.predicted_for(0)[0] - 0.5F);
}

TEST(Notes, SayWhereACriterionThatCountsIsLostInItsFilter) {
  const Ratings ratings = sample_ratings();
  const Filter hardly{{1e-7}, 1.0};
  const Model model = fit(ratings, CaGf{.filters = {{"overall", linear()}, {"c1", hardly}}});
  const std::string user = "user 1";
  const std::string item = model.recommend(user).items.front().item;
  const Explanation why = model.explain(user, item);
  ASSERT_EQ(why.notes.size(), 1U);
  EXPECT_THAT(why.notes.front(), HasSubstr("this person weighs c1 "));
  EXPECT_THAT(why.notes.front(), HasSubstr("adds less than 0.001 % of the score"));
  const Model plain = fit(ratings, CaGf{});
  EXPECT_THAT(plain.explain(user, plain.recommend(user).items.front().item).notes, IsEmpty());
}

}  // namespace
}  // namespace palate
