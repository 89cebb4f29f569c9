// Lists of many from panels of weights, against scores of one person at a time.
#include "methods/linear/dense_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "methods/linear/sparse_lists.hpp"

namespace palate {
namespace {

struct People {
  std::vector<std::vector<std::uint32_t>> rated, hidden;
  std::vector<std::vector<float>> x;
  std::vector<std::uint8_t> allowed;
  std::vector<float> boost;
  std::vector<Asking> askings;
};

People some_people(std::size_t count, std::size_t items) {
  People out;
  out.allowed.resize(items);
  for (std::size_t i = 0; i < items; ++i) out.allowed[i] = mix64(i) % 5 != 0 ? 1 : 0;
  for (std::size_t i = 0; i < items; ++i) out.boost.push_back(0.5F + static_cast<float>(i % 7));
  out.rated.resize(count);
  out.hidden.resize(count);
  out.x.resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    for (std::uint32_t i = 0; i < items; ++i) {
      const std::uint64_t chance = mix64(p * 1000 + i) % 9;
      if (chance == 0) out.rated[p].push_back(i);
      if (chance <= 1) out.hidden[p].push_back(i);
    }
    for (const std::uint32_t i : out.rated[p]) {
      out.x[p].push_back(static_cast<float>(mix64(i + p) % 9) / 4 - 1);  // sums are exact
    }
    out.askings.push_back(
        {out.rated[p], out.x[p], out.hidden[p],
         p % 3 == 0 ? std::span<const std::uint8_t>(out.allowed) : std::span<const std::uint8_t>(),
         p % 7, p % 4 == 0 ? std::span<const float>(out.boost) : std::span<const float>()});
  }
  return out;
}

// Everyone's list, in one go and one by one, against the scores of every item.
void expect_best(const DenseWeights& all, const std::string& what) {
  const People people = some_people(70, all.items);
  for (const unsigned threads : {1U, 3U}) {
    ThreadPool pool(threads);
    std::vector<std::vector<ScoredItem>> together(people.askings.size());
    dense_lists(all, people.askings, together, pool);
    for (std::size_t p = 0; p < people.askings.size(); ++p) {
      const Asking& asking = people.askings[p];
      std::vector<float> scores(all.items);
      dense_scores(all, asking.rated, asking.x, scores);
      std::vector<ScoredItem> expected;
      for (std::uint32_t i = 0; i < all.items; ++i) {
        const bool hidden = std::ranges::binary_search(asking.hidden, i);
        if (hidden || (!asking.allowed.empty() && asking.allowed[i] == 0)) continue;
        expected.push_back(
            {i, asking.boost.empty() ? scores[i] : boosted(scores[i], asking.boost[i])});
      }
      std::ranges::stable_sort(expected,
                               [](const auto& a, const auto& b) { return a.score > b.score; });
      expected.resize(std::min(expected.size(), asking.top));
      ASSERT_EQ(together[p], expected) << what << ", " << all.items << " items, person " << p;
      std::vector<std::vector<ScoredItem>> alone(1);
      dense_lists(all, {&asking, 1}, alone, pool);
      ASSERT_EQ(alone[0], expected);
    }
  }
}

TEST(DenseLists, AreTheBestByScoreWhetherPeopleAskTogetherOrAlone) {
  for (const std::size_t items : {1, 31, 32, 33, 64, 65, 100}) {
    std::vector<float> weights(items * items);
    std::vector<std::int16_t> shorts(items * items);
    std::vector<float> targets(items);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] = static_cast<float>(mix64(k) % 7) - 3;  // many equal scores
      shorts[k] = static_cast<std::int16_t>(weights[k]);
    }
    for (std::size_t i = 0; i < items; ++i) targets[i] = static_cast<float>(1 + i % 3);
    expect_best({weights, items, targets}, "32 bits");
    expect_best({{}, items, targets, shorts}, "16 bits");
  }
}

// Sums are exact, so that scores are equal to the bit.
TEST(SparseLists, AreThoseOfTheSameWeightsWithZeros) {
  constexpr std::size_t items = 90;
  std::vector<float> weights(items * items, 0.0F);
  std::vector<float> targets(items);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::size_t j = 0; j < items; ++j) {
    targets[j] = static_cast<float>(1 + j % 3);
    for (std::uint32_t i = 0; i < items; ++i) {
      if (mix64(j * items + i) % 8 != 0) continue;
      weights[j * items + i] = static_cast<float>(mix64(i + j) % 9) - 4;
      columns.push_back(i);
      values.push_back(weights[j * items + i]);
    }
    offsets.push_back(columns.size());
  }
  const GraphPattern pattern{std::move(offsets), std::move(columns)};
  const People people = some_people(70, items);
  ThreadPool pool(3);
  std::vector<std::vector<ScoredItem>> dense(people.askings.size());
  std::vector<std::vector<ScoredItem>> sparse(people.askings.size());
  dense_lists({weights, items, targets}, people.askings, dense, pool);
  sparse_lists({pattern, values, targets}, people.askings, sparse, pool);
  EXPECT_EQ(sparse, dense);
}

}  // namespace
}  // namespace palate
