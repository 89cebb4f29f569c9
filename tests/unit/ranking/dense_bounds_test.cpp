// Each bound on dense graphs as the inequality that it is: no score is above its upper bound or
// below its lower one, and the two are close enough to be of use.
#include "ranking/dense_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dense/strip.hpp"
#include "ranking/dense_best.hpp"
#include "ranking/dense_orders.hpp"
#include "unit/ranking/dense_truth.hpp"

namespace palate {
namespace {

using kernels::wide_strip;
using testing::DenseTruth;

std::int64_t part(std::uint32_t word, unsigned shift) {
  return static_cast<std::int16_t>(word >> shift & 0xFFFFU);
}

// Sums of codes of someone's signal with the columns of a strip, as whole numbers.
std::vector<double> code_sums(const std::vector<std::vector<std::uint32_t>>& person,
                              const PlacedSignal& signal, const std::uint32_t* strips,
                              std::size_t stride) {
  std::vector<double> sums(wide_strip, 0.0);
  for (std::size_t pair = 0; pair < person.size(); ++pair) {
    for (std::size_t k = 0; k < signal.places.size(); ++k) {
      const std::uint32_t* row = strips + (pair * stride + signal.places[k]) * wide_strip;
      for (std::size_t c = 0; c < wide_strip; ++c) {
        for (const unsigned shift : {0U, 16U}) {
          sums[c] += static_cast<double>(part(person[pair][k], shift) * part(row[c], shift));
        }
      }
    }
  }
  return sums;
}

// Sum over some branches of a_1 y.
std::vector<double> true_first(const DenseTruth& truth, const std::vector<std::size_t>& branches,
                               const Signal& signal) {
  std::vector<double> out(truth.items(), 0.0);
  for (const std::size_t b : branches) {
    const auto y = truth.first_order(b, signal);
    const double a = truth.graphs().branch(b).coefficients[0];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += a * y[i];
  }
  return out;
}

struct Coded {
  Coded(const DenseTruth& truth, const DenseCodes& codes, const Signal& signal)
      : codes_of(codes.pairs()) {
    placed.set(truth.graphs(), signal);
    std::vector<std::uint32_t*> out;
    for (auto& one : codes_of) {
      one.resize(placed.places.size());
      out.push_back(one.data());
    }
    person = codes.encode(placed, out);
  }
  PlacedSignal placed;
  std::vector<std::vector<std::uint32_t>> codes_of;
  CodedPerson person;
};

class Codes : public ::testing::TestWithParam<double> {};  // the least factor of a criterion

TEST_P(Codes, BoundFirstOrdersFromBothSides) {
  const DenseTruth truth({.least_factor = GetParam()});
  const DenseGraphs& graphs = truth.graphs();
  const DenseCodes codes(graphs, graphs.first);
  std::vector<std::uint32_t> strips(codes.pairs() * graphs.stride() * wide_strip);
  double slack = 0;
  double size = 0;
  for (std::size_t block = 0; block < graphs.blocks(); block += 2) {
    for (std::size_t pair = 0; pair < codes.pairs(); ++pair) {
      codes.lay(pair, block, strips.data() + pair * graphs.stride() * wide_strip);
    }
    for (const Signal& signal : truth.signals()) {
      const Coded coded(truth, codes, signal);
      const auto first = true_first(truth, graphs.first, signal);
      const auto sums = code_sums(coded.codes_of, coded.placed, strips.data(), graphs.stride());
      for (std::size_t c = 0; c < wide_strip; ++c) {
        const std::size_t i = block * kernels::block_width + c;
        if (i >= truth.items() || truth.rated(signal, i)) continue;
        const double unit =
            static_cast<double>(coded.person.unit) * static_cast<double>(codes.item_unit()[i]);
        const double upper = unit * (sums[c] + static_cast<double>(coded.person.up));
        const double lower = unit * (sums[c] * (1 - static_cast<double>(coded.person.rate)) -
                                     static_cast<double>(coded.person.down));
        ASSERT_GE(upper, first[i]) << "item " << i;
        ASSERT_LE(lower, first[i]) << "item " << i;
        slack += upper - lower;
        size += std::abs(first[i]);
      }
    }
  }
  ASSERT_GT(size, 0);
  // Whole numbers of 13 bits by 12: apart by a part in a hundred, unless signals below 0 leave
  // little to be known.
  if (GetParam() >= 0) {
    EXPECT_LT(slack, 0.01 * size);
  }
}

INSTANTIATE_TEST_SUITE_P(Factors, Codes, ::testing::Values(0.1, 0.9, -0.7),
                         [](const auto& one) { return "case" + std::to_string(one.index); });

// Nothing is passed over for signals below 0.
TEST(CodesOfTheLargestEntries, BoundWholeStrips) {
  const DenseTruth truth({});
  const DenseGraphs& graphs = truth.graphs();
  const DenseCodes codes(graphs, graphs.first);
  std::vector<std::uint32_t> strips(codes.pairs() * graphs.stride() * wide_strip);
  std::vector<float> units(wide_strip);
  codes.lay_bounds(0, strips.data(), units.data());
  double bounds = 0;
  double largest = 0;
  for (const Signal& signal : truth.signals()) {
    const Coded coded(truth, codes, signal);
    const auto first = true_first(truth, graphs.first, signal);
    const auto sums = code_sums(coded.codes_of, coded.placed, strips.data(), graphs.stride());
    for (std::size_t strip = 0; strip * wide_strip < truth.items(); ++strip) {
      const double upper =
          static_cast<double>(coded.person.unit) * static_cast<double>(units[strip]) * sums[strip];
      double most = 0;
      const std::size_t end = std::min(truth.items(), (strip + 1) * wide_strip);
      for (std::size_t i = strip * wide_strip; i < end; ++i) {
        if (!truth.rated(signal, i)) most = std::max(most, first[i]);
      }
      ASSERT_GE(upper, most) << "strip " << strip;
      bounds += upper;
      largest += most;
    }
  }
  // Largest entries need not be those of one item; still they are no more than three times it.
  EXPECT_LT(bounds, 3 * largest);
}

class StripBoundsOf : public ::testing::TestWithParam<bool> {};  // whether exact

TEST_P(StripBoundsOf, AreAboveEveryScoreOfTheStrip) {
  const DenseTruth truth({.exact = GetParam()});
  const DenseGraphs& graphs = truth.graphs();
  ThreadPool pool(1);
  const std::vector<DenseCodes> codes = {DenseCodes(graphs, graphs.first)};
  DensePeople people(graphs, codes, GetParam() ? graphs.second : std::vector<std::size_t>(),
                     truth.queries(), truth.signals(), pool);
  if (GetParam()) (void)first_orders(graphs, people, pool);
  const StripBounds bounds = strip_bounds(graphs, codes[0], 0, people, 0, pool);
  double all = 0;
  double largest = 0;
  for (std::size_t p = 0; p < people.size(); ++p) {
    std::vector<double> score = true_first(truth, graphs.first, truth.signals()[p]);
    for (std::size_t m = 0; m < graphs.second.size(); ++m) {
      const std::size_t b = graphs.second[m];
      const auto second = truth.second_order(b, truth.first_order(b, truth.signals()[p]));
      for (std::size_t i = 0; i < score.size(); ++i) {
        score[i] += GetParam() ? graphs.branch(b).coefficients[1] * second[i]
                               : estimated_second_order(graphs, m, i, people.z(p));
      }
    }
    for (std::size_t strip = 0; strip * wide_strip < truth.items(); ++strip) {
      const auto bound = static_cast<double>(StripBounds::value(bounds.of(strip, 0)[p]));
      const std::size_t end = std::min(truth.items(), (strip + 1) * wide_strip);
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t i = strip * wide_strip; i < end; ++i) {
        if (!truth.rated(truth.signals()[p], i)) most = std::max(most, score[i]);
      }
      if (!std::isfinite(most)) continue;
      ASSERT_GE(bound, most) << "strip " << strip << " of person " << p;
      all += bound;
      largest += most;
    }
  }
  EXPECT_LT(all, 3 * largest);
}

INSTANTIATE_TEST_SUITE_P(Solvers, StripBoundsOf, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "exact" : "fast"; });

