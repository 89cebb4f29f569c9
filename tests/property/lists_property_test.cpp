// Lists of CA-GF over random data, for every shape that takes another way through the code: sizes
// at the borders of blocks, people alone and together, threads, instruction sets, plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "support/random_ratings.hpp"
#include "support/slow_twin.hpp"
#include "support/targets.hpp"
#include "unit/methods/fitted.hpp"

namespace palate {
namespace {

using testing::fitted;
using testing::Matrix;
using testing::on_every_target;
using testing::random_ratings;
using testing::slow_scores;

using List = std::vector<ScoredItem>;

struct Plan {
  const char* name;
  std::vector<Filter> filters;  // by criterion, in turn
};

const std::vector<Plan>& plans() {
  static const std::vector<Plan> all = {
      {"published", {outward(0.85), linear(0.6), inward(1.5), outward(0.7)}},
      {"first order", {linear(0.8), linear(1.2)}},
      {"second order alone", {inward(1.0), inward(0.6)}},
      {"negative", {{{1.0, -2.5}, 0.9}, {{-0.5, 1.0}, 0.7}, {{-1.0}, 1.0}}},
      {"third order", {{{0.71, 0.1, -0.01}, 0.7}, outward(0.85), {{0.0, 0.0, 1.0}, 1.0}}}};
  return all;
}

std::vector<Filter> filters_of(const Plan& plan, const Ratings& ratings) {
  std::vector<Filter> out;
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    out.push_back(plan.filters[c % plan.filters.size()]);
  }
  return out;
}

CaGf settings_of(const Plan& plan, const Ratings& ratings, Solver solver = Solver::exact) {
  CaGf settings{.preference = 2.0, .computing = {.solver = solver}};
  const auto filters = filters_of(plan, ratings);
  for (std::size_t c = 0; c < filters.size(); ++c) {
    settings.filters.push_back({ratings.criteria()[c].name, filters[c]});
  }
  return settings;
}

std::vector<Query> queries_of(const Ratings& ratings, std::size_t count, std::size_t top = 10) {
  std::vector<Query> queries;
  for (std::uint32_t u = 0; u < count; ++u) {
    queries.push_back({.ratings = ratings.of(u), .top = top});
  }
  return queries;
}

std::vector<List> lists_of(const Recommender& model, std::span<const Query> queries,
                           unsigned threads = 1) {
  std::vector<List> lists(queries.size());
  ThreadPool pool(threads);
  model.recommend(queries, lists, pool);
  return lists;
}

std::vector<List> one_by_one(const Recommender& model, std::span<const Query> queries) {
  std::vector<List> lists;
  for (const Query& query : queries) lists.push_back(lists_of(model, {&query, 1})[0]);
  return lists;
}

bool may_have(const Query& query, std::uint32_t item) {
  for (std::size_t k = 0; k < query.ratings.size(); ++k) {
    const bool overall = (query.ratings.present[k] & 1U) != 0;
    if (query.exclude_seen && overall && query.ratings.items[k] == item) return false;
  }
  return query.allowed.empty() || query.allowed[item] != 0;
}

// What the twin says: scores, and the sizes of the terms that they are made of, to which rounding
// is relative where terms cancel.
struct Twin {
  Matrix scores, sizes;
};

// The list is a best list by the twin's scores, swaps only among scores that are close.
void expect_best(const Query& query, const List& list, const std::vector<double>& scores,
                 const std::vector<double>& sizes) {
  std::vector<std::pair<double, std::uint32_t>> best;
  for (std::uint32_t i = 0; i < scores.size(); ++i) {
    if (may_have(query, i)) best.emplace_back(-scores[i], i);
  }
  std::sort(best.begin(), best.end());
  ASSERT_EQ(list.size(), std::min(query.top, best.size()));
  std::set<std::uint32_t> items;
  for (std::size_t k = 0; k < list.size(); ++k) {
    ASSERT_TRUE(may_have(query, list[k].item));
    ASSERT_TRUE(items.insert(list[k].item).second) << "twice in a list";
    const double size = std::max(sizes[list[k].item], sizes[best[k].second]);
    const double close = 8e-6 * std::abs(best[k].first) + 2e-6 * size;
    ASSERT_NEAR(static_cast<double>(list[k].score), scores[list[k].item], close) << "place " << k;
    ASSERT_NEAR(scores[list[k].item], -best[k].first, close) << "place " << k;
    if (k > 0) {
      ASSERT_GE(list[k - 1].score, list[k].score);
    }
  }
}

void expect_best(std::span<const Query> queries, const std::vector<List>& lists, const Twin& twin) {
  ASSERT_EQ(queries.size(), lists.size());
  for (std::size_t u = 0; u < queries.size(); ++u) {
    SCOPED_TRACE("user " + std::to_string(u));
    expect_best(queries[u], lists[u], twin.scores[u], twin.sizes[u]);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

Twin twin_of(const Plan& plan, const Ratings& ratings) {
  std::vector<Filter> filters = filters_of(plan, ratings);
  Twin twin{slow_scores(ratings, ratings, filters, 2.0), {}};
  for (Filter& filter : filters) {
    for (double& a : filter.coefficients) a = std::abs(a);
  }
  twin.sizes = slow_scores(ratings, ratings, filters, 2.0);
  return twin;
}

// More users than the largest batch, some of them without any rating.
Ratings data_of(std::size_t items, std::size_t users = 210) {
  return random_ratings({.users = users, .items = items, .density = items > 40 ? 0.08 : 0.2},
                        items);
}

// Whether filters are multiplied out, where a plan has any of second order.
enum class Form { dense, whole };

std::size_t whole_items(Form form) { return form == Form::whole ? FilterPlan{}.whole_items : 0; }

class ListsOf : public ::testing::TestWithParam<std::tuple<std::size_t, Form>> {
 protected:
  static std::size_t items() { return std::get<0>(GetParam()); }
  static Form form() { return std::get<1>(GetParam()); }
  static auto fit(const Ratings& ratings, const CaGf& settings, ThreadPool& pool) {
    return fitted(ratings, settings, pool, 0, whole_items(form()));
  }
  static Storage storage(const Plan& plan) {
    const bool second = std::any_of(plan.filters.begin(), plan.filters.end(),
                                    [](const Filter& f) { return f.coefficients.size() > 1; });
    return second && form() == Form::whole ? Storage::whole : Storage::dense;
  }
};

TEST_P(ListsOf, AreThoseOfTheTwin) {
  const Ratings ratings = data_of(items());
  ThreadPool pool(2);
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    const auto model = fit(ratings, settings_of(plan, ratings), pool);
    ASSERT_EQ(model->computation().storage, storage(plan));
    const Twin twin = twin_of(plan, ratings);
    const auto queries = queries_of(ratings, ratings.users());
    expect_best(queries, lists_of(*model, queries, 2), twin);
    const auto few = std::span(queries).first(40);
    expect_best(few, lists_of(*model, few, 2), twin);
  }
}

TEST_P(ListsOf, AreTheSameToTheBitAloneAndTogetherOnAnyNumberOfThreads) {
  const Ratings ratings = data_of(items());
  ThreadPool pool(2);
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    for (const Solver solver : {Solver::exact, Solver::fast}) {
      const auto model = fit(ratings, settings_of(plan, ratings, solver), pool);
      const auto alone = one_by_one(*model, queries_of(ratings, 200));
      for (const std::size_t count : {1, 63, 64, 200}) {
        for (const unsigned threads : {1U, 2U, 5U}) {
          const auto lists = lists_of(*model, queries_of(ratings, count), threads);
          for (std::size_t u = 0; u < count; ++u) {
            ASSERT_EQ(lists[u], alone[u]) << static_cast<int>(solver) << ", user " << u << " of "
                                          << count << ", " << threads << " threads";
          }
        }
      }
    }
  }
}

TEST_P(ListsOf, DoNotDependOnHowManyThreadsFitted) {
  const Ratings ratings = data_of(items(), 70);
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    ThreadPool one(1);
    ThreadPool five(5);
    const auto queries = queries_of(ratings, ratings.users());
    const auto settings = settings_of(plan, ratings);
    EXPECT_EQ(lists_of(*fit(ratings, settings, one), queries),
              lists_of(*fit(ratings, settings, five), queries));
  }
}

