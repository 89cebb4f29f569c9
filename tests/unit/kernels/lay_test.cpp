// Rows laid side by side as strips.
#include "kernels/graph/lay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "packed_rows.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

// Strips hold to the bit what unpacking a row gives, shifted by the row in place of the column.
TEST(LayStrip, SameBitsAsUnpacking) {
  for (const std::size_t count : {1, 5, 16}) {
    for (const std::size_t blocks : {1, 9, 17}) {
      std::vector<Packed> rows;
      for (std::size_t r = 0; r < count; ++r)
        rows.push_back(random_row(blocks, 0.4, 50 * r + blocks));
      std::vector<PackedRow> views;
      for (const Packed& row : rows) views.push_back(row.row());
      const std::vector<float> shift = random_row(1, 1, 99).shift;
      on_every_target([&] {
        const std::size_t columns = blocks * block_width;
        const std::size_t stride = 3 * block_width;  // one strip of three is left alone
        std::vector<float> strips(columns * stride, -5.0F);
        const std::array<StripOutput, 2> outputs = {
            {{0.6F, strips.data()}, {1.0F, strips.data() + 2 * block_width}}};
        lay_strip(std::span<const PackedRow>(views), blocks, shift.data(), outputs, stride);
        for (std::size_t r = 0; r < block_width; ++r) {
          for (const StripOutput& output : outputs) {
            std::vector<float> wanted(columns, 0.0F);
            if (r < count) {
              const std::vector<float> same(columns, shift[r]);
              unpack_power(views[r], blocks, same.data(), output.power, wanted.data());
            }
            for (std::size_t j = 0; j < columns; ++j) {
              ASSERT_EQ(output.out[j * stride + r], wanted[j]) << "row " << r << ", column " << j;
            }
          }
        }
        for (std::size_t j = 0; j < columns; ++j) {
          ASSERT_EQ(strips[j * stride + block_width], -5.0F);
        }
      });
    }
  }
}

// Columns hold what rows held, one after the other, and nothing past their ends changes.
TEST(TurnRows, AreTheColumns) {
  for (const auto& [count, share] : {std::pair{1, 0.4}, {5, 1.0}, {16, 0.05}, {16, 0.4}}) {
    for (const std::size_t blocks : {1, 2, 3, 8, 11}) {
      std::vector<Packed> rows;
      for (int r = 0; r < count; ++r)
        rows.push_back(random_row(blocks, share, 70U + static_cast<unsigned>(r)));
      std::vector<PackedRow> views;
      for (const Packed& row : rows) views.push_back(row.row());
      const std::size_t columns = blocks * block_width;
      const std::vector<float>& shift = rows[0].shift;
      std::vector<std::vector<float>> wanted(columns, std::vector<float>(1, 7.0F));
      std::vector<std::uint16_t> wanted_masks(columns, 0);
      std::vector<double> largest((blocks + 1) / 2 * block_width, 0.01);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const float* log = rows[r].logs.data();
        for (std::size_t j = 0; j < columns; ++j) {
          if (!(rows[r].sums[j] > 0)) continue;
          wanted[j].push_back(*log++);
          wanted_masks[j] = static_cast<std::uint16_t>(wanted_masks[j] | 1U << r);
          double& most = largest[j / (2 * block_width) * block_width + r];
          most = std::max(most, rows[r].power(j, 1.0) *
                                    std::exp2(static_cast<double>(shift[j] - rows[r].shift[j])));
        }
      }
      on_every_target([&] {
        // After something that was there already, and with something behind.
        std::vector<std::vector<float>> to;
        std::vector<float*> next, ends;
        for (const auto& column : wanted) {
          auto& mine = to.emplace_back(column.size() + block_width, 9.0F);
          mine[0] = 7.0F;
          next.push_back(mine.data() + 1);
          ends.push_back(mine.data() + column.size());
        }
        constexpr std::size_t stride = 3;
        std::vector<std::uint16_t> masks(columns * stride, 0xABCD);
        std::vector<float> tops(largest.size(), 0.01F);
        turn_rows(views, blocks, shift.data(),
                  {next.data(), ends.data(), masks.data(), stride, tops.data(), block_width});
        for (std::size_t j = 0; j < columns; ++j) {
          ASSERT_EQ(next[j], ends[j]) << j;
          ASSERT_TRUE(std::equal(wanted[j].begin(), wanted[j].end(), to[j].begin())) << j;
          for (std::size_t k = wanted[j].size(); k < to[j].size(); ++k) ASSERT_EQ(to[j][k], 9.0F);
          ASSERT_EQ(masks[j * stride], wanted_masks[j]);
          ASSERT_EQ(masks[j * stride + 1], 0xABCD);
        }
        for (std::size_t k = 0; k < tops.size(); ++k) {
          ASSERT_NEAR(static_cast<double>(tops[k]), largest[k], 3e-6 * largest[k]) << k;
        }
      });
    }
  }
}

