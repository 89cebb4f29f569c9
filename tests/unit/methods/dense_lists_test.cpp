// Lists of many from panels of weights, against scores of one person at a time.
#include "methods/linear/dense_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/random.hpp"

namespace palate {
namespace {

struct People {
  std::vector<std::vector<std::uint32_t>> rated, hidden;
  std::vector<std::vector<float>> x;
  std::vector<std::uint8_t> allowed;
  std::vector<Asking> askings;
};

People some_people(std::size_t count, std::size_t items) {
  People out;
  out.allowed.resize(items);
  for (std::size_t i = 0; i < items; ++i) out.allowed[i] = mix64(i) % 5 != 0 ? 1 : 0;
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
      out.x[p].push_back(static_cast<float>(mix64(i + p) % 100) / 50 - 1);
    }
    out.askings.push_back(
        {out.rated[p], out.x[p], out.hidden[p],
         p % 3 == 0 ? std::span<const std::uint8_t>(out.allowed) : std::span<const std::uint8_t>(),
         p % 7});
  }
  return out;
}

TEST(DenseLists, AreTheBestByScoreWhetherPeopleAskTogetherOrAlone) {
  for (const std::size_t items : {1, 31, 32, 33, 100}) {
    std::vector<float> weights(items * items);
    std::vector<float> targets(items);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] = static_cast<float>(mix64(k) % 7) - 3;  // many equal scores
    }
    for (std::size_t i = 0; i < items; ++i) targets[i] = static_cast<float>(1 + i % 3);
    const DenseWeights all{weights, items, targets};
    const People people = some_people(70, items);
    for (const unsigned threads : {1U, 3U}) {
      ThreadPool pool(threads);
      std::vector<std::vector<ScoredItem>> together(people.askings.size());
      dense_lists(all, people.askings, together, pool);
      for (std::size_t p = 0; p < people.askings.size(); ++p) {
        const Asking& asking = people.askings[p];
        std::vector<float> scores(items);
        dense_scores(all, asking, scores);
        std::vector<ScoredItem> expected;
        for (std::uint32_t i = 0; i < items; ++i) {
          const bool hidden = std::ranges::binary_search(asking.hidden, i);
          if (hidden || (!asking.allowed.empty() && asking.allowed[i] == 0)) continue;
          expected.push_back({i, scores[i]});
        }
        std::ranges::stable_sort(expected,
                                 [](const auto& a, const auto& b) { return a.score > b.score; });
        expected.resize(std::min(expected.size(), asking.top));
        ASSERT_EQ(together[p], expected) << items << " items, person " << p;
        std::vector<std::vector<ScoredItem>> alone(1);
        dense_lists(all, {&asking, 1}, alone, pool);
        ASSERT_EQ(alone[0], expected);
      }
    }
  }
}

}  // namespace
}  // namespace palate
