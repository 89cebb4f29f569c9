// What a caller of a live model may rely on.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "palate/live.hpp"
#include "palate/palate.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::random_ratings;
using testing::thrown_by;

constexpr float absent = std::numeric_limits<float>::quiet_NaN();

CaGf exact_settings() {
  return {.filters = {{"overall", outward(0.85)}, {"c1", inward(1.5)}},
          .other = linear(0.6),
          .computing = {.solver = Solver::exact}};
}

Model some_model() {
  return fit(random_ratings({.users = 40, .items = 60, .criteria = 3}, 5), exact_settings());
}

void rate(LiveModel& live, const std::string& user, const std::string& item,
          std::vector<float> values) {
  const RatingChange change{user, item, std::move(values)};
  live.apply({&change, 1});
}

std::vector<std::pair<std::string, float>> list_of(const LiveSnapshot& state,
                                                   const std::string& user) {
  std::vector<std::pair<std::string, float>> out;
  for (const Recommended& one : state.recommend(user).items) out.emplace_back(one.item, one.score);
  return out;
}

// The lists of some people have the scores that a model fitted anew gives them.
void expect_as_refitted(const LiveModel& live, const std::vector<std::string>& users) {
  const Model refitted = live.refit();
  const LiveSnapshot state = live.snapshot();
  for (const std::string& user : users) {
    const auto expected = refitted.recommend(user).items;
    const auto list = list_of(state, user);
    ASSERT_EQ(list.size(), expected.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      EXPECT_NEAR(list[k].second, expected[k].score, 1e-5 * std::abs(expected[k].score)) << user;
    }
  }
}

TEST(LiveModel, BeginsWithTheModel) {
  const Model model = some_model();
  const LiveModel live(model);
  const LiveSnapshot state = live.snapshot();
  EXPECT_EQ(state.version(), 0U);
  EXPECT_EQ(state.users(), model.ratings().users());
  EXPECT_EQ(state.items(), model.ratings().items());
  EXPECT_EQ(state.interactions(), model.ratings().interactions());
  const ModelInfo mine = state.info();
  const ModelInfo theirs = model.info();
  EXPECT_EQ(mine.settings, theirs.settings);
  EXPECT_EQ(mine.storage, "dense");
  EXPECT_EQ(mine.solver, "exact");
  EXPECT_EQ(mine.graph_entries, theirs.graph_entries);
  EXPECT_EQ(live.changes_since_fit(), 0U);
  EXPECT_GE(live.graph_age(), 0.0);
}

TEST(LiveModel, ARatingCountsAtOnceAndOnlyInLaterStates) {
  LiveModel live(some_model());
  const LiveSnapshot before = live.snapshot();
  const std::string item = before.recommend("user 3").items[0].item;
  const auto old_list = list_of(before, "user 3");
  const auto old_raters = before.summary(item).raters;
  rate(live, "user 3", item, {5, 4, absent});
  const LiveSnapshot after = live.snapshot();
  EXPECT_EQ(after.version(), before.version() + 1);
  EXPECT_EQ(after.summary(item).raters, old_raters + 1);
  EXPECT_EQ(live.changes_since_fit(), 1U);
  for (const auto& [id, score] : list_of(after, "user 3")) EXPECT_NE(id, item);
  EXPECT_EQ(list_of(before, "user 3"), old_list);
  EXPECT_EQ(before.summary(item).raters, old_raters);
}

TEST(LiveModel, ChangesOfOneCallAreOneState) {
  LiveModel live(some_model());
  const std::vector<RatingChange> changes = {{"new", "item/1", {1, 2, 3}},
                                             {"new", "item/1", {4, 4, 4}},
                                             {"new", "item/2", {5, absent, absent}},
                                             {"new", "item/2", {}}};
  const std::size_t before = live.snapshot().interactions();
  live.apply(changes);
  EXPECT_EQ(live.snapshot().version(), 1U);
  EXPECT_EQ(live.snapshot().interactions(), before + 1) << "the last word on a pair counts";
}

