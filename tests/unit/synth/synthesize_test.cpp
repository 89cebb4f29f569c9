#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

#include "base/random.hpp"
#include "palate/error.hpp"
#include "palate/synth.hpp"

namespace palate {
namespace {

std::uint64_t hash_of(const Ratings& ratings) {
  std::uint64_t h = 0;
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const UserRatings row = ratings.of(u);
    h = hash64(ratings.user_id(u), h);
    for (const auto item : row.items) h = hash64(ratings.item_title(item), h ^ item);
    for (const float value : row.values) h = mix64(h ^ static_cast<std::uint64_t>(value));
    for (const auto time : row.times) h = mix64(h ^ static_cast<std::uint64_t>(time));
  }
  return h;
}

std::vector<double> raters(const Ratings& ratings) {
  std::vector<double> counts(ratings.items(), 0);
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    for (const auto item : ratings.of(u).items) ++counts[item];
  }
  return counts;
}

double gini_of(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  double sum = 0;
  double weighted = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    sum += x[k];
    weighted += static_cast<double>(k + 1) * x[k];
  }
  const auto n = static_cast<double>(x.size());
  return 2 * weighted / (n * sum) - (n + 1) / n;
}

TEST(Synthesize, TheSameSeedGivesTheSameData) {
  EXPECT_EQ(hash_of(synthesize({.users = 300})), hash_of(synthesize({.users = 300})));
  EXPECT_NE(hash_of(synthesize({.users = 300})), hash_of(synthesize({.users = 300, .seed = 2})));
}

TEST(Synthesize, SizesAreAsAskedFor) {
  const Ratings r = synthesize({.users = 3000, .items = 700, .ratings_per_user = 20});
  EXPECT_EQ(r.users(), 3000U);
  EXPECT_EQ(r.items(), 700U);
  EXPECT_NEAR(static_cast<double>(r.interactions()) / 3000, 20, 1);
  ASSERT_EQ(r.criteria().size(), 5U);
  EXPECT_EQ(r.criteria()[0].name, "overall");
  EXPECT_EQ(r.criteria()[4].name, "value");
  EXPECT_EQ(r.user_id(0), "u0001");
  EXPECT_EQ(r.item_id(699), "r0700");
  EXPECT_EQ(r.find_user("u2999"), 2998U);
}

TEST(Synthesize, EverybodyRatesSomeAndActivityIsSkewed) {
  const Ratings r = synthesize({});
  std::vector<double> activity;
  for (std::uint32_t u = 0; u < r.users(); ++u) {
    const UserRatings row = r.of(u);
    EXPECT_GE(row.size(), 3U);
    EXPECT_TRUE(std::is_sorted(row.items.begin(), row.items.end(), std::less_equal<>()));
    activity.push_back(static_cast<double>(row.size()));
  }
  EXPECT_GT(gini_of(activity), 0.25);
  EXPECT_LT(gini_of(activity), 0.6);
}

TEST(Synthesize, RatingsAreWholeStarsFromOneToFiveAndUseThemAll) {
  const Ratings r = synthesize({});
  for (std::size_t c = 0; c < r.criteria().size(); ++c) {
    EXPECT_EQ(r.criteria()[c].min, 1);
    EXPECT_EQ(r.criteria()[c].max, 5);
  }
  std::set<float> seen;
  for (std::uint32_t u = 0; u < r.users(); ++u) {
    const UserRatings row = r.of(u);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      const bool present = (row.present[k / 5] >> (k % 5) & 1U) != 0;
      if (present) seen.insert(row.values[k]);
      if (!present) {
        EXPECT_EQ(row.values[k], 0);
      }
    }
    for (const auto present : row.present) EXPECT_EQ(present & 1U, 1U);
  }
  EXPECT_EQ(seen, (std::set<float>{1, 2, 3, 4, 5}));
}

TEST(Synthesize, PopularityFollowsTheSkew) {
  const double even = gini_of(raters(synthesize({.popularity_skew = 0})));
  const double usual = gini_of(raters(synthesize({})));
  const double steep = gini_of(raters(synthesize({.popularity_skew = 1.3})));
  EXPECT_LT(even, 0.25);
  EXPECT_GT(usual, 0.3);
  EXPECT_GT(steep, usual + 0.1);
}

TEST(Synthesize, MissingCriteriaAreUnevenAndOfTheShareAskedFor) {
  for (const double missing : {0.0, 0.15, 0.5, 0.9}) {
    const Ratings r = synthesize({.missing = missing});
    double sum = 0;
    std::vector<double> shares;
    for (std::size_t c = 1; c < 5; ++c) {
      const double filled =
          static_cast<double>(r.ratings_of(c)) / static_cast<double>(r.interactions());
      shares.push_back(1 - filled);
      sum += 1 - filled;
    }
    EXPECT_NEAR(sum / 4, missing, 0.02) << missing;
    if (missing > 0) {
      EXPECT_GT(shares[3], shares[0] + 0.05) << missing;
    }
    EXPECT_EQ(r.ratings_of(0), r.interactions());
  }
}

