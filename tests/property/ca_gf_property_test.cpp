// What CA-GF promises, over random data: it equals its slow twin, it is linear, its parts add up,
// and neither rows, names nor threads change it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "palate/palate.hpp"
#include "support/random_ratings.hpp"
#include "support/slow_twin.hpp"
#include "support/sums.hpp"
#include "unit/methods/fitted.hpp"

namespace palate {
namespace {

using testing::random_ratings;
using testing::random_rows;
using testing::RandomShape;
using testing::Row;
using testing::slow_scores;
using testing::to_ratings;

// Of order 1 to 3; without the last, of order 1 and 2, which dense graphs take another way.
const std::vector<Filter> all_filters = {
    outward(0.85), linear(0.6), inward(1.5), {{0.71, 0.1, -0.01}, 0.7}};

std::vector<Filter> filters_for(const Ratings& ratings) {
  const std::size_t kinds = ratings.users() % 2 == 0 ? 4 : 3;
  std::vector<Filter> out;
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) out.push_back(all_filters[c % kinds]);
  return out;
}

constexpr double preference_power = 2.0;

CaGf settings_for(const Ratings& ratings) {
  CaGf settings{.preference = preference_power};
  const std::vector<Filter> filters = filters_for(ratings);
  for (std::size_t c = 0; c < filters.size(); ++c) {
    settings.filters.push_back({ratings.criteria()[c].name, filters[c]});
  }
  return settings;
}

std::vector<float> scores_of(const Recommender& recommender, const Query& query) {
  std::vector<float> out(recommender.items());
  recommender.score(query, out);
  return out;
}

// The size of the terms that a score is made of, to which its rounding is relative.
double scale_of(const Attribution& why) {
  double sum = 0;
  for (const auto& part : why.parts) sum += std::abs(part.value);
  return sum;
}

std::vector<std::uint32_t> all_items(const Ratings& ratings) {
  std::vector<std::uint32_t> out(ratings.items());
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

class CaGfProperty : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  [[nodiscard]] RandomShape shape() const {
    Random random(GetParam() * 77);
    if (GetParam() % 4 == 0) {  // few links: the graph is sparse
      return {.users = 40 + random.below(20),
              .items = 150 + random.below(100),
              .criteria = 1 + random.below(5),
              .density = 0.008,
              .missing = 0.1};
    }
    return {.users = 5 + random.below(60),
            .items = 5 + random.below(50),
            .criteria = 1 + random.below(5),
            .density = 0.1 + 0.5 * random.uniform(),
            .missing = 0.5 * random.uniform()};
  }
  [[nodiscard]] Ratings ratings() const { return random_ratings(shape(), GetParam()); }
  [[nodiscard]] Storage storage() const {
    if (GetParam() % 4 == 0) return Storage::sparse;
    return GetParam() % 4 == 1 ? Storage::dense : Storage::whole;
  }
  [[nodiscard]] std::unique_ptr<CaGfRecommender> fit_plain(const Ratings& ratings,
                                                           unsigned threads = 2) const {
    ThreadPool pool(threads);
    const std::size_t most = storage() == Storage::whole ? ratings.items() : 0;
    return testing::fitted(ratings, settings_for(ratings), pool, 0, most);
  }
};

TEST_P(CaGfProperty, EqualsTheSlowTwin) {
  const Ratings data = ratings();
  const auto model = fit_plain(data);
  const std::vector<Filter> by_criterion = filters_for(data);
  const auto expected = slow_scores(data, data, by_criterion, preference_power);
  double largest = 0;
  for (const auto& row : expected) {
    for (const double s : row) largest = std::max(largest, std::abs(s));
  }
  for (std::uint32_t u = 0; u < data.users(); ++u) {
    const auto scores = scores_of(*model, {.ratings = data.of(u)});
    for (std::size_t i = 0; i < scores.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(scores[i]), expected[u][i],
                  1e-5 * std::abs(expected[u][i]) + 1e-6 * largest)
          << "user " << u << ", item " << i;
    }
  }
}

TEST_P(CaGfProperty, TakesTheFormThatIsMeant) {
  EXPECT_EQ(fit_plain(ratings())->computation().storage, storage());
}

