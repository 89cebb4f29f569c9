// What every recommender promises, whatever its method. A new method is one line in `kinds`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "methods/registry.hpp"
#include "unit/methods/fitted.hpp"
#include "unit/methods/sample_data.hpp"

namespace palate {
namespace {

using testing::fitted;
using testing::sample_data;
using Owned = std::unique_ptr<const Recommender>;
using List = std::vector<ScoredItem>;

struct Kind {
  std::string name;
  std::string method;
  std::function<Owned(const Ratings&, ThreadPool&)> fit;
  std::function<Owned(const Parts&, const Ratings&)> load;
};

// Any method of the registry.
Kind registered(std::string name, const Method& method) {
  return {std::move(name), method.description().name,
          [method](const Ratings& ratings, ThreadPool& pool) {
            const Progress nobody;
            Stages stages;
            return MethodAccess::entry(method).fit(ratings, MethodAccess::settings(method),
                                                   {pool, nobody, stages});
          },
          [method](const Parts& parts, const Ratings& ratings) {
            return MethodAccess::entry(method).load(parts, MethodAccess::settings(method), ratings);
          }};
}

// A different filter for every criterion, one of them with three coefficients.
CaGf mixed(const Ratings& ratings, Variant variant) {
  const std::vector<Filter> filters = {
      outward(0.85), linear(0.6), inward(1.5), {{0.71, 0.1, -0.01}, 0.7}};
  CaGf settings{.variant = variant};
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    settings.filters.push_back({ratings.criteria()[c].name, filters[c % filters.size()]});
  }
  return settings;
}

Kind ca_gf(std::string name, const std::function<CaGf(const Ratings&)>& settings,
           std::size_t whole_items = FilterPlan{}.whole_items) {
  return {std::move(name), "ca-gf",
          [settings, whole_items](const Ratings& ratings, ThreadPool& pool) -> Owned {
            return fitted(ratings, settings(ratings), pool, 0, whole_items);
          },
          [settings](const Parts& parts, const Ratings& ratings) -> Owned {
            return CaGfRecommender::load(parts, plan_ca_gf(settings(ratings), ratings.criteria()),
                                         ratings);
          }};
}

// Orders 1 and 2 alone, by one solver or the other.
Kind solver(const std::string& name, Solver which,
            std::size_t whole_items = FilterPlan{}.whole_items) {
  return ca_gf(
      "ca_gf_" + name,
      [which](const Ratings& ratings) {
        CaGf settings{.other = outward(0.7), .computing = {.solver = which}};
        settings.filters = {{ratings.criteria()[0].name, inward(1.1)}};
        return settings;
      },
      whole_items);
}

Kind variant(const std::string& name, Variant which,
             std::size_t whole_items = FilterPlan{}.whole_items) {
  return ca_gf(
      "ca_gf_" + name, [which](const Ratings& ratings) { return mixed(ratings, which); },
      whole_items);
}

std::vector<Kind> kinds() {
  return {ca_gf("ca_gf_defaults", [](const Ratings&) { return CaGf{}; }),
          solver("exact", Solver::exact),
          solver("exact_dense", Solver::exact, 0),
          solver("fast", Solver::fast),
          ca_gf("ca_gf_bounded",
                [](const Ratings&) {
                  return CaGf{.other = outward(0.7), .computing = {.neighbours = 4}};
                }),
          variant("full", Variant::full),
          variant("full_dense", Variant::full, 0),
          variant("m", Variant::overall_graph),
          variant("overall_only", Variant::overall_only),
          variant("s", Variant::unit_powers),
          variant("f", Variant::linear_filters),
          variant("p", Variant::no_preference),
          variant("mc", Variant::graph_per_criterion),
          variant("mc_dense", Variant::graph_per_criterion, 0),
          registered("adaptive_ridge", Method("adaptive")),
          registered("adaptive_16_bits", Method("adaptive", {{"precision", "16"}})),
          registered("adaptive_graph",
                     Method("adaptive", {{"weights", "graph"}, {"signal", "overall"}})),
          registered("gf_cf", Method("gf-cf", {{"rank", "6"}})),
          registered("gf_cf_mc", Method("gf-cf-mc", {{"rank", "4"}, {"input", "binary"}})),
          registered("turbo_cf", Method("turbo-cf", {{"filter", "third"}, {"link_power", "0.8"}})),
          registered("pgsp", Method("pgsp", {{"rank", "8"}})),
          registered("bspm", Method("bspm", {{"rank", "5"}, {"average", "true"}})),
          registered("fire", Method("fire", {{"rank", "5"}})),
          registered("chebycf", Method("chebycf", {{"rank", "5"}})),
          registered("sgfcf", Method("sgfcf", {{"rank", "5"}, {"smoothing", "2"}})),
          registered("edlae", Method("edlae", {{"item_power", "0.2"}, {"user_power", "0.3"}})),
          registered("ease", Method("ease", {{"lambda", "2"}})),
          registered("ease_stacked", Method("ease", {{"input", "raw"}, {"stacked", "true"}})),
          registered("item_knn", Method("item-knn", {{"neighbours", "5"}})),
          registered("popularity", Method("popularity"))};
}

std::vector<float> scores_of(const Recommender& recommender, const Query& query) {
  std::vector<float> out(recommender.items());
  recommender.score(query, out);
  return out;
}

List list_of(const Recommender& recommender, const Query& query) {
  std::vector<List> lists(1);
  ThreadPool here(1);
  recommender.recommend({&query, 1}, lists, here);
  return lists[0];
}

// Items that may be recommended, by falling score and rising index: what a list must be the
// beginning of.
List expected_list(const Recommender& recommender, const Query& query) {
  const std::vector<float> scores = scores_of(recommender, query);
  std::set<std::uint32_t> seen;
  for (std::size_t k = 0; k < query.ratings.size(); ++k) {
    if ((query.ratings.present[k] & 1U) != 0) seen.insert(query.ratings.items[k]);
  }
  List out;
  for (std::uint32_t i = 0; i < scores.size(); ++i) {
    if (query.exclude_seen && seen.contains(i)) continue;
    if (!query.allowed.empty() && query.allowed[i] == 0) continue;
    out.push_back({i, scores[i]});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ScoredItem& a, const ScoredItem& b) { return a.score > b.score; });
  if (out.size() > query.top) out.resize(query.top);
  return out;
}