void expect_heeded(const Ratings& ratings, Form form = Form::dense) {
  const std::size_t items = ratings.items();
  ThreadPool pool(2);
  std::vector<std::uint8_t> few(items, 0);
  std::vector<std::uint8_t> most(items, 1);
  for (std::size_t i = 0; i < items; i += 7) few[i] = 1;
  for (std::size_t i = 0; i < items; i += 3) most[i] = 0;
  const std::vector<std::uint8_t> none(items, 0);
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    const auto model = fitted(ratings, settings_of(plan, ratings), pool, 0, whole_items(form));
    const Twin twin = twin_of(plan, ratings);
    std::vector<Query> queries;  // unlike each other
    const std::vector<std::size_t> tops = {0, 1, 3, 10, items, items + 50};
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      Query query{
          .ratings = ratings.of(u), .top = tops[u % tops.size()], .exclude_seen = u % 2 == 0};
      if (u % 5 == 1) query.allowed = few;
      if (u % 5 == 2) query.allowed = most;
      if (u % 5 == 3 && u % 4 == 0) query.allowed = none;
      queries.push_back(query);
    }
    const auto lists = lists_of(*model, queries, 2);
    expect_best(queries, lists, twin);
    EXPECT_EQ(lists, one_by_one(*model, queries));
  }
}

TEST_P(ListsOf, HeedWhatIsAsked) { expect_heeded(data_of(items(), 100), form()); }