TEST(LiveModel, KnowsNewPeopleAndItems) {
  LiveModel live(some_model());
  rate(live, "someone/new", "a new item", {5, 5, 5});
  rate(live, "someone/new", "item/3", {4, absent, 2});
  live.add_item("another", "Another One");
  live.add_user("nobody yet");
  const LiveSnapshot state = live.snapshot();
  EXPECT_TRUE(state.knows_user("someone/new"));
  EXPECT_TRUE(state.knows_item("a new item"));
  EXPECT_EQ(state.items(), 62U);
  EXPECT_EQ(state.users(), 42U);
  EXPECT_EQ(state.recommend("someone/new").basis, Basis::ratings);
  const auto alike = state.similar("a new item", 5);
  ASSERT_EQ(alike.size(), 1U);
  EXPECT_EQ(alike[0].item, "item/3");
  const Recommendations for_nobody = state.recommend("nobody yet", {.top = 100});
  EXPECT_EQ(for_nobody.basis, Basis::popularity);
  ASSERT_EQ(for_nobody.items.size(), 62U);
  EXPECT_EQ(for_nobody.items.back().item, "another");
  EXPECT_EQ(for_nobody.items.back().title, "Another One");
  EXPECT_EQ(state.item_id(for_nobody.items.back().index), "another");
}

TEST(LiveModel, ForgetsWhoeverIsRemoved) {
  LiveModel live(some_model());
  const LiveSnapshot before = live.snapshot();
  live.remove_user("user 1");
  live.remove_item("item/2");
  const LiveSnapshot state = live.snapshot();
  EXPECT_FALSE(state.knows_user("user 1"));
  EXPECT_FALSE(state.knows_item("item/2"));
  EXPECT_TRUE(before.knows_user("user 1"));
  EXPECT_EQ(thrown_by([&] { (void)state.recommend("user 1"); }).code(), ErrorCode::not_found);
  EXPECT_EQ(thrown_by([&] { (void)state.similar("item/2"); }).code(), ErrorCode::not_found);
  EXPECT_EQ(thrown_by([&] { (void)state.summary("item/2"); }).code(), ErrorCode::not_found);
  EXPECT_EQ(thrown_by([&] { (void)state.explain("user 2", "item/2"); }).code(),
            ErrorCode::not_found);
  for (const RecommendOptions& options :
       {RecommendOptions{.top = 100, .exclude_seen = false},
        RecommendOptions{.top = 100, .exclude_seen = false, .deny = {"item/5"}}}) {
    for (const Recommended& one : state.recommend("user 2", options).items) {
      EXPECT_NE(one.item, "item/2");
    }
  }
  EXPECT_EQ(state.recommend("user 2", {.top = 100, .exclude_seen = false}).items.size(), 59U);
  live.remove_user("user 1");
  live.remove_item("never there");
  EXPECT_EQ(live.snapshot().version(), state.version()) << "nothing has changed";
  rate(live, "user 1", "item/2", {3, 3, 3});
  EXPECT_TRUE(live.snapshot().knows_user("user 1"));
  EXPECT_EQ(live.snapshot().summary("item/2").raters, 1U);
}

TEST(LiveModel, SaysHowAnItemIsRated) {
  RatingsBuilder builder(std::vector<std::string>{"overall", "c1"});
  builder.add("a", "x", std::vector<float>{4, 2});
  builder.add("b", "x", std::vector<float>{2, absent});
  builder.add("b", "y", std::vector<float>{absent, 3});
  LiveModel live(fit(builder.build(), CaGf{.computing = {.solver = Solver::exact}}));
  auto x = live.snapshot().summary("x");
  EXPECT_EQ(x.raters, 2U);
  EXPECT_DOUBLE_EQ(x.means[0], 3.0);
  EXPECT_DOUBLE_EQ(x.means[1], 2.0);
  EXPECT_TRUE(std::isnan(live.snapshot().summary("y").means[0]));
  rate(live, "a", "x", {5, absent});
  x = live.snapshot().summary("x");
  EXPECT_DOUBLE_EQ(x.means[0], 3.5);
  EXPECT_TRUE(std::isnan(x.means[1]));
}