class EveryRecommender : public ::testing::TestWithParam<Kind> {
 protected:
  // Calls check(ratings, recommender) for every kind of data.
  template <class Check>
  void on_all_data(const Check& check) {
    ThreadPool pool(2);
    for (const auto& [name, ratings] : sample_data()) {
      SCOPED_TRACE(name);
      const Owned recommender = GetParam().fit(ratings, pool);
      check(ratings, *recommender);
    }
  }
};

// What a method claims is what its models have an interface for.
TEST_P(EveryRecommender, CanDoWhatItClaims) {
  const Abilities& can = describe_method(GetParam().method).can;
  on_all_data([&](const Ratings&, const Recommender& recommender) {
    EXPECT_EQ(dynamic_cast<const Explains*>(&recommender) != nullptr, can.explain);
    EXPECT_EQ(dynamic_cast<const FindsSimilar*>(&recommender) != nullptr, can.find_similar);
    EXPECT_TRUE(can.weigh_criteria || !recommender.weighs_criteria());
  });
}

TEST_P(EveryRecommender, KnowsItsShape) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    EXPECT_EQ(recommender.items(), ratings.items());
    EXPECT_EQ(recommender.criteria(), ratings.criteria().size());
    EXPECT_EQ(recommender.signals() & ~first_criteria(ratings.criteria().size()), 0U);
    EXPECT_NE(recommender.signals(), 0U);
  });
}

TEST_P(EveryRecommender, ScoresAreFiniteForEveryone) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      for (const float score : scores_of(recommender, {.ratings = ratings.of(u)})) {
        ASSERT_TRUE(std::isfinite(score)) << "user " << u;
      }
    }
  });
}

TEST_P(EveryRecommender, ListsAreTheBestScoresToTheBitAndTiesGoToTheLowerIndex) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      for (const std::size_t top : {std::size_t{1}, std::size_t{10}, ratings.items() + 5}) {
        for (const bool exclude_seen : {true, false}) {
          const Query query{.ratings = ratings.of(u), .top = top, .exclude_seen = exclude_seen};
          ASSERT_EQ(list_of(recommender, query), expected_list(recommender, query))
              << "user " << u << ", top " << top << ", exclude_seen " << exclude_seen;
        }
      }
    }
  });
}

TEST_P(EveryRecommender, NewcomersGetListsToo) {
  if (!describe_method(GetParam().method).can.serve_newcomers) return;
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    const Query query{.ratings = {}, .top = 4};
    const List list = list_of(recommender, query);
    EXPECT_EQ(list, expected_list(recommender, query));
    EXPECT_EQ(list.size(), std::min<std::size_t>(4, ratings.items()));
  });
}

TEST_P(EveryRecommender, OnlyItemsThatAreAllowed) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    std::vector<std::uint8_t> allowed(ratings.items());
    for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = i % 3 == 0 ? 1 : 0;
    const std::vector<std::uint8_t> nothing(ratings.items(), 0);
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      const Query query{.ratings = ratings.of(u), .top = 100, .allowed = allowed};
      const List list = list_of(recommender, query);
      EXPECT_EQ(list, expected_list(recommender, query));
      for (const ScoredItem& one : list) EXPECT_EQ(one.item % 3, 0U);
      EXPECT_TRUE(list_of(recommender, {.ratings = ratings.of(u), .allowed = nothing}).empty());
    }
  });
}