TEST_P(ListsOf, AgreeWithTheTwinUnderEveryInstructionSet) {
  const Ratings ratings = data_of(items(), 70);
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    const Twin twin = twin_of(plan, ratings);
    const auto queries = queries_of(ratings, ratings.users());
    on_every_target([&] {
      ThreadPool pool(2);
      const auto model = fit(ratings, settings_of(plan, ratings), pool);
      const auto together = lists_of(*model, queries, 2);
      expect_best(queries, together, twin);
      EXPECT_EQ(together, one_by_one(*model, queries));
    });
  }
}

// The fast solver is another method, but one: its lists are those of its scores, and its
// explanations explain them.
TEST_P(ListsOf, OfTheFastSolverAreThoseOfItsScores) {
  const Ratings ratings = data_of(items(), 80);
  ThreadPool pool(2);
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    const auto model = fitted(ratings, settings_of(plan, ratings, Solver::fast), pool);
    const auto queries = queries_of(ratings, ratings.users());
    const auto lists = lists_of(*model, queries, 2);
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      std::vector<float> scores(ratings.items());
      model->score(queries[u], scores);
      List expected;
      float largest = 0;
      for (std::uint32_t i = 0; i < scores.size(); ++i) {
        largest = std::max(largest, std::abs(scores[i]));
        if (may_have(queries[u], i)) expected.push_back({i, scores[i]});
      }
      std::stable_sort(expected.begin(), expected.end(),
                       [](const auto& a, const auto& b) { return a.score > b.score; });
      expected.resize(std::min(expected.size(), queries[u].top));
      ASSERT_EQ(lists[u], expected) << "user " << u;
      for (std::size_t k = 0; k < std::min<std::size_t>(3, lists[u].size()); ++k) {
        const Attribution why = model->explain(queries[u], lists[u][k].item);
        double size = 0;
        for (const auto& part : why.parts) size += std::abs(part.value);
        ASSERT_NEAR(why.score, static_cast<double>(lists[u][k].score),
                    1e-4 * std::abs(why.score) + 1e-5 * size + 1e-6 * static_cast<double>(largest))
            << "user " << u;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Items, ListsOf,
                         ::testing::Combine(::testing::Values(1, 15, 16, 17, 33, 130),
                                            ::testing::Values(Form::dense, Form::whole)),
                         [](const auto& one) {
                           return std::to_string(std::get<0>(one.param)) +
                                  (std::get<1>(one.param) == Form::whole ? "whole" : "dense");
                         });

// The same promises where few items are linked.
Ratings of_few_links() {
  return random_ratings({.users = 210, .items = 300, .density = 0.006, .missing = 0.1}, 3);
}

TEST(SparseLists, HeedWhatIsAsked) { expect_heeded(of_few_links()); }

TEST(SparseLists, AreThoseOfTheTwinAloneAndTogether) {
  const Ratings ratings = of_few_links();
  ThreadPool pool(2);
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    const auto model = fitted(ratings, settings_of(plan, ratings), pool);
    ASSERT_EQ(model->computation().storage, Storage::sparse);
    const auto queries = queries_of(ratings, 200);
    const auto alone = one_by_one(*model, queries);
    expect_best(queries, alone, twin_of(plan, ratings));
    for (const std::size_t count : {1, 63, 64, 200}) {
      for (const unsigned threads : {1U, 2U, 5U}) {
        const auto lists = lists_of(*model, std::span(queries).first(count), threads);
        EXPECT_TRUE(std::equal(lists.begin(), lists.end(), alone.begin()));
      }
    }
  }
}

// Many ratings of large values, and the largest power that a filter may have.
TEST(Lists, AreThoseOfTheTwinForLargeValuesAndPowers) {
  RatingsBuilder builder(testing::criterion_names(2));
  Random random(5);
  for (int u = 0; u < 150; ++u) {
    for (int i = 0; i < 24; ++i) {
      if (random.uniform() < 0.5) continue;
      const std::vector<float> values = {static_cast<float>(1 + random.below(1000)),
                                         static_cast<float>(1 + random.below(1000))};
      builder.add("u" + std::to_string(u), "i" + std::to_string(i), values);
    }
  }
  const Ratings ratings = builder.build();
  ThreadPool pool(2);
  for (const double power : {0.05, 4.0, 20.0}) {
    SCOPED_TRACE(power);
    const Plan plan{"", {outward(power), linear(power)}};
    auto queries = queries_of(ratings, ratings.users());
    for (Query& query : queries) query.exclude_seen = false;
    for (const Form form : {Form::dense, Form::whole}) {
      const auto model = fitted(ratings, settings_of(plan, ratings), pool, 0, whole_items(form));
      expect_best(queries, lists_of(*model, queries), twin_of(plan, ratings));
    }
  }
}

}  // namespace
}  // namespace palate
