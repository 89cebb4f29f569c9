// The dense form of the item graph says what the sparse form says.
#include "graph/dense_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/graph/lay.hpp"
#include "support/damaged_parts.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"
#include "unit/graph/dense_rows.hpp"

namespace palate {
namespace {

using testing::dense_row;
using testing::random_ratings;
using testing::thrown_by;

// Less than a block, several bands of rows, and what is left over of each.
const std::vector<std::size_t> sizes = {1, 15, 16, 17, 33, 130, 256, 531};

DenseGraph built(const Ratings& ratings, CriterionSet criteria, unsigned threads = 2) {
  ThreadPool pool(threads);
  return DenseGraph::build(ratings, criteria, popularity_order(ratings), pool);
}

TEST(PopularityOrder, MostRatedFirstTiesByTheLowerIndex) {
  const Ratings ratings = random_ratings({.users = 40, .items = 60, .density = 0.1}, 3);
  std::vector<std::size_t> count(60, 0);
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    for (const std::uint32_t item : ratings.of(u).items) ++count[item];
  }
  std::vector<std::uint32_t> expected(60);
  std::iota(expected.begin(), expected.end(), 0U);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return count[a] > count[b]; });
  const ItemOrder order = popularity_order(ratings);
  EXPECT_EQ(std::vector<std::uint32_t>(order.item_at.begin(), order.item_at.end()), expected);
  for (std::uint32_t place = 0; place < 60; ++place) {
    EXPECT_EQ(order.place_of[order.item_at[place]], place);
  }
}

TEST(PopularityOrder, ComesBackAndRefusesWhatIsNoOrder) {
  const ItemOrder order = popularity_order(random_ratings({.items = 20}, 1));
  Parts parts;
  order.save(parts, "o");
  const ItemOrder back = ItemOrder::load(parts, "o", 20);
  EXPECT_TRUE(std::ranges::equal(back.item_at, order.item_at));
  EXPECT_TRUE(std::ranges::equal(back.place_of, order.place_of));
  const auto refuses = [](std::vector<std::uint32_t> item_at) {
    Parts wrong;
    wrong.put("o", Array<std::uint32_t>(std::move(item_at)));
    EXPECT_EQ(thrown_by([&] { static_cast<void>(ItemOrder::load(wrong, "o", 3)); }).code(),
              ErrorCode::corrupt);
  };
  refuses({0, 1});
  refuses({0, 1, 2, 3});
  refuses({0, 1, 1});
  refuses({0, 1, 3});
  refuses({0, 1, 4000000000U});
}

// The same links, entries within rounding, and symmetry to the bit.
TEST(DenseGraph, EqualsTheSparseForm) {
  ThreadPool pool(2);
  for (const std::size_t items : sizes) {
    for (const std::size_t criteria : {1, 2, 4, 5, 7}) {
      // Ratings that are small multiples of a power of two, and others.
      const std::array<float, 4> units = {0.5F, 0.3F, 1.0F, 100.0F};
      const Ratings ratings = random_ratings({.users = 70,
                                              .items = items,
                                              .criteria = criteria,
                                              .density = 0.2,
                                              .unit = units[(items + criteria) % units.size()]},
                                             items + criteria);
      const auto all = static_cast<CriterionSet>((1U << criteria) - 1);
      for (const CriterionSet set : {all, CriterionSet{1}}) {
        const ItemGraph sparse = build_item_graph(ratings, set, pool);
        const ItemOrder order = popularity_order(ratings);
        const DenseGraph graph = built(ratings, set);
        ASSERT_EQ(graph.items(), items);
        EXPECT_EQ(graph.entries(), sparse.pattern.entries());
        std::vector<std::vector<double>> rows;
        for (std::size_t i = 0; i < items; ++i) rows.push_back(dense_row(graph, i, 1.0));
        for (std::uint32_t i = 0; i < items; ++i) {
          std::vector<double> expected(items, 0.0);
          const auto row = sparse.pattern.row(i);
          for (std::size_t k = 0; k < row.size(); ++k) {
            expected[order.place_of[row[k]]] =
                static_cast<double>(sparse.values[sparse.pattern.offsets[i] + k]);
          }
          const std::uint32_t place = order.place_of[i];
          EXPECT_EQ(graph.row_entries(place), row.size());
          for (std::size_t j = 0; j < items; ++j) {
            ASSERT_EQ(rows[place][j] > 0, expected[j] > 0);
            ASSERT_NEAR(rows[place][j], expected[j], 2e-6 * expected[j]) << i << ", " << j;
          }
        }
        std::vector<std::vector<float>> logs(items, std::vector<float>(graph.stride()));
        const std::vector<float> none(graph.stride(), 0.0F);
        for (std::size_t i = 0; i < items; ++i) {
          kernels::unpack_power(graph.row(i), graph.blocks(), none.data(), 1.0F, logs[i].data());
        }
        for (std::size_t i = 0; i < items; ++i) {
          for (std::size_t j = 0; j < items; ++j) ASSERT_EQ(logs[i][j], logs[j][i]);
        }
      }
    }
  }
}

