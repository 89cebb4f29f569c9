// What a caller of a live model may rely on whose weights between items follow by fits alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "palate/palate.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

using testing::random_ratings;
using testing::thrown_by;

constexpr float absent = std::numeric_limits<float>::quiet_NaN();

Model some_model() {
  return fit(random_ratings({.users = 40, .items = 60, .criteria = 3}, 5), Method("adaptive"));
}

void rate(LiveModel& live, const std::string& user, const std::string& item,
          std::vector<float> values) {
  const RatingChange change{user, item, std::move(values)};
  live.apply({&change, 1});
}

std::vector<std::string> list_of(const Advisor& asked, const std::string& user,
                                 const RecommendOptions& options = {}) {
  std::vector<std::string> out;
  for (const Recommended& one : asked.recommend(user, options).items) out.push_back(one.item);
  return out;
}

TEST(LiveFit, ARatingCountsForWhoeverGaveItAndTheWeightsStay) {
  LiveModel live(some_model());
  EXPECT_FALSE(live.follows());
  const LiveSnapshot before = live.snapshot();
  const auto mine = list_of(before, "user 3");
  rate(live, "user 3", mine[0], {5, 5, absent});
  const LiveSnapshot after = live.snapshot();
  EXPECT_NE(list_of(after, "user 3"), mine);
  EXPECT_FALSE(std::ranges::count(list_of(after, "user 3"), mine[0]));
  EXPECT_EQ(list_of(before, "user 3"), mine) << "an earlier state stays as it is";
  EXPECT_EQ(list_of(after, "user 4"), list_of(before, "user 4"));
  EXPECT_EQ(after.similar(mine[0])[0].score, before.similar(mine[0])[0].score);
  EXPECT_FALSE(live.follow()) << "nothing follows but by a fit";
}

TEST(LiveFit, SaysHowManyRatingsTheWeightsDoNotCountAndSinceWhen) {
  LiveModel live(some_model());
  live.add_user("nobody yet");
  live.add_item("an item", "A Title");
  EXPECT_EQ(live.snapshot().behind(), 0U) << "there is no rating that they miss";
  EXPECT_EQ(live.snapshot().graph_version(), 2U);
  EXPECT_FALSE(live.snapshot().behind_since());
  const auto start = std::chrono::steady_clock::now();
  live.apply(std::vector<RatingChange>{{"a", "item/1", {1, 2, 3}}, {"b", "item/2", {4, 4, 4}}});
  const LiveSnapshot first = live.snapshot();
  EXPECT_EQ(first.version(), 3U);
  EXPECT_EQ(first.graph_version(), 2U);
  EXPECT_EQ(first.behind(), 2U);
  ASSERT_TRUE(first.behind_since());
  EXPECT_GE(*first.behind_since(), start);
  EXPECT_LE(*first.behind_since(), std::chrono::steady_clock::now());
  rate(live, "a", "item/1", {1, 2, 3});
  EXPECT_EQ(live.snapshot().behind(), 2U) << "nothing has changed";
  live.remove_user("b");
  EXPECT_EQ(live.snapshot().behind(), 3U);
  EXPECT_EQ(live.snapshot().graph_version(), 2U);
  EXPECT_EQ(live.snapshot().behind_since(), first.behind_since());
}

TEST(LiveFit, AnItemThatCameLaterIsKnownAndHasNoWeightYet) {
  LiveModel live(some_model());
  rate(live, "someone", "a new item", {5, 5, 5});
  rate(live, "user 1", "a new item", {4, absent, 2});
  const LiveSnapshot state = live.snapshot();
  EXPECT_EQ(state.items(), 61U);
  EXPECT_EQ(state.summary("a new item").raters, 2U);
  EXPECT_TRUE(state.similar("a new item").empty());
  const Recommendations only = state.recommend("user 2", {.allow = {"a new item"}});
  ASSERT_EQ(only.items.size(), 1U);
  EXPECT_EQ(only.basis, Basis::ratings);
  EXPECT_EQ(only.items[0].score, 0.0F);
  EXPECT_TRUE(state.explain("user 2", "a new item").parts.empty());
  EXPECT_EQ(state.recommend("someone").basis, Basis::popularity)
      << "of what they rated, nothing is learned yet";
  EXPECT_EQ(state.recommend_for({{"a new item", {{"overall", 5.0F}}}}).basis, Basis::popularity);
  live.add_user("nobody yet");
  const auto popular = live.snapshot().recommend("nobody yet", {.allow = {"a new item"}});
  EXPECT_EQ(popular.items.at(0).score, 2.0F) << "what is popular is so now";
}

