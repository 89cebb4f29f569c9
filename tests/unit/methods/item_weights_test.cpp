// The forms of weights between items against each other: what each costs, and the way to a file and
// back.
#include "methods/linear/item_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "support/damaged_parts.hpp"
#include "support/errors.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::thrown_by;

struct Sample {
  std::size_t items;
  std::vector<float> weights;

  [[nodiscard]] ItemWeights in(Precision precision, unsigned threads = 2) const {
    const HugeBuffer<float> matrix(weights.size());
    std::copy(weights.begin(), weights.end(), matrix.data());
    ThreadPool pool(threads);
    return ItemWeights::from_dense(matrix, items, precision, pool);
  }
};

// Columns of very different sizes, with weights between 1 and 2^-40 of the largest; some are 0.
Sample sample(std::size_t items, double share) {
  Sample out{items, std::vector<float>(items * items)};
  Random random(3);
  for (std::size_t k = 0; k < out.weights.size(); ++k) {
    const double column = std::pow(10.0, static_cast<double>(k % items % 9) - 6);
    const double size = std::exp2(-40 * random.uniform()) * column;
    const double sign = random.uniform() < 0.5 ? -1 : 1;
    if (random.uniform() < share) out.weights[k] = static_cast<float>(sign * size);
  }
  return out;
}

TEST(ItemWeights, SixteenBitsKeepToTheBound) {
  Sample some = sample(150, 0.9);
  for (std::size_t j = 0; j < 150; ++j) {
    some.weights[j * 150 + 7] = 0;        // a column of nothing
    some.weights[j * 150 + 8] *= 1e-38F;  // hardly more
    some.weights[j * 150 + 9] *= 1e35F;
  }
  const ItemWeights kept = some.in(Precision::bits16);
  EXPECT_EQ(kept.storage(), "16-bit");
  for (std::uint32_t i = 0; i < 150; ++i) {
    const auto factor = static_cast<double>(kept.all().targets[i]);
    double largest = 0;
    for (std::uint32_t j = 0; j < 150; ++j) {
      const auto exact = static_cast<double>(some.weights[j * 150 + i]);
      largest = std::max(largest, std::abs(exact));
      ASSERT_LE(std::abs(static_cast<double>(kept.at(j, i)) - exact), (0.5 + 0x1p-7) * factor)
          << j << " to " << i;
    }
    EXPECT_NEAR(factor, std::max(largest, 0x1p-100) / 32767, 1e-7 * factor);
  }
}

TEST(ItemWeights, AreTheSameInSixteenBitsOnAnyNumberOfThreads) {
  const Sample some = sample(333, 0.9);
  const ItemWeights one = some.in(Precision::bits16, 1);
  const ItemWeights four = some.in(Precision::bits16, 4);
  EXPECT_TRUE(std::ranges::equal(one.all().shorts, four.all().shorts));
  EXPECT_TRUE(std::ranges::equal(one.all().targets, four.all().targets));
}

TEST(ItemWeights, FewAreKeptSparseAndManyDense) {
  EXPECT_EQ(sample(100, 0.05).in(Precision::bits16).storage(), "sparse");
  EXPECT_EQ(sample(100, 0.5).in(Precision::automatic).storage(), "32-bit");
  EXPECT_EQ(sample(100, 0.5).in(Precision::bits32).storage(), "32-bit");
  EXPECT_EQ(sample(100, 0.5).in(Precision::bits16).storage(), "16-bit");
  EXPECT_THAT(sample(100, 0.05).in(Precision::bits16).why(), HasSubstr("% of all pairs"));
  EXPECT_THAT(sample(100, 0.5).in(Precision::automatic).why(), HasSubstr("100 items"));
  EXPECT_LT(sample(100, 0.5).in(Precision::bits16).bytes(), 2 * 100 * 100 + 100 * 5);
}

TEST(ItemWeights, ManyItemsHaveSixteenBitsUnlessAskedOtherwise) {
  constexpr std::size_t items = 8193;
  const auto of = [](Precision precision) {
    const HugeBuffer<float> matrix(items * items);
    for (std::size_t k = 0; k < matrix.size(); k += 3) matrix[k] = 1;
    ThreadPool pool(2);
    return ItemWeights::from_dense(matrix, items, precision, pool);
  };
  const ItemWeights many = of(Precision::automatic);
  EXPECT_EQ(many.storage(), "16-bit");
  EXPECT_THAT(many.why(), HasSubstr("134 MB instead of 269 MB"));
  EXPECT_FLOAT_EQ(many.at(8192, 8190), 1);
  EXPECT_EQ(many.at(8192, 8191), 0);
  EXPECT_EQ(of(Precision::bits32).storage(), "32-bit");
}