TEST_P(EveryRecommender, TopOfZeroIsAnEmptyList) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    EXPECT_TRUE(list_of(recommender, {.ratings = ratings.of(0), .top = 0}).empty());
  });
}

TEST_P(EveryRecommender, ManyAtOnceAreTheSameAsOneByOneOnAnyNumberOfThreads) {
  for (const auto& [name, ratings] : sample_data()) {
    SCOPED_TRACE(name);
    ThreadPool one(1);
    ThreadPool four(4);
    const Owned a = GetParam().fit(ratings, one);
    const Owned b = GetParam().fit(ratings, four);
    std::vector<std::uint8_t> allowed(ratings.items(), 1);
    allowed[0] = 0;
    std::vector<Query> queries;  // unlike each other in all that a query can say
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      queries.push_back({.ratings = ratings.of(u), .top = 3 + u % 5, .exclude_seen = u % 2 == 0});
      if (u % 3 == 0) queries.back().allowed = allowed;
    }
    std::vector<List> together(queries.size());
    b->recommend(queries, together, four);
    for (std::size_t k = 0; k < queries.size(); ++k) {
      EXPECT_EQ(list_of(*a, queries[k]), together[k]) << "user " << k;
    }
  }
}

TEST_P(EveryRecommender, PartsAddUpToTheScore) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    const auto* explains = dynamic_cast<const Explains*>(&recommender);
    if (explains == nullptr) return;
    std::vector<std::uint32_t> items(ratings.items());
    std::iota(items.begin(), items.end(), 0U);
    const std::size_t width = recommender.criteria();
    std::vector<float> parts(ratings.items() * width);
    for (std::uint32_t u = 0; u < std::min<std::size_t>(ratings.users(), 12); ++u) {
      const Query query{.ratings = ratings.of(u)};
      const std::vector<float> scores = scores_of(recommender, query);
      const double largest = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
      explains->score_by_criterion(query, items, parts);
      for (std::uint32_t i = 0; i < ratings.items(); ++i) {
        const Attribution why = explains->explain(query, i);
        ASSERT_EQ(why.by_criterion.size(), width);
        ASSERT_EQ(why.preference.size(), width);
        std::vector<double> of_criterion(width, 0.0);
        double size = std::abs(why.baseline);
        for (const auto& [item, criterion, value] : why.parts) {
          EXPECT_TRUE(std::ranges::count(query.ratings.items, item) == 1) << "not rated";
          EXPECT_NE(value, 0);
          of_criterion.at(criterion) += value;
          size += std::abs(value);
        }
        const double near = 1e-5 * size + 1e-6 * largest;
        double sum = why.baseline;
        double by_criterion = 0;
        for (std::size_t c = 0; c < width; ++c) {
          EXPECT_NEAR(of_criterion[c], why.by_criterion[c], 1e-9 * size);
          sum += why.by_criterion[c];
          by_criterion += static_cast<double>(parts[i * width + c]);
          const double unexplained = c == 0 ? why.baseline : 0.0;  // counts as overall
          EXPECT_NEAR(static_cast<double>(parts[i * width + c]), why.by_criterion[c] + unexplained,
                      near);
        }
        EXPECT_NEAR(sum, why.score, 1e-9 * size);
        EXPECT_NEAR(why.score, static_cast<double>(scores[i]), near);
        EXPECT_NEAR(by_criterion, static_cast<double>(scores[i]), near);
      }
    }
  });
}

TEST_P(EveryRecommender, WeightsOfOneChangeNothing) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    if (!recommender.weighs_criteria()) return;
    const std::vector<float> ones(recommender.criteria(), 1.0F);
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      EXPECT_EQ(scores_of(recommender, {.ratings = ratings.of(u), .term_weights = ones}),
                scores_of(recommender, {.ratings = ratings.of(u)}));
    }
  });
}

// Whatever way a list is found, no item that is left out would have been better.
TEST_P(EveryRecommender, ListsGoByBoostedScores) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    std::vector<float> boost;
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      boost.push_back(std::exp(0.9F * std::sin(static_cast<float>(7 * i + 1))));
    }
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      const std::vector<float> plain =
          scores_of(recommender, {.ratings = ratings.of(u), .user = u});
      std::vector<List> lists(1);
      ThreadPool pool(1);
      const Query query{
          .ratings = ratings.of(u), .top = 4, .exclude_seen = false, .user = u, .boost = boost};
      recommender.recommend({&query, 1}, lists, pool);
      float size = 0;
      for (const float score : plain) size = std::max(size, std::abs(score));
      std::set<std::uint32_t> listed;
      for (const auto& [item, score] : lists[0]) {
        EXPECT_NEAR(score, boosted(plain[item], boost[item]), 1e-4F * size);
        listed.insert(item);
      }
      for (std::uint32_t i = 0; i < plain.size(); ++i) {
        if (listed.contains(i) || lists[0].size() < 4) continue;
        EXPECT_LE(boosted(plain[i], boost[i]), lists[0].back().score + 1e-4F * size);
      }
    }
  });
}