// To the bit, whichever worker took which rows.
void expect_same(const DenseGraph& a, const DenseGraph& b) {
  ASSERT_EQ(a.items(), b.items());
  ASSERT_EQ(a.entries(), b.entries());
  for (std::size_t i = 0; i < a.items(); ++i) {
    ASSERT_TRUE(std::equal(a.row(i).masks, a.row(i).masks + a.blocks(), b.row(i).masks));
    ASSERT_TRUE(std::equal(a.row(i).logs, a.row(i).logs + a.row_entries(i), b.row(i).logs));
  }
  EXPECT_TRUE(std::equal(a.shift(), a.shift() + a.stride(), b.shift()));
  for (std::size_t i = 0; i < a.items(); ++i) EXPECT_EQ(a.peak(i), b.peak(i));
}

TEST(DenseGraph, IsTheSameOnAnyNumberOfThreads) {
  const Ratings ratings = random_ratings({.users = 90, .items = 150, .density = 0.1}, 8);
  const DenseGraph one = built(ratings, 0b1111, 1);
  expect_same(one, built(ratings, 0b1111, 4));
  expect_same(one, built(ratings, 0b1111, 4));
}

TEST(DenseGraph, PeaksAreTheLargestEntriesBesideTheDiagonal) {
  const DenseGraph graph = built(random_ratings({.users = 30, .items = 45, .density = 0.1}, 2), 1);
  std::vector<float> row(graph.stride());
  for (std::size_t i = 0; i < graph.items(); ++i) {
    kernels::unpack_power(graph.row(i), graph.blocks(), graph.shift(), 1.0F, row.data());
    row[i] = 0;
    const double most = static_cast<double>(*std::max_element(row.begin(), row.end()));
    const double own = std::exp2(static_cast<double>(graph.shift()[i]));
    EXPECT_NEAR(std::exp2(static_cast<double>(graph.peak(i))), most * own, 3e-6 * most * own) << i;
  }
}

// What is kept while the graph is built is what its rows say; a graph that was loaded has none.
TEST(DenseGraph, TopsAreTheLargestEntriesOfStrips) {
  constexpr std::size_t strip = DenseGraph::strip_rows;
  for (const std::size_t items : {5, 32, 45, 130, 531}) {
    const DenseGraph graph =
        built(random_ratings({.users = 30, .items = items, .density = 0.1}, items), 0b11);
    std::vector<float> largest(graph.stride());
    for (std::size_t first = 0; first < items; first += strip) {
      std::vector<kernels::PackedRow> rows;
      for (std::size_t i = first; i < std::min(items, first + strip); ++i) {
        rows.push_back(graph.row(i));
      }
      kernels::largest_logs(rows, graph.blocks(), graph.shift() + first, first, largest.data());
      const std::span<const float> tops = graph.tops(first / strip);
      ASSERT_EQ(tops.size(), graph.stride());
      for (std::size_t j = 0; j < largest.size(); ++j) {
        const double wanted = std::exp2(static_cast<double>(largest[j]));
        ASSERT_NEAR(static_cast<double>(tops[j]), wanted, 3e-6 * wanted) << first << ", " << j;
      }
    }
    Parts parts;
    graph.save(parts, "g");
    EXPECT_TRUE(DenseGraph::load(parts, "g", items).tops(0).empty());
  }
}