// All forms of the same weights, and what each keeps of one.
struct Form {
  ItemWeights weights;
  std::vector<float> kept;
};

std::vector<Form> forms() {
  std::vector<Form> out;
  for (const auto& [share, precision] :
       {std::pair(0.5, Precision::bits32), std::pair(0.5, Precision::bits16),
        std::pair(0.07, Precision::bits32)}) {
    const Sample some = sample(97, share);
    Form& form = out.emplace_back(Form{some.in(precision), {}});
    for (std::uint32_t j = 0; j < 97; ++j) {
      for (std::uint32_t i = 0; i < 97; ++i) form.kept.push_back(form.weights.at(j, i));
    }
    EXPECT_TRUE(precision == Precision::bits16 || form.kept == some.weights);
  }
  return out;
}

TEST(ItemWeights, SumsAndColumnsAreThoseOfTheWeightsThatAreKept) {
  const std::vector<std::uint32_t> rows = {3, 17, 40, 96};
  const std::vector<float> x = {0.5F, -1.25F, 2, 0.3F};
  for (const auto& [weights, kept] : forms()) {
    SCOPED_TRACE(weights.storage());
    std::vector<float> scores(97, 1e30F);
    weights.sum_rows(rows, x, scores);
    for (std::uint32_t i = 0; i < 97; ++i) {
      double sum = 0;
      double size = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const double term = static_cast<double>(x[k]) * static_cast<double>(kept[rows[k] * 97 + i]);
        sum += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(static_cast<double>(scores[i]), sum, 1e-6 * size);
      std::vector<float> column(97);
      for (const auto& [weight, j] : weights.column(i)) column[j] = weight;
      for (std::uint32_t j = 0; j < 97; ++j) ASSERT_EQ(column[j], kept[j * 97 + i]);
    }
  }
}

void expect_same(const ItemWeights& loaded, const Form& form) {
  EXPECT_EQ(loaded.storage(), form.weights.storage());
  for (std::uint32_t j = 0; j < 97; ++j) {
    for (std::uint32_t i = 0; i < 97; ++i) ASSERT_EQ(loaded.at(j, i), form.kept[j * 97 + i]);
  }
}

TEST(ItemWeights, ComeBackFromTheirParts) {
  for (const Form& form : forms()) {
    Parts parts;
    form.weights.save(parts);
    expect_same(ItemWeights::load(parts, 97), form);
  }
}

// Sparse ones by the item that is scored.
TEST(ItemWeights, OfOlderFilesAreReadToo) {
  const std::vector<Form> all = forms();
  Parts dense;
  dense.put("method/weights", Array<float>(all[0].kept));
  expect_same(ItemWeights::load(dense, 97), all[0]);

  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 97; ++i) {
    for (const auto& [weight, j] : all[2].weights.column(i)) {
      columns.push_back(j);
      values.push_back(weight);
    }
    offsets.push_back(columns.size());
  }
  Parts sparse;
  GraphPattern{std::move(offsets), std::move(columns)}.save(sparse, "method/neighbours");
  sparse.put("method/similarity", Array<float>(values));
  expect_same(ItemWeights::load(sparse, 97), all[2]);
}

TEST(ItemWeights, DamagedPartsAreRefused) {
  const auto refused = [](const Parts& parts, const std::string& what) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(ItemWeights::load(parts, 97)); }).code(),
              ErrorCode::corrupt)
        << what;
  };
  for (const Form& form : forms()) {
    Parts parts;
    form.weights.save(parts);
    EXPECT_EQ(thrown_by([&] { static_cast<void>(ItemWeights::load(parts, 96)); }).code(),
              ErrorCode::corrupt);
    for (const auto& [name, whole] : parts.arrays) {
      testing::without_and_cut(parts, name, refused);
      Parts damaged = parts;
      damaged.arrays.at(name).type = ElementType::i64;
      refused(damaged, name + " of another type");
    }
    if (form.weights.storage() != "16-bit") continue;
    for (const float factor : {0.0F, -1.0F, std::nanf(""), 1e-40F, HUGE_VALF}) {
      std::vector<float> factors(97, 1.0F);
      factors[50] = factor;
      parts.put("method/factors", Array<float>(factors));
      refused(parts, "factor " + std::to_string(factor));
    }
  }
}

}  // namespace
}  // namespace palate