TEST(LiveModel, AProfileGetsWhatAFittedModelGivesIt) {
  LiveModel live(some_model());
  rate(live, "user 1", "item/7", {4, 4, 4});
  const Model refit = live.refit();
  const Profile profile = {{"item/1", {{"overall", 5.0F}}}, {"item/4", {{"c1", 3.0F}}}};
  const auto mine = live.snapshot().recommend_for(profile, {.top = 5});
  const auto theirs = refit.recommend_for(profile, {.top = 5});
  ASSERT_EQ(mine.items.size(), theirs.items.size());
  for (std::size_t k = 0; k < mine.items.size(); ++k) {
    EXPECT_EQ(mine.items[k].item, theirs.items[k].item);
    EXPECT_NEAR(mine.items[k].score, theirs.items[k].score, 1e-5 * theirs.items[k].score);
    const std::vector<std::string> items = {mine.items[k].item};
    double sum = 0;
    const auto rows = live.snapshot().attributions_for(profile, items);
    for (const double part : rows[0]) sum += part;
    EXPECT_NEAR(sum, mine.items[k].score, 1e-5 * sum);
    EXPECT_NEAR(live.snapshot().explain_for(profile, items[0]).score, sum, 1e-5 * sum);
  }
}

TEST(LiveModel, ABadChangeChangesNothing) {
  LiveModel live(some_model());
  const std::vector<std::pair<RatingChange, const char*>> bad = {
      {{"user 1", "item/1", {1, -1, 3}}, "c1"},
      {{"user 1", "item/1", {1, std::numeric_limits<float>::infinity(), 3}}, "c1"},
      {{"user 1", "item/1", {absent, absent, absent}}, "no value"},
      {{"user 1", "item/1", {1, 2}}, "2 values"},
      {{"", "item/1", {1, 2, 3}}, "user"},
      {{"user 1", "", {}}, "item"}};
  for (const auto& [change, what] : bad) {
    const std::vector<RatingChange> changes = {{"user 1", "item/new", {1, 2, 3}}, change};
    const Error error = thrown_by([&] { live.apply(changes); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr(what));
  }
  EXPECT_EQ(thrown_by([&] { live.add_item(""); }).code(), ErrorCode::bad_input);
  EXPECT_EQ(live.snapshot().version(), 0U);
  EXPECT_FALSE(live.snapshot().knows_item("item/new"));
}

TEST(LiveModel, TakingBackWhatIsNotThereIsNoError) {
  LiveModel live(some_model());
  const auto before = live.snapshot().interactions();
  rate(live, "nobody", "item/1", {});
  rate(live, "user 1", "nothing", {});
  EXPECT_EQ(live.snapshot().interactions(), before);
  EXPECT_FALSE(live.snapshot().knows_user("nobody"));
  EXPECT_FALSE(live.snapshot().knows_item("nothing"));
}

TEST(LiveModel, ARefitIsAModelOfTheSameRatings) {
  LiveModel live(some_model());
  rate(live, "someone", "item/1", {5, 1, 2});
  rate(live, "someone", "a new item", {5, 1, 2});
  live.add_item("item/4", "Four");
  live.remove_user("user 0");
  const LiveSnapshot state = live.snapshot();
  const Model model = live.refit();
  EXPECT_EQ(model.ratings().users(), state.users());
  EXPECT_EQ(model.ratings().items(), state.items());
  EXPECT_EQ(model.ratings().interactions(), state.interactions());
  EXPECT_EQ(model.info().settings, state.info().settings);
  EXPECT_EQ(model.ratings().item_title(*model.ratings().find_item("item/4")), "Four");
  const LiveModel again(model);
  EXPECT_EQ(again.snapshot().interactions(), state.interactions());
}

// A mistaken rating of absurd size leaves no trace once it is corrected.
TEST(LiveModel, RecoversFromAbsurdValues) {
  LiveModel live(some_model());
  const auto before = list_of(live.snapshot(), "user 4");
  rate(live, "user 5", "an item", {1e30F, 1e-30F, 1e20F});
  for (const auto& [item, score] : list_of(live.snapshot(), "user 4")) {
    EXPECT_TRUE(std::isfinite(score));
  }
  rate(live, "user 5", "an item", {});
  const auto after = list_of(live.snapshot(), "user 4");
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t k = 0; k < after.size(); ++k) {
    EXPECT_EQ(after[k].first, before[k].first);
    EXPECT_NEAR(after[k].second, before[k].second, 1e-5 * before[k].second);
  }
}

