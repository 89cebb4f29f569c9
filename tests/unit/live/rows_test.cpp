// Rows that are made from others have the entries that a plain map has.
#include "live/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/random.hpp"

namespace palate::live {
namespace {

using Entries = std::map<std::uint32_t, float>;

Entries entries_of(const Row& row) {
  Entries out;
  std::vector<std::uint32_t> buffer;
  const auto columns = columns_of(row, buffer);
  for (std::size_t k = 0; k < columns.size(); ++k) out[columns[k]] = row.logs[k];
  return out;
}

void expect_entries(const Row& row, const Entries& expected) {
  EXPECT_EQ(link_count(row), expected.size());
  const Entries found = entries_of(row);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [column, value] : expected) {
    ASSERT_TRUE(found.contains(column)) << column;
    EXPECT_NEAR(found.at(column), std::log2(value), 1e-5) << column;
  }
}

class Rows : public ::testing::TestWithParam<bool> {};

TEST_P(Rows, FollowEdits) {
  const bool dense = GetParam();
  const auto memory = std::make_shared<RowMemory>();
  Random random(3);
  Row row;
  Entries truth;
  std::size_t blocks = 1;
  for (int round = 0; round < 300; ++round) {
    if (round % 20 == 0) ++blocks;
    std::vector<PairEdit> edits;
    for (std::uint32_t column = 0; column < blocks * block_width; ++column) {
      if (random.uniform() > 0.15) continue;
      const bool gone = random.uniform() < 0.4;
      const auto before = truth.contains(column) ? truth[column] : 0.0F;
      const float after = gone ? 0.0F : static_cast<float>(0.01 + random.uniform() * 100);
      edits.push_back({column, before, after});
      if (gone) {
        truth.erase(column);
      } else {
        truth[column] = after;
      }
    }
    const Entries before = entries_of(row);
    const Row old = row;
    row =
        dense ? edit_dense_row(old, edits, blocks, *memory) : edit_sparse_row(old, edits, *memory);
    expect_entries(row, truth);
    EXPECT_EQ(entries_of(old), before) << "the row it was made from has changed";
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Rows, ::testing::Bool());

}  // namespace
}  // namespace palate::live