// What is left of a bound when the rows of the first stages have been counted.
TEST(StripBounds, AreAboveWhatTheLaterStagesAdd) {
  const testing::RandomShape shape{.users = 40, .items = 4200, .density = 0.012};
  const Ratings ratings = testing::random_ratings(shape, 7);
  CaGf settings{.filters = {{"overall", linear(0.6)}, {"c1", linear(1.2)}}};
  ThreadPool pool(1);
  const ItemOrder order = popularity_order(ratings);
  const DenseScorer scorer(
      std::make_shared<const FilterPlan>(plan_ca_gf(settings, ratings.criteria())), order,
      {DenseGraph::build(ratings, 0b1111, order, pool)}, true, pool);
  const DenseGraphs& graphs = scorer.graphs();
  std::vector<Query> queries;
  std::vector<Signal> signals;
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    queries.push_back({.ratings = ratings.of(u), .top = 10});
    signals.push_back({.ratings = ratings.of(u), .factor = {1.0F, 0.5F}});
  }
  const std::vector<DenseCodes> codes = {DenseCodes(graphs, graphs.first)};
  const DensePeople people(graphs, codes, {}, queries, signals, pool);
  ASSERT_GT(people.stages(), 1U);
  const StripBounds bounds = strip_bounds(graphs, codes[0], 0, people, people.stages(), pool);
  std::vector<float> row(graphs.stride());
  for (std::size_t i = 0; i < ratings.items(); i += 7) {
    for (std::size_t p = 0; p < people.size(); ++p) {
      const auto places = people.places(people[p]);
      if (std::binary_search(places.begin(), places.end(), i)) continue;
      std::vector<double> left(people.stages() + 1, 0.0);  // from each stage on
      for (const std::size_t b : graphs.first) {
        graphs.unpack(graphs.branch(b), i, row.data());
        const double own = static_cast<double>(graphs.scale[graphs.branch(b).values][i]) *
                           graphs.branch(b).coefficients[0];
        for (std::size_t k = 0; k < places.size(); ++k) {
          // x holds the factor of the rated item, which the row has as well.
          const auto scale = static_cast<double>(graphs.scale[graphs.branch(b).values][places[k]]);
          if (scale == 0) continue;
          const double value = own * static_cast<double>(row[places[k]]) *
                               static_cast<double>(people.x(b, people[p])[k]) / scale;
          for (std::size_t stage = 0; stage <= people.stages(); ++stage) {
            const std::size_t tile = stage * people.tiles() / people.stages();
            if (tile < people.tiles() && places[k] >= people.first_row(tile)) left[stage] += value;
          }
        }
      }
      for (std::size_t stage = 0; stage <= people.stages(); ++stage) {
        const auto bound =
            static_cast<double>(StripBounds::value(bounds.of(i / wide_strip, stage)[p]));
        ASSERT_GE(bound, left[stage]) << "item " << i << ", stage " << stage;
      }
    }
  }
}