TEST_P(CaGfProperty, GraphIsExactlySymmetric) {
  const Ratings data = ratings();
  ThreadPool pool(3);
  const auto all = static_cast<CriterionSet>((1U << data.criteria().size()) - 1);
  const ItemGraph graph = build_item_graph(data, all, pool);
  const auto at = [&](std::uint32_t i, std::uint32_t j) {
    const auto row = graph.pattern.row(i);
    const auto found = std::lower_bound(row.begin(), row.end(), j);
    if (found == row.end() || *found != j) return 0.0F;
    return graph.values[graph.pattern.offsets[i] + static_cast<std::size_t>(found - row.begin())];
  };
  for (std::uint32_t i = 0; i < graph.pattern.items(); ++i) {
    EXPECT_TRUE(std::is_sorted(graph.pattern.row(i).begin(), graph.pattern.row(i).end()));
    for (std::uint32_t j = 0; j < graph.pattern.items(); ++j) EXPECT_EQ(at(i, j), at(j, i));
  }
}

TEST_P(CaGfProperty, ExplanationsAddUpToTheScore) {
  const Ratings data = ratings();
  const auto model = fit_plain(data);
  std::vector<float> parts(data.items() * data.criteria().size());
  for (std::uint32_t u = 0; u < std::min<std::size_t>(data.users(), 8); ++u) {
    const Query query{.ratings = data.of(u)};
    const auto scores = scores_of(*model, query);
    model->score_by_criterion(query, all_items(data), parts);
    for (std::uint32_t i = 0; i < data.items(); ++i) {
      const Attribution why = model->explain(query, i);
      double by_part = why.baseline;
      for (const auto& part : why.parts) by_part += part.value;
      double by_criterion = why.baseline;
      for (const double part : why.by_criterion) by_criterion += part;
      const double tolerance = 1e-5 * scale_of(why);
      EXPECT_NEAR(by_part, why.score, 1e-9 * scale_of(why));
      EXPECT_NEAR(by_criterion, why.score, 1e-9 * scale_of(why));
      EXPECT_NEAR(why.score, static_cast<double>(scores[i]), tolerance);
      for (std::size_t c = 0; c < data.criteria().size(); ++c) {
        EXPECT_NEAR(static_cast<double>(parts[i * data.criteria().size() + c]), why.by_criterion[c],
                    tolerance);
      }
    }
  }
}

TEST_P(CaGfProperty, LinearInTheWeights) {
  const Ratings data = ratings();
  const auto model = fit_plain(data);
  const std::size_t width = data.criteria().size();
  std::vector<float> weights(width);
  for (std::size_t c = 0; c < width; ++c) weights[c] = 0.25F * static_cast<float>(c + 1);
  std::vector<float> parts(data.items() * width);
  for (std::uint32_t u = 0; u < std::min<std::size_t>(data.users(), 5); ++u) {
    model->score_by_criterion({.ratings = data.of(u)}, all_items(data), parts);
    const auto weighted = scores_of(*model, {.ratings = data.of(u), .term_weights = weights});
    for (std::size_t i = 0; i < data.items(); ++i) {
      testing::Sum expected;
      for (std::size_t c = 0; c < width; ++c)
        expected.add_product(weights[c], parts[i * width + c]);
      EXPECT_NEAR(static_cast<double>(weighted[i]), expected.sum, 1e-5 * expected.size + 1e-6);
    }
  }
}

TEST_P(CaGfProperty, RowOrderChangesNothing) {
  std::vector<Row> rows = random_rows(shape(), GetParam());
  const Ratings data = to_ratings(rows, shape());
  Random random(GetParam() + 1000);
  for (std::size_t k = rows.size(); k > 1; --k) std::swap(rows[k - 1], rows[random.below(k)]);
  const Ratings shuffled = to_ratings(rows, shape());
  const auto a = fit_plain(data);
  const auto b = fit_plain(shuffled);
  for (std::uint32_t u = 0; u < data.users(); ++u) {
    ASSERT_EQ(data.user_id(u), shuffled.user_id(u));
    EXPECT_EQ(scores_of(*a, {.ratings = data.of(u)}), scores_of(*b, {.ratings = shuffled.of(u)}));
  }
}