// The criteria preference overflows while the sums are already half changed.
TEST(LiveModel, GoesOnAfterAChangeThatFailedHalfway) {
  CaGf settings = exact_settings();
  settings.preference = 20.0;
  RatingsBuilder builder(std::vector<std::string>{"overall", "c1"});
  for (int u = 0; u < 31; ++u) {
    for (int i = u % 3; i < 12; i += 1 + u % 4) {
      builder.add("u" + std::to_string(u), "i" + std::to_string(i),
                  std::vector<float>{1.0F + static_cast<float>((u + i) % 5), absent});
    }
  }
  LiveModel live(fit(builder.build(), settings));
  const auto before = list_of(live.snapshot(), "u1");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Error error = thrown_by([&] { rate(live, "one too many", "i5", {5, absent}); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(live.snapshot().version(), 0U);
    EXPECT_FALSE(live.snapshot().knows_user("one too many"));
    EXPECT_EQ(list_of(live.snapshot(), "u1"), before);
  }
  live.remove_user("u3");
  rate(live, "u1", "i5", {2, absent});
  rate(live, "another", "new", {2, absent});
  expect_as_refitted(live, {"u1", "u2", "another"});
}

// Each state holds the same value for all criteria of all items of one user: whoever sees two
// different ones has seen half of a change.
TEST(LiveModel, ReadersSeeWholeStatesWhileSomeoneWrites) {
  LiveModel live(some_model());
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  std::atomic<std::size_t> asked{0};
  std::atomic<std::size_t> broken{0};
  for (int n = 0; n < 3; ++n) {
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!stop) {
        const LiveSnapshot state = live.snapshot();
        if (state.version() < last) ++broken;
        last = state.version();
        if (!state.knows_user("writer")) continue;
        const auto first = state.summary("w1").means;
        const auto second = state.summary("w2").means;
        if (first != second || first[0] != first[2]) ++broken;
        const auto list = state.recommend("writer", {.top = 3});
        const auto again = state.recommend("writer", {.top = 3});
        for (std::size_t k = 0; k < list.items.size(); ++k) {
          if (list.items[k].score != again.items[k].score) ++broken;
          const auto why = state.explain("writer", list.items[k].item);
          const auto score = static_cast<double>(list.items[k].score);
          if (!(std::abs(why.score - score) <= 1e-4 * std::abs(score) + 1e-9)) ++broken;
        }
        ++asked;
      }
    });
  }
  for (int k = 0; k < 300 || asked < 100; ++k) {
    const float value = 1.0F + static_cast<float>(k % 5);
    const std::vector<RatingChange> changes = {
        {"writer", "w1", {value, value, value}},
        {"writer", "w2", {value, value, value}},
        {"writer", "item/" + std::to_string(k % 50), {value, value, value}}};
    live.apply(changes);
    if (k % 10 == 0) live.add_item("further " + std::to_string(k));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(broken, 0U);
}

TEST(LiveModel, CountsARatingAtOnceAndTheGraphFollowsLater) {
  LiveModel live(some_model());
  const auto similar = [&] { return live.snapshot().similar("item/1").front().score; };
  const auto before = list_of(live.snapshot(), "user 1");
  const auto likeness = similar();
  const RatingChange change{"user 1", "item/1", {1, 5, 3}};
  live.apply({&change, 1}, Follow::later);
  live.add_item("quite new");
  LiveSnapshot state = live.snapshot();
  EXPECT_EQ(state.version(), 2U);
  EXPECT_EQ(state.graph_version(), 0U);
  EXPECT_EQ(state.behind(), 1U) << "an item without ratings changes nothing";
  EXPECT_TRUE(state.behind_since());
  EXPECT_EQ(state.user_version("user 1"), 1U);
  EXPECT_EQ(state.user_version("user 4"), 0U);
  EXPECT_NE(list_of(state, "user 1"), before) << "the rating counts for them";
  EXPECT_EQ(similar(), likeness) << "the graph has not followed yet";

  EXPECT_TRUE(live.follow());
  EXPECT_FALSE(live.follow()) << "there is nothing left";
  state = live.snapshot();
  EXPECT_EQ(state.version(), 2U);
  EXPECT_EQ(state.graph_version(), 2U);
  EXPECT_EQ(state.behind(), 0U);
  EXPECT_FALSE(state.behind_since());
  EXPECT_NE(similar(), likeness);
  expect_as_refitted(live, {"user 1", "user 4"});
}