TEST(Extremes, AreAboveEveryEstimateOfTheStrip) {
  const DenseTruth truth({});
  const DenseGraphs& graphs = truth.graphs();
  const Extremes extremes(graphs, 0);
  std::vector<float> split(graphs.second.size() * Extremes::rows_per_branch);
  double bounds = 0;
  double plain = 0;  // |z| |W_i|, the longest of a strip
  for (const Signal& signal : truth.signals()) {
    PlacedSignal placed;
    placed.set(graphs, signal);
    Extremes::split(graphs, placed.z.data(), split.data());
    for (std::size_t strip = 0; strip * wide_strip < truth.items(); ++strip) {
      double upper = 0;
      for (std::size_t row = 0; row < split.size(); ++row) {
        upper += static_cast<double>(split[row]) *
                 static_cast<double>(extremes.coordinates[row * Extremes::strips + strip]);
      }
      const std::size_t end = std::min(truth.items(), (strip + 1) * wide_strip);
      double longest = 0;
      for (std::size_t i = strip * wide_strip; i < end; ++i) {
        double estimate = 0;
        double length = 0;
        for (std::size_t m = 0; m < graphs.second.size(); ++m) {
          const Subspace& space = graphs.subspace(graphs.branch(graphs.second[m]));
          estimate += estimated_second_order(graphs, m, i, placed.z.data());
          length += std::sqrt(
              kernels::square_sum({space.coordinates.data() + i * space.rank, space.rank}) *
              kernels::square_sum({placed.z.data() + graphs.direction_of[m], space.rank}));
          EXPECT_GE(extremes.outside[m][strip], space.outside[i]);
          EXPECT_GE(extremes.lengths[m][strip], space.lengths[i]);
        }
        ASSERT_GE(upper, estimate - 64 * tolerance::unit * length) << "item " << i;
        longest = std::max(longest, length);
      }
      bounds += upper;
      plain += longest;
    }
  }
  // To be worth its work it must be closer than the plain bound.
  EXPECT_LT(bounds, plain);
}

TEST(BestBounds, KnowTheWorstOfTheBest) {
  const DenseTruth truth({.shape = {.users = 6, .items = 40, .density = 0.3}});
  ThreadPool pool(1);
  std::vector<Query> queries = truth.queries();
  for (std::size_t p = 0; p < queries.size(); ++p) queries[p].top = p;  // nobody, one, two, ...
  const std::vector<DenseCodes> codes = {DenseCodes(truth.graphs(), truth.graphs().first)};
  const DensePeople people(truth.graphs(), codes, {}, queries, truth.signals(), pool);
  BestBounds best(people);
  Random random(5);
  std::vector<std::vector<float>> offered(people.size());
  for (int round = 0; round < 30; ++round) {
    for (std::size_t p = 0; p < people.size(); ++p) {
      const auto bound = static_cast<float>(random.uniform() - 0.5);
      best.offer(p, bound);
      offered[p].push_back(bound);
      std::sort(offered[p].rbegin(), offered[p].rend());
      const bool enough = p > 0 && offered[p].size() >= p;
      EXPECT_EQ(best.worst(p),
                enough ? offered[p][p - 1] : -std::numeric_limits<float>::infinity());
    }
  }
}

}  // namespace
}  // namespace palate
