// One column of a graph at what someone rated: to the bit what adding up the rows gives.
#include <gtest/gtest.h>

#include <array>

#include "kernels/graph/packed_sums.hpp"
#include "packed_rows.hpp"
#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

TEST(UnpackLogs, AreShiftedAndFarBelowWhereThereIsNoLink) {
  for (const std::size_t blocks : {1, 2, 24}) {
    const Packed row = random_row(blocks, 0.4, 30 + blocks);
    on_every_target([&] {
      std::vector<float> out(blocks * block_width, 5.0F);
      unpack_logs(row.row(), blocks, -2.5F, out.data());
      std::size_t link = 0;
      for (std::size_t j = 0; j < out.size(); ++j) {
        if (row.sums[j] > 0) {
          EXPECT_EQ(out[j], row.logs[link++] - 2.5F);
        } else {
          EXPECT_LT(out[j], -1e29F);
        }
      }
    });
  }
}

// The rows that are added up have one entry each at the item, as the column has at theirs.
TEST(SumColumn, IsToTheBitWhatTheRowsGive) {
  constexpr std::size_t blocks = 9;
  const Packed column = random_row(blocks, 0.5, 5);
  constexpr float shift = -1.25F;
  const std::array<float, 3> powers = {0.4F, 1.0F, 1.7F};
  for (const std::size_t count : {0, 1, 2, 16, 63, 64, 65, 130}) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t k = 0; k < count; ++k) rows.push_back(k % (blocks * block_width));
    std::array<std::vector<float>, 3> x;
    for (std::size_t t = 0; t < x.size(); ++t) x[t] = random_vector(count, 7 + t);
    for (std::size_t terms = 1; terms <= 3; ++terms) {
      on_every_target([&] {
        std::vector<float> logs(blocks * block_width);
        unpack_logs(column.row(), blocks, shift, logs.data());
        std::vector<ColumnTerm> mine;
        for (std::size_t t = 0; t < terms; ++t) mine.push_back({powers[t], x[t].data()});
        std::vector<float> sums(terms, 9.0F);
        sum_column(logs.data(), rows, mine, sums.data());
        for (std::size_t t = 0; t < terms; ++t) {
          // A row with one link, to item 3 of its only block.
          std::array<float, block_width> shifts{};
          shifts[3] = shift;
          std::array<float, block_width> out{};
          for (std::size_t k = 0; k < count; ++k) {
            const std::size_t j = rows[k];
            if (!(column.sums[j] > 0)) continue;
            std::size_t at = 0;
            for (std::size_t i = 0; i < j; ++i) at += column.sums[i] > 0 ? 1 : 0;
            const std::uint16_t mask = 1U << 3U;
            std::array<float, block_width> log{};
            log[0] = column.logs[at];
            const PowerTerm term{powers[t], x[t][k], out.data()};
            add_powers({&mask, log.data()}, 1, shifts.data(), {&term, 1});
          }
          EXPECT_EQ(sums[t], out[3]);
        }
      });
    }
  }
}

}  // namespace
}  // namespace palate::kernels