TEST_P(CaGfProperty, RenamingChangesNamesAlone) {
  const std::vector<Row> rows = random_rows(shape(), GetParam());
  std::vector<Row> renamed = rows;
  const auto other_name = [](const std::string& name) {
    return "ü" + std::to_string(hash64(name, 5)) + " " + name;
  };
  for (Row& row : renamed) {
    row.user = other_name(row.user);
    row.item = other_name(row.item);
  }
  RatingsBuilder builder(testing::criterion_names(shape().criteria));
  RatingsBuilder plain(testing::criterion_names(shape().criteria));
  for (const Row& row : renamed) builder.add(row.user, row.item, row.values);
  for (const Row& row : rows) plain.add(row.user, row.item, row.values);
  const Ratings data = plain.build();
  const Ratings other = builder.build();
  const auto a = fit_plain(data);
  const auto b = fit_plain(other);
  for (std::uint32_t u = 0; u < data.users(); ++u) {
    const auto mine = scores_of(*a, {.ratings = data.of(u)});
    const auto u2 = other.find_user(other_name(std::string(data.user_id(u))));
    ASSERT_TRUE(u2.has_value());
    const auto theirs = scores_of(*b, {.ratings = other.of(*u2)});
    const float largest = *std::max_element(mine.begin(), mine.end());
    for (std::uint32_t i = 0; i < data.items(); ++i) {
      const auto i2 = other.find_item(other_name(std::string(data.item_id(i))));
      ASSERT_TRUE(i2.has_value());
      EXPECT_NEAR(mine[i], theirs[*i2], 1e-5F * largest);
    }
  }
}

// A newcomer is served exactly as they would be had the graph been built without them.
TEST_P(CaGfProperty, FoldInEqualsTheFormulaWithoutHim) {
  const std::vector<Row> rows = random_rows(shape(), GetParam());
  if (rows.empty()) return;
  const std::string newcomer = rows[rows.size() / 2].user;
  std::vector<Row> others;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(others),
               [&](const Row& row) { return row.user != newcomer; });
  if (others.empty()) return;
  const Ratings everyone = to_ratings(rows, shape());
  const Ratings without = to_ratings(others, shape());
  const Model model = fit(without, settings_for(without));

  Profile profile;
  for (const Row& row : rows) {
    if (row.user != newcomer) continue;
    ProfileRating rating{row.item, {}};
    for (std::size_t c = 0; c < row.values.size(); ++c) {
      if (!std::isnan(row.values[c])) {
        rating.values.emplace_back(everyone.criteria()[c].name, row.values[c]);
      }
    }
    profile.push_back(rating);
  }
  const std::vector<Filter> by_criterion = filters_for(everyone);
  const auto expected = slow_scores(without, everyone, by_criterion, preference_power);
  const auto& row = expected[*everyone.find_user(newcomer)];
  double largest = 0;
  for (const double s : row) largest = std::max(largest, std::abs(s));
  const auto list = model.recommend_for(profile, {.top = everyone.items(), .exclude_seen = false});
  ASSERT_EQ(list.basis, Basis::ratings);
  ASSERT_EQ(list.items.size(), everyone.items());
  for (const Recommended& one : list.items) {
    EXPECT_NEAR(static_cast<double>(one.score), row[one.index], 1e-5 * largest + 1e-9);
  }
}

TEST_P(CaGfProperty, ThreadsAndBatchesChangeNothing) {
  const Ratings data = ratings();
  const auto one = fit_plain(data, 1);
  const auto four = fit_plain(data, 4);
  std::vector<Query> queries;
  for (std::uint32_t u = 0; u < data.users(); ++u) {
    queries.push_back({.ratings = data.of(u), .top = 7});
  }
  std::vector<std::vector<ScoredItem>> together(queries.size());
  ThreadPool pool(4);
  four->recommend(queries, together, pool);
  ThreadPool alone(1);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    std::vector<std::vector<ScoredItem>> list(1);
    one->recommend({&queries[k], 1}, list, alone);
    EXPECT_EQ(list[0], together[k]) << "user " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CaGfProperty, ::testing::Range<std::uint64_t>(1, 17));

}  // namespace
}  // namespace palate
