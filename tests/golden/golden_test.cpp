// The published data sets against the numbers of the oracle: metrics of every variant, lists and
// graphs.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/item_graph.hpp"
#include "methods/ca_gf/criteria_preference.hpp"
#include "palate/palate.hpp"
#include "support/shared_data.hpp"

namespace palate {
namespace {

using nlohmann::json;

class Golden : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = testing::shared_folder();
    PALATE_NEED_SHARED(folder / "data" / GetParam());
    PALATE_NEED_SHARED(folder / "oracle" / "golden.json");
    std::ifstream file(folder / "oracle" / "golden.json");
    golden = json::parse(file).at(GetParam());
    data = read(folder / "data" / GetParam());
    settings = preset(golden.at("preset").get<std::string>(), data.ratings.criteria());
    settings.computing.solver = Solver::exact;
  }

  json golden;
  Import data;
  CaGf settings;
};

TEST_P(Golden, GraphChecksums) {
  ThreadPool pool;
  const auto criteria = static_cast<CriterionSet>((1U << data.ratings.criteria().size()) - 1);
  const ItemGraph graph = build_item_graph(data.ratings, criteria, pool);
  double sum = 0;
  double trace = 0;
  double largest = 0;
  for (std::size_t i = 0; i < graph.pattern.items(); ++i) {
    for (std::uint64_t k = graph.pattern.offsets[i]; k < graph.pattern.offsets[i + 1]; ++k) {
      const double value = static_cast<double>(graph.values[k]);
      sum += value;
      largest = std::max(largest, value);
      if (graph.pattern.columns[k] == i) trace += value;
    }
  }
  const json& expected = golden.at("graph");
  const auto near = [](double value, double wanted) {
    EXPECT_NEAR(value, wanted, 1e-5 * std::abs(wanted));
  };
  near(sum, expected.at("sum"));
  near(trace, expected.at("trace"));
  near(largest, expected.at("max"));
  EXPECT_EQ(graph.pattern.entries(), expected.at("nonzeros").get<std::size_t>());
  std::size_t k = 0;
  for (const json& entry : expected.at("row0_first_nonzeros")) {
    EXPECT_EQ(graph.pattern.columns[k], entry.at(0).get<std::uint32_t>());
    // The oracle's file rounds to 9 decimals.
    EXPECT_NEAR(static_cast<double>(graph.values[k]), entry.at(1).get<double>(), 1e-7);
    ++k;
  }
}

TEST_P(Golden, CriteriaPreferenceOfTheFirstUsers) {
  const auto preference = CriteriaPreference::fit(data.ratings, settings.preference);
  std::vector<double> weights(data.ratings.criteria().size());
  std::uint32_t user = 0;
  for (const json& row : golden.at("preference_first_users")) {
    preference.of(data.ratings.of(user++), weights);
    for (std::size_t c = 0; c < weights.size(); ++c) {
      EXPECT_NEAR(weights[c], row.at(c).get<double>(), 1e-9 * row.at(c).get<double>());
    }
  }
}

// A swap is allowed only between scores closer than 1e-5 relative: the item must then stand at a
// place whose score is that close, or share the last place with one beyond the list.
void expect_list(const std::vector<Recommended>& list, const json& expected) {
  SCOPED_TRACE("user " + expected.at("user").dump());
  const auto items = expected.at("items").get<std::vector<std::uint32_t>>();
  const auto scores = expected.at("scores").get<std::vector<double>>();
  ASSERT_EQ(list.size(), 10U);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double tolerance = 1e-5 * std::abs(scores[k]) + 1e-9;
    EXPECT_NEAR(static_cast<double>(list[k].score), scores[k], tolerance);
    if (list[k].index == items[k]) continue;
    bool close = k + 1 == list.size();
    for (std::size_t n = 0; n < items.size(); ++n) {
      if (items[n] == list[k].index) close = std::abs(scores[n] - scores[k]) <= tolerance;
    }
    EXPECT_TRUE(close) << "place " << k + 1;
  }
}

// One by one; together, some of them several times over so that they are many; and all users.
TEST_P(Golden, TopTenLists) {
  const Model model = fit(data.ratings, settings);
  const json& top = golden.at("top10");
  std::vector<std::string> users;
  for (std::size_t k = 0; k < 100; ++k) {
    users.emplace_back(
        data.ratings.user_id(top.at(k % top.size()).at("user").get<std::uint32_t>()));
  }
  for (std::size_t k = 0; k < top.size(); ++k) {
    expect_list(model.recommend(users[k], {.top = 10}).items, top.at(k));
  }
  for (const unsigned threads : {1U, 2U}) {
    SCOPED_TRACE(threads);
    const auto together = model.recommend(users, {.top = 10}, {.threads = threads});
    ASSERT_EQ(together.size(), users.size());
    for (std::size_t k = 0; k < top.size(); ++k) expect_list(together[k].items, top.at(k));
  }
}

TEST_P(Golden, ListsAreTheSameOnOneAndTwoThreads) {
  const Model one = fit(data.ratings, settings, {.threads = 1});
  const Model two = fit(data.ratings, settings, {.threads = 2});
  const auto all = [](const Model& model, unsigned threads) {
    std::vector<std::pair<std::uint32_t, float>> out;
    model.recommend_all({.top = 10},
                        [&](const Recommendations& list) {
                          for (const Recommended& item : list.items)
                            out.emplace_back(item.index, item.score);
                        },
                        {.threads = threads});
    return out;
  };
  EXPECT_EQ(all(one, 1), all(two, 2));
}

const std::vector<const char*> metrics = {"recall@5", "recall@10",    "ndcg@5",
                                          "ndcg@10",  "ndcg_paper@5", "ndcg_paper@10"};

TEST_P(Golden, MetricsOfEveryVariant) {
  for (const auto& [name, expected] : golden.at("metrics").items()) {
    SCOPED_TRACE(name);
    settings = *Method(settings).set("variant", name).ca_gf();
    const Evaluation result = evaluate(fit(data.ratings, settings), *data.test);
    for (const char* metric : metrics) {
      EXPECT_NEAR(result.mean.at(metric), expected.at(metric).get<double>(), 5e-5) << metric;
    }
    EXPECT_EQ(result.users.size(), expected.at("users").get<std::size_t>());
  }
}

// Within half a percent; one percent on Yahoo!Movie, of which a few directions carry less.
TEST_P(Golden, TheFastSolverKeepsEveryMetric) {
  settings.computing.solver = Solver::fast;
  const double tolerance = GetParam() == "YM" ? 0.01 : 0.005;
  const Evaluation result = evaluate(fit(data.ratings, settings), *data.test);
  for (const char* metric : metrics) {
    const double expected = golden.at("metrics").at("full").at(metric);
    EXPECT_NEAR(result.mean.at(metric), expected, tolerance * expected) << metric;
  }
}

// Whatever it chooses, the lists are as good.
TEST_P(Golden, TheAutomaticSolverKeepsEveryMetricWithinATenthOfAPercent) {
  settings.computing.solver = Solver::automatic;
  const Evaluation result = evaluate(fit(data.ratings, settings), *data.test);
  for (const char* metric : metrics) {
    const double expected = golden.at("metrics").at("full").at(metric);
    EXPECT_NEAR(result.mean.at(metric), expected, 0.001 * expected + 5e-5) << metric;
  }
}

INSTANTIATE_TEST_SUITE_P(Small, Golden, ::testing::Values("TA_toy", "YM", "TA"));
INSTANTIATE_TEST_SUITE_P(Large, Golden, ::testing::Values("BA"));  // labelled so (CMakeLists.txt)

}  // namespace
}  // namespace palate