TEST(DenseGraph, ARowFromSomeBlockOnIsItsRest) {
  const DenseGraph graph = built(random_ratings({.items = 100, .density = 0.1}, 5), 1);
  std::vector<float> whole(graph.stride());
  for (const std::size_t i : {0, 50, 99}) {
    kernels::unpack_power(graph.row(i), graph.blocks(), graph.shift(), 0.5F, whole.data());
    for (std::size_t block = 0; block <= graph.blocks(); ++block) {
      std::vector<float> rest(graph.stride() - block * 16);
      kernels::unpack_power(graph.row_from(i, block), graph.blocks() - block,
                            graph.shift() + block * 16, 0.5F, rest.data());
      EXPECT_TRUE(std::equal(rest.begin(), rest.end(),
                             whole.begin() + static_cast<std::ptrdiff_t>(block * 16)));
    }
  }
}

TEST(DenseGraph, NobodyRatedAnything) {
  const Ratings ratings = random_ratings({.users = 4, .items = 18, .density = 0}, 1);
  const DenseGraph graph = built(ratings, 0b1111);
  EXPECT_EQ(graph.items(), 18U);
  EXPECT_EQ(graph.entries(), 0U);
  for (std::size_t i = 0; i < 18; ++i) {
    for (const double entry : dense_row(graph, i, 0.5)) EXPECT_EQ(entry, 0.0);
  }
}

TEST(DenseGraph, ComesBackFromItsParts) {
  for (const std::size_t items : sizes) {
    const DenseGraph graph = built(random_ratings({.items = items, .density = 0.3}, items), 0b1111);
    Parts parts;
    graph.save(parts, "g");
    expect_same(graph, DenseGraph::load(parts, "g", items));
  }
}

// The same graph gives the same file, however its rows came to lie in memory.
TEST(DenseGraph, SavesTheSameBytesOnAnyNumberOfThreads) {
  const Ratings ratings = random_ratings({.users = 60, .items = 120, .density = 0.1}, 4);
  Parts one;
  Parts four;
  built(ratings, 0b1111, 1).save(one, "g");
  built(ratings, 0b1111, 4).save(four, "g");
  ASSERT_EQ(one.arrays.size(), four.arrays.size());
  for (const auto& [name, part] : one.arrays) {
    const auto& other = four.arrays.at(name);
    ASSERT_EQ(part.bytes.size(), other.bytes.size()) << name;
    EXPECT_EQ(std::memcmp(part.bytes.data(), other.bytes.data(), part.bytes.size()), 0) << name;
  }
}

template <class T>
std::vector<T> values_of(const Parts& parts, const std::string& name) {
  const Array<T> array = parts.get<T>(name);
  return {array.begin(), array.end()};
}

TEST(DenseGraph, RefusesDamage) {
  constexpr std::size_t items = 20;
  const DenseGraph graph = built(random_ratings({.items = items, .density = 0.3}, 6), 0b1111);
  Parts parts;
  graph.save(parts, "g");
  const auto refused = [](const Parts& damaged, const std::string& what) {
    const Error error =
        thrown_by([&] { static_cast<void>(DenseGraph::load(damaged, "g", items)); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << what;
  };
  for (const std::string name : {"g/masks", "g/logs", "g/shift", "g/peaks"}) {
    testing::without_and_cut(parts, name, refused);
  }
  // One link more, or less, than there are logarithms; and a link to an item that is not there.
  for (const std::uint16_t flip : {std::uint16_t{1}, std::uint16_t{0x8000}}) {
    Parts damaged = parts;
    auto masks = values_of<std::uint16_t>(parts, "g/masks");
    masks[1] = static_cast<std::uint16_t>(masks[1] ^ flip);
    damaged.put("g/masks", Array<std::uint16_t>(masks));
    refused(damaged, "masks");
  }
  Parts damaged = parts;
  auto masks = values_of<std::uint16_t>(parts, "g/masks");
  for (std::uint16_t& mask : masks) mask = 0;
  damaged.put("g/masks", Array<std::uint16_t>(masks));
  refused(damaged, "no masks");
  refused({}, "nothing");
  EXPECT_EQ(thrown_by([&] { static_cast<void>(DenseGraph::load(parts, "g", items + 1)); }).code(),
            ErrorCode::corrupt);
}

}  // namespace
}  // namespace palate