// What comes while the graph follows is neither lost nor counted twice.
TEST(LiveModel, ChangesGoOnWhileTheGraphFollows) {
  LiveModel live(some_model());
  std::atomic<bool> stop{false};
  std::thread follower([&] {
    while (!stop) live.follow();
  });
  for (int k = 0; k < 400; ++k) {
    const std::string user = "user " + std::to_string(k % 45);
    const std::string item = "item/" + std::to_string(k * 7 % 70);
    if (k % 50 == 49) {
      live.remove_user(user, Follow::later);
    } else {
      const RatingChange change{user, item, {1.0F + static_cast<float>(k % 5), absent, 3}};
      live.apply({&change, 1}, Follow::later);
    }
  }
  stop = true;
  follower.join();
  live.follow();
  const LiveSnapshot state = live.snapshot();
  EXPECT_EQ(state.graph_version(), state.version());
  std::vector<std::string> known;
  for (int k = 0; k < 45; ++k) {
    const std::string user = "user " + std::to_string(k);
    if (state.knows_user(user)) known.push_back(user);
  }
  expect_as_refitted(live, known);
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

TEST(LiveModel, MemoryDoesNotGrowWithTheNumberOfChanges) {
  if (::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr) {
    GTEST_SKIP() << "the address sanitizer keeps what is freed for a while";
  }
  LiveModel live(fit(random_ratings({.users = 60, .items = 2000, .criteria = 3, .density = 0.1}, 5),
                     exact_settings()));
  for (int k = 0; k < 12; ++k) rate(live, "someone", "item/" + std::to_string(k), {2, 3, 4});
  const auto change = [&](int count) {
    for (int k = 0; k < count; ++k) {
      rate(live, "someone", "item/1", {1.0F + static_cast<float>(k % 5), 3, absent});
      live.remove_user("guest");
      rate(live, "guest", "item/" + std::to_string(k % 20), {2, 3, 4});
    }
  };
  change(50);
  const std::size_t before = resident_bytes();
  change(700);
  // Were the rows of earlier states kept, it would be some seventy megabytes more.
  EXPECT_LT(resident_bytes(), before + (std::size_t{24} << 20U));
}

// One bulk of somebody's must not take all memory there is.
TEST(LiveModel, AGraphThatWouldOutgrowItsMemoryStaysAndSaysSo) {
  LiveModel live(some_model(), {.threads = 1, .progress = {}, .memory = 1'000'000});
  std::vector<RatingChange> bulk;
  for (int k = 0; k < 3'000; ++k) bulk.push_back({"eager", "new " + std::to_string(k), {4, 4, 4}});
  live.apply(bulk, Follow::later);
  for (int again = 0; again < 2; ++again) {
    const Error error = thrown_by([&] { live.follow(); });
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_EQ(live.snapshot().behind(), bulk.size());
    EXPECT_EQ(live.snapshot().ratings_by("eager"), bulk.size());
  }
}

TEST(LiveModel, FollowingCanBeStoppedAndDoneLater) {
  bool go_on = false;
  LiveModel live(some_model(), {.threads = 1, .progress = [&](auto&&...) { return go_on; }});
  const RatingChange change{"user 1", "item/1", {2, 2, 2}};
  live.apply({&change, 1}, Follow::later);
  EXPECT_EQ(thrown_by([&] { live.follow(); }).code(), ErrorCode::cancelled);
  EXPECT_EQ(live.snapshot().behind(), 1U);
  go_on = true;
  EXPECT_TRUE(live.follow());
  EXPECT_EQ(live.snapshot().behind(), 0U);
  expect_as_refitted(live, {"user 1", "user 2", "user 7"});
}

}  // namespace
}  // namespace palate