TEST(LiveFit, WhatIsRemovedIsInNoListAndWhoeverIsRemovedIsForgotten) {
  LiveModel live(some_model());
  const std::string item = live.snapshot().similar("item/1")[0].item;
  live.remove_item(item);
  live.remove_user("user 1");
  const LiveSnapshot state = live.snapshot();
  EXPECT_EQ(thrown_by([&] { (void)state.recommend("user 1"); }).code(), ErrorCode::not_found);
  EXPECT_EQ(thrown_by([&] { (void)state.explain("user 2", item); }).code(), ErrorCode::not_found);
  const auto alike = state.similar("item/1", 100);
  EXPECT_FALSE(alike.empty());
  for (const Recommended& one : alike) EXPECT_NE(one.item, item);
  const auto all = list_of(state, "user 2", {.top = 100, .exclude_seen = false});
  EXPECT_EQ(all.size(), 59U);
  EXPECT_FALSE(std::ranges::count(all, item));
}

TEST(LiveFit, ARefitCountsEverything) {
  LiveModel live(some_model());
  rate(live, "someone", "a new item", {5, 5, 5});
  rate(live, "someone", "item/1", {4, 4, 4});
  rate(live, "user 2", "a new item", {5, 4, 5});
  const Model model = live.refit();
  const LiveModel next(model);
  EXPECT_EQ(next.snapshot().behind(), 0U);
  EXPECT_FALSE(next.snapshot().similar("a new item").empty());
  EXPECT_EQ(list_of(next.snapshot(), "someone"), list_of(model, "someone"));
  EXPECT_EQ(next.snapshot().info().settings, live.snapshot().info().settings);
}

// Whenever the callback says stop, in whatever stage.
TEST(LiveFit, ARefitCanBeStopped) {
  const Ratings ratings = random_ratings({.users = 60, .items = 700, .criteria = 2}, 5);
  const LiveModel live(fit(ratings, Method("adaptive")));
  std::size_t calls = 0;
  std::size_t most = 0;
  const RunOptions run{.threads = 1, .progress = [&](auto, auto, auto) { return ++calls <= most; }};
  // A call at the end of the graph, and one per tile and pass of the inverse, at the least.
  for (std::size_t stop_at = 0; stop_at < 10; ++stop_at) {
    most = stop_at;
    calls = 0;
    EXPECT_EQ(thrown_by([&] { static_cast<void>(live.refit(run)); }).code(), ErrorCode::cancelled);
  }
}

// The strongest links may change with every rating, so that no exact following is possible.
TEST(LiveFit, AGraphOfTheStrongestLinksStaysAsItWasFitted) {
  const Ratings ratings = random_ratings({.users = 40, .items = 60, .criteria = 3}, 5);
  const Model model = fit(ratings, CaGf{.computing = {.neighbours = 5}});
  LiveModel live(model);
  EXPECT_FALSE(live.follows());
  EXPECT_EQ(live.snapshot().info().storage, "bounded");
  EXPECT_EQ(live.snapshot().info().filters.size(), 3U);
  EXPECT_EQ(live.snapshot().info().bytes, model.info().bytes);
  EXPECT_EQ(list_of(live.snapshot(), "user 1"), list_of(model, "user 1"));
}

}  // namespace
}  // namespace palate