TEST_P(EveryRecommender, SimilarItemsAreOthersBestFirst) {
  on_all_data([](const Ratings& ratings, const Recommender& recommender) {
    const auto* finder = dynamic_cast<const FindsSimilar*>(&recommender);
    if (finder == nullptr) return;
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      const List all = finder->similar(i, std::numeric_limits<std::size_t>::max());
      std::set<std::uint32_t> once;
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_NE(all[k].item, i);
        EXPECT_LT(all[k].item, ratings.items());
        EXPECT_GT(all[k].score, 0);
        EXPECT_TRUE(once.insert(all[k].item).second);
        if (k > 0) {
          EXPECT_TRUE(all[k - 1].score > all[k].score ||
                      (all[k - 1].score == all[k].score && all[k - 1].item < all[k].item));
        }
      }
      const List few = finder->similar(i, 3);
      EXPECT_EQ(few,
                List(all.begin(), all.begin() + std::min<std::ptrdiff_t>(
                                                    3, static_cast<std::ptrdiff_t>(all.size()))));
      EXPECT_TRUE(finder->similar(i, 0).empty());
    }
  });
}

TEST_P(EveryRecommender, ComesBackFromItsPartsToTheBit) {
  on_all_data([this](const Ratings& ratings, const Recommender& recommender) {
    Parts parts;
    recommender.save(parts);
    ASSERT_FALSE(parts.arrays.empty());
    for (const auto& [name, part] : parts.arrays) EXPECT_TRUE(name.starts_with("method/")) << name;
    const Owned back = GetParam().load(parts, ratings);
    EXPECT_EQ(back->items(), recommender.items());
    EXPECT_EQ(back->criteria(), recommender.criteria());
    EXPECT_EQ(back->weighs_criteria(), recommender.weighs_criteria());
    EXPECT_EQ(back->bytes(), recommender.bytes());
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      const Query query{.ratings = ratings.of(u)};
      EXPECT_EQ(scores_of(*back, query), scores_of(recommender, query));
      EXPECT_EQ(list_of(*back, query), list_of(recommender, query));
    }
    const auto* finder = dynamic_cast<const FindsSimilar*>(&recommender);
    for (std::uint32_t i = 0; finder != nullptr && i < ratings.items(); ++i) {
      EXPECT_EQ(dynamic_cast<const FindsSimilar&>(*back).similar(i, 5), finder->similar(i, 5));
    }
  });
}

TEST_P(EveryRecommender, LoadRefusesPartsThatAreMissingOrOfAnotherSize) {
  on_all_data([this](const Ratings& ratings, const Recommender& recommender) {
    Parts whole;
    recommender.save(whole);
    const auto refused = [&](const Parts& parts) {
      try {
        static_cast<void>(GetParam().load(parts, ratings));
        return false;
      } catch (const Error& error) {
        return error.code() == ErrorCode::corrupt;
      }
    };
    for (const auto& [name, part] : whole.arrays) {
      Parts without = whole;
      without.arrays.erase(name);
      EXPECT_TRUE(refused(without)) << name << " missing";
      if (part.bytes.empty() || name == "method/why") continue;  // a sentence may have any length
      Parts shorter = whole;
      shorter.arrays[name].bytes = part.bytes.first(part.bytes.size() - element_size(part.type));
      EXPECT_TRUE(refused(shorter)) << name << " too short";
    }
  });
}

TEST(Suite, KnowsEveryMethod) {
  std::set<std::string> tested;
  for (const Kind& kind : kinds()) tested.insert(kind.method);
  for (const MethodDescription& method : methods()) {
    EXPECT_TRUE(tested.contains(method.name)) << method.name << " has no entry in kinds()";
  }
}

// CA-GF scores each form of the graph in its own way. Should its choice between them change, the
// data here have to follow.
TEST(SampleData, HasEveryFormOfTheGraph) {
  ThreadPool pool(1);
  std::set<Storage> seen;
  for (const auto& [name, ratings] : sample_data()) {
    seen.insert(fitted(ratings, {}, pool)->computation().storage);
    seen.insert(fitted(ratings, {.other = outward()}, pool)->computation().storage);
  }
  EXPECT_TRUE(seen.contains(Storage::whole));
  EXPECT_TRUE(seen.contains(Storage::dense));
  EXPECT_TRUE(seen.contains(Storage::sparse));
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryRecommender, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace palate