// No lower than what they stand for, and not by one higher.
TEST(LayCodes, AreRoundedUp) {
  constexpr std::size_t blocks = 11;
  constexpr std::size_t columns = blocks * block_width;
  // Many links, few, and hardly any.
  for (const auto& [count, share] : {std::pair{1, 0.4},
                                     {7, 0.4},
                                     {16, 0.4},
                                     {1, 1.0},
                                     {16, 1.0},
                                     {7, 0.1},
                                     {16, 0.1},
                                     {16, 0.005}}) {
    std::vector<Packed> rows;
    for (int r = 0; r < count; ++r)
      rows.push_back(random_row(blocks, share, 30U + static_cast<unsigned>(r)));
    std::vector<PackedRow> views;
    for (const Packed& row : rows) views.push_back(row.row());
    const std::vector<float> shift = random_row(1, 1, 99).shift;
    const std::vector<float> column_shift = random_row(blocks, 1, 98).shift;
    std::array<float, block_width> low;
    std::array<float, block_width> high;
    low.fill(8.0F);
    high.fill(16.5F);
    for (const float second : {0.0F, 0.9F}) {
      on_every_target([&] {
        const std::size_t stride = 2 * block_width;  // one strip of two is left alone
        std::vector<std::uint32_t> strip(columns * stride, 77);
        lay_codes(views, blocks, shift.data(), column_shift.data(), {0.6F, low.data()},
                  {second, high.data()}, strip.data(), stride);
        for (std::size_t j = 0; j < columns; ++j) {
          for (std::size_t r = 0; r < block_width; ++r) {
            const std::uint32_t both = strip[j * stride + r];
            ASSERT_EQ(strip[j * stride + block_width + r], 77U);
            if (r >= rows.size() || !(rows[r].sums[j] > 0)) {
              ASSERT_EQ(both, 0U);
              continue;
            }
            const double log = std::log2(static_cast<double>(rows[r].sums[j])) +
                               static_cast<double>(shift[r] + column_shift[j]);
            const auto expect_code = [](double code, double value) {
              ASSERT_GE(code, std::min<double>(value * (1 - 1e-5), largest_code));
              ASSERT_LT(code, value * (1 + 1e-5) + 1);
            };
            expect_code(both & 0xFFFFU, std::exp2(static_cast<double>(0.6F) * log + 8));
            expect_code(both >> 16U,
                        second == 0 ? 0.0 : std::exp2(static_cast<double>(0.9F) * log + 16.5));
          }
        }
      });
    }
  }
}

TEST(LargestLogs, AreThoseOfTheShiftedRows) {
  constexpr std::size_t blocks = 6;
  std::vector<Packed> rows;
  for (std::size_t r = 0; r < 5; ++r) rows.push_back(random_row(blocks, 0.2, 60 + r));
  std::vector<PackedRow> views;
  for (const Packed& row : rows) views.push_back(row.row());
  const std::vector<float> shift = random_row(1, 1, 97).shift;
  on_every_target([&] {
    std::vector<float> out(blocks * block_width, 5.0F);
    constexpr std::size_t first = 14;  // two of its rows are of the first block
    largest_logs(views, blocks, shift.data(), first, out.data());
    for (std::size_t j = 0; j < out.size(); ++j) {
      double wanted = -1e30;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!(rows[r].sums[j] > 0) || j == first + r) continue;
        wanted = std::max(wanted, std::log2(static_cast<double>(rows[r].sums[j])) +
                                      static_cast<double>(shift[r]));
      }
      ASSERT_NEAR(static_cast<double>(out[j]), wanted, 1e-5 * (1 + std::abs(wanted)));
    }
  });
}

// Of a row alone they are those of a strip.
TEST(CodeLogs, AreTheCodesOfAStrip) {
  constexpr std::size_t blocks = 7;
  const Packed row = random_row(blocks, 0.4, 31);
  const std::vector<PackedRow> views = {row.row()};
  const std::vector<float> column_shift = random_row(blocks, 1, 98).shift;
  const float shift = 0;
  const float low = 8.0F;
  const float high = 9.5F;
  for (const float second : {0.0F, 0.9F}) {
    on_every_target([&] {
      std::vector<std::uint32_t> strip(blocks * block_width * block_width);
      lay_codes(views, blocks, &shift, column_shift.data(), {0.6F, &low}, {second, &high},
                strip.data(), block_width);
      std::vector<float> logs(blocks * block_width);
      largest_logs(views, blocks, &shift, blocks * block_width, logs.data());
      std::vector<std::uint32_t> codes(logs.size());
      code_logs(logs.data(), blocks, column_shift.data(), {0.6F, &low}, {second, &high},
                codes.data());
      for (std::size_t j = 0; j < codes.size(); ++j) {
        ASSERT_EQ(codes[j], strip[j * block_width]) << j;
      }
    });
  }
}

}  // namespace
}  // namespace palate::kernels