TEST(Synthesize, TitlesAreUniqueAlsoInLargeCatalogues) {
  for (const std::size_t items : {600U, 120'000U}) {
    const Ratings r = synthesize({.users = 5, .items = items});
    std::set<std::string_view> titles;
    for (std::uint32_t i = 0; i < items; ++i) titles.insert(r.item_title(i));
    EXPECT_EQ(titles.size(), items);
  }
  EXPECT_FALSE(synthesize({.users = 5, .titles = false}).has_titles());
}

TEST(Synthesize, TimesAreThereUnlessNotWanted) {
  const Ratings r = synthesize({.users = 50});
  ASSERT_TRUE(r.has_times());
  for (const auto time : r.of(7).times) {
    EXPECT_GE(time, 1'546'300'800);
    EXPECT_LT(time, 4'102'444'800);
  }
  EXPECT_FALSE(synthesize({.users = 50, .times = false}).has_times());
}

// Two items of one person: how often do other people share them, against items put together at
// random in proportion to popularity? Without taste the two would be alike.
TEST(Synthesize, PeopleWhoShareOnePlaceShareOthers) {
  const Ratings r = synthesize({});
  std::vector<std::vector<std::uint32_t>> people(r.items());
  std::vector<std::uint32_t> all;
  for (std::uint32_t u = 0; u < r.users(); ++u) {
    for (const auto item : r.of(u).items) {
      people[item].push_back(u);
      all.push_back(item);
    }
  }
  const auto together = [&](std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> both;
    std::set_intersection(people[a].begin(), people[a].end(), people[b].begin(), people[b].end(),
                          std::back_inserter(both));
    return static_cast<double>(both.size());
  };
  Random random(1);
  double of_one = 0;
  double by_chance = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto items = r.of(static_cast<std::uint32_t>(random.below(r.users()))).items;
    const auto first = random.below(items.size() - 1);
    of_one += together(items[first], items[first + 1]) - 1;  // without the person
    const std::uint32_t one = all[random.below(all.size())];
    std::uint32_t other = one;
    while (other == one) other = all[random.below(all.size())];
    by_chance += together(one, other);
  }
  EXPECT_GT(of_one, 1.3 * by_chance);
}

TEST(Synthesize, CriteriaOfOneRatingDiffer) {
  const Ratings r = synthesize({.missing = 0});
  std::size_t apart = 0;
  for (std::uint32_t u = 0; u < r.users(); ++u) {
    const UserRatings row = r.of(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const auto stars = row.values.subspan(k * 5 + 1, 4);
      const auto [low, high] = std::minmax_element(stars.begin(), stars.end());
      apart += *high - *low >= 2 ? 1 : 0;
    }
  }
  EXPECT_GT(static_cast<double>(apart), 0.3 * static_cast<double>(r.interactions()));
}

TEST(Synthesize, SmallAndDenseAndBareWorlds) {
  EXPECT_EQ(synthesize({.users = 1, .items = 1, .ratings_per_user = 1}).interactions(), 1U);
  const Ratings full = synthesize({.users = 20, .items = 30, .ratings_per_user = 30});
  EXPECT_EQ(full.interactions(), 600U);
  const Ratings bare = synthesize({.users = 50, .criteria = {}});
  EXPECT_EQ(bare.criteria().size(), 1U);
  const Ratings groups = synthesize({.users = 50, .items = 30, .taste_groups = 1'000'000'000});
  EXPECT_EQ(groups.items(), 30U);
  EXPECT_GT(synthesize({.users = 50, .noise = 0}).interactions(), 0U);
}

TEST(Synthesize, RefusesWhatMakesNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<SynthOptions> wrong = {
      {.users = 0},
      {.items = 0},
      {.ratings_per_user = 0},
      {.ratings_per_user = nan},
      {.items = 10, .ratings_per_user = 11},
      {.missing = 1},
      {.missing = -0.1},
      {.missing = nan},
      {.popularity_skew = -1},
      {.popularity_skew = nan},
      {.taste_groups = 0},
      {.noise = -1},
      {.noise = nan},
      {.criteria = {"food", "food"}},
      {.criteria = {"overall"}},
      {.criteria = {""}},
  };
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    try {
      (void)synthesize(wrong[k]);
      ADD_FAILURE() << "case " << k << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << k;
      EXPECT_FALSE(error.hint().empty()) << k;
    }
  }
}

TEST(Synthesize, RefusesWhatDoesNotFit) {
  std::vector<std::string> names;
  for (int k = 0; k < 32; ++k) names.push_back("c" + std::to_string(k));
  for (const SynthOptions& options :
       {SynthOptions{.users = 5'000'000'000}, SynthOptions{.criteria = names}}) {
    try {
      (void)synthesize(options);
      ADD_FAILURE() << "was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::too_large);
    }
  }
}

}  // namespace
}  // namespace palate
