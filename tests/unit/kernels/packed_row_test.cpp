// Packed rows: what is packed comes back as any power of it, however it is laid out.
#include "kernels/graph/packed_row.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/graph/packed_sums.hpp"
#include "packed_rows.hpp"
#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

TEST(PackRow, KeepsEveryLinkAndClearsTheSums) {
  for (const std::size_t blocks : {1, 2, 3, 11}) {
    const Packed row = random_row(blocks, 0.4, blocks);
    on_every_target([&] {
      std::vector<float> sums = row.sums;
      std::vector<std::uint16_t> masks(blocks, 0xABCD);
      std::vector<float> values(sums.size() + block_width);
      std::vector<float> tops(sums.size(), 0.3F);
      std::vector<std::uint32_t> counts(sums.size(), 7);
      const std::size_t links =
          pack_row(sums, 2.0F, tops.data(), counts.data(), masks.data(), values.data());
      std::size_t next = 0;
      for (std::size_t j = 0; j < row.sums.size(); ++j) {
        const bool linked = (masks[j / block_width] >> j % block_width & 1) != 0;
        ASSERT_EQ(linked, row.sums[j] > 0) << j;
        EXPECT_EQ(sums[j], 0.0F);
        EXPECT_EQ(tops[j], std::max(0.3F, 2.0F * row.sums[j]));
        EXPECT_EQ(counts[j], linked ? 8U : 7U);
        if (!linked) continue;
        EXPECT_EQ(values[next], row.sums[j]);
        ++next;
      }
      EXPECT_EQ(links, next);
    });
  }
}

TEST(PackRow, NothingAndNegativeSumsAreNoLinks) {
  on_every_target([] {
    std::vector<float> sums(block_width, 0.0F);
    sums[3] = -1.0F;
    std::array<std::uint16_t, 1> masks = {0xFFFF};
    std::vector<float> values(2 * block_width);
    std::vector<float> tops(block_width, 0.0F);
    std::vector<std::uint32_t> counts(block_width, 0);
    EXPECT_EQ(pack_row(sums, 1.0F, tops.data(), counts.data(), masks.data(), values.data()), 0U);
    EXPECT_EQ(counts, std::vector<std::uint32_t>(block_width, 0));
    EXPECT_EQ(tops, std::vector<float>(block_width, 0.0F));
    EXPECT_EQ(masks[0], 0);
  });
}

// As many as there are, and not one more, wherever they are put.
TEST(LogsOf, AreLogarithmsOrAbsent) {
  std::vector<float> values = {1.0F,  8.0F,       0.0F,   -2.0F,      1e-30F, 3e37F,
                               0.75F, 1e-37F,     1.25F,  1048576.0F, 5.0F,   0.1F,
                               0.0F,  1.0000001F, 100.0F, 2.0F,       0.5F,   0.0F};
  while (values.size() < 70) values.push_back(static_cast<float>(values.size()) / 7);
  on_every_target([&] {
    for (const std::size_t from : {0, 1, 8, 16}) {
      alignas(64) std::array<float, 100> out;
      out.fill(7.0F);
      logs_of(values, out.data() + from, from != 16);
      EXPECT_EQ(out[from + values.size()], 7.0F);
      std::vector<float> in_place = values;
      logs_of(in_place, in_place.data(), false);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const float got = out[from + k];
        EXPECT_EQ(in_place[k], got);
        if (!(values[k] > 0)) {
          EXPECT_LE(got, absent);
          continue;
        }
        const double log = std::log2(static_cast<double>(values[k]));
        EXPECT_NEAR(static_cast<double>(got), log, 2e-7 * std::abs(log) + 1e-9) << values[k];
      }
    }
  });
}

// Logarithms whose product with the power is exact, so that all error is that of the exponential.
TEST(PowerOfLogs, IsExactToThreeTenMillionths) {
  std::vector<float> logs;
  for (int k = -126 * 64; k <= 126 * 64; ++k) logs.push_back(static_cast<float>(k) / 64.0F);
  Random random(3);
  for (std::size_t k = 0; k < 20000; ++k) {
    logs.push_back(static_cast<float>(252 * random.uniform() - 126));
  }
  const std::size_t count = logs.size();
  logs.resize(count + block_width);
  on_every_target([&] {
    for (const float power : {1.0F, 0.5F, 0.25F, -0.5F}) {
      std::vector<float> out(count + block_width);
      power_of_logs(logs.data(), count, power, out.data());
      for (std::size_t k = 0; k < count; ++k) {
        const double wanted = std::exp2(static_cast<double>(power) * static_cast<double>(logs[k]));
        ASSERT_NEAR(static_cast<double>(out[k]), wanted, 3e-7 * wanted) << logs[k];
      }
    }
  });
}

TEST(PowerOfLogs, ExtremesStayFiniteAndAbsentLinksAreZero) {
  const std::vector<float> logs = {absent, -1e29F, -1e4F, -127.0F, -127.5F, 127.0F,
                                   128.0F, 1e4F,   1e30F, 0.0F,    -126.0F};
  std::vector<float> padded = logs;
  padded.resize(2 * block_width);
  on_every_target([&] {
    for (const float power : {0.1F, 1.0F, 20.0F}) {
      std::vector<float> out(2 * block_width, -1.0F);
      power_of_logs(padded.data(), logs.size(), power, out.data());
      for (std::size_t k = 0; k < logs.size(); ++k) {
        EXPECT_TRUE(std::isfinite(out[k])) << logs[k];
        EXPECT_GE(out[k], 0.0F);
        if (logs[k] * power <= -127.0F) {
          EXPECT_LT(out[k], std::numeric_limits<float>::min()) << logs[k];
        } else if (logs[k] * power >= 127.0F) {
          EXPECT_EQ(out[k], std::exp2(127.0F)) << logs[k];
        }
      }
      EXPECT_EQ(out[0], 0.0F);
      EXPECT_EQ(out[9], 1.0F);
    }
  });
}

// The slow twin: the row is laid out, and then multiplied.
TEST(PackedDot, IsThatOfTheRowLaidOut) {
  for (const std::size_t blocks : {0, 1, 7, 8, 9, 30}) {
    for (const double density : {0.05, 0.3, 1.0}) {
      const Packed row = random_row(blocks, density, 40 + blocks);
      std::vector<float> y(row.sums.size());
      for (std::size_t j = 0; j < y.size(); ++j) y[j] = 0.25F + static_cast<float>(j % 11);
      on_every_target([&] {
        for (const float power : {0.35F, 1.0F, 1.7F}) {
          std::vector<float> values(row.sums.size());
          unpack_power(row.row(), blocks, row.shift.data(), power, values.data());
          for (const std::size_t group : {1, 8, 16}) {
            const PackedDot dot =
                power_dot(row.row(), blocks, row.shift.data(), power, y.data(), group);
            ASSERT_EQ(dot.links, row.links);
            ASSERT_EQ(dot.sum, grouped_dot(values.data(), y.data(), blocks, group));
          }
        }
      });
    }
  }
}

TEST(CountLinks, CountsTheBitsOfTheMasks) {
  for (const std::size_t blocks : {0, 1, 3, 4, 11}) {
    std::vector<std::uint16_t> masks;
    std::size_t bits = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      masks.push_back(static_cast<std::uint16_t>(b * 40503 + 7));
      for (int k = 0; k < 16; ++k) bits += masks.back() >> k & 1U;
    }
    on_every_target([&] { EXPECT_EQ(count_links(masks.data(), blocks), bits); });
  }
}

TEST(PackedPower, UnpacksAndAddsWhatWasPacked) {
  for (const std::size_t blocks : {1, 2, 11}) {
    const Packed row = random_row(blocks, 0.3, 20 + blocks);
    on_every_target([&] {
      for (const double s : {0.35, 1.0, 1.7}) {
        const auto power = static_cast<float>(s);
        std::vector<float> values(row.sums.size(), -1.0F);
        EXPECT_EQ(unpack_power(row.row(), blocks, row.shift.data(), power, values.data()),
                  row.links);
        std::vector<float> sums(row.sums.size(), 2.0F);
        const PowerTerm term{power, -3.0F, sums.data()};
        add_powers(row.row(), blocks, row.shift.data(), {&term, 1});
        for (std::size_t j = 0; j < values.size(); ++j) {
          const double wanted = row.power(j, s);
          ASSERT_NEAR(static_cast<double>(values[j]), wanted, 4e-6 * wanted);
          ASSERT_NEAR(static_cast<double>(sums[j]), 2 - 3 * wanted, 4e-7 + 1.3e-5 * wanted);
          if (!(row.sums[j] > 0)) {
            ASSERT_EQ(values[j], 0.0F);
            ASSERT_EQ(sums[j], 2.0F);
          }
        }
      }
    });
  }
}

TEST(AddPowers, TwoRowsAtOnceAreOneAfterTheOther) {
  for (const std::size_t count : {1, 2, 3, 4, 7}) {
    for (const std::size_t blocks : {1, 11}) {
      const Packed row = random_row(blocks, 0.4, 7);
      const Packed next = random_row(blocks, 0.3, 8);
      on_every_target([&] {
        const std::size_t size = blocks * block_width;
        std::vector<float> apart(count * size, 0.5F);
        std::vector<float> together = apart;
        const auto terms_of = [&](std::vector<float>& out, float x) {
          std::vector<PowerTerm> terms;
          for (std::size_t k = 0; k < count; ++k) {
            const auto n = static_cast<float>(k);
            terms.push_back({0.6F + 0.2F * n, x + n, out.data() + k * size});
          }
          return terms;
        };
        add_powers(row.row(), blocks, row.shift.data(), terms_of(apart, 0.3F));
        add_powers(next.row(), blocks, row.shift.data(), terms_of(apart, -0.7F));
        add_powers_of_two(row.row(), next.row(), blocks, row.shift.data(), terms_of(together, 0.3F),
                          terms_of(together, -0.7F).data());
        EXPECT_EQ(together, apart);
      });
    }
  }
}

TEST(LinkedColumns, AreThoseOfTheMask) {
  for (const std::size_t blocks : {1, 2, 24}) {
    const Packed row = random_row(blocks, 0.3, 70 + blocks);
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t j = 0; j < row.sums.size(); ++j) {
      if (row.sums[j] > 0) wanted.push_back(j);
    }
    on_every_target([&] {
      std::vector<std::uint32_t> columns(row.sums.size() + block_width);
      columns.resize(linked_columns(row.masks.data(), blocks, columns.data()));
      EXPECT_EQ(columns, wanted);
    });
  }
}

TEST(MultiplyLinks, EqualsTheDoubleSum) {
  Random random(6);
  std::vector<float> panel(90 * block_width);
  for (float& x : panel) x = static_cast<float>(random.normal());
  for (const std::size_t count : {0, 1, 3, 4, 5, 90}) {
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    for (std::uint32_t k = 0; k < count; ++k) {
      columns.push_back((k * 37) % 90);
      values.push_back(static_cast<float>(random.normal()));
    }
    on_every_target([&] {
      std::vector<float> out(block_width, 0.5F);
      multiply_links(columns, values.data(), panel.data(), out.data());
      for (std::size_t lane = 0; lane < block_width; ++lane) {
        double sum = 0.5;
        double size = 0.5;
        for (std::size_t k = 0; k < count; ++k) {
          const double term = static_cast<double>(values[k]) *
                              static_cast<double>(panel[columns[k] * block_width + lane]);
          sum += term;
          size += std::abs(term);
        }
        ASSERT_NEAR(static_cast<double>(out[lane]), sum, 1e-6 * size);
      }
    });
  }
}

// Three panels, two of them of one power; tile after tile until the rows are through.
TEST(MultiplyTile, EqualsTheDoubleSumAndGoesOn) {
  constexpr std::size_t blocks = 21;
  // By halves of panels: two panels of one power each, one of two, and one alone.
  const std::array<float, 8> powers = {0.6F, 0.6F, 1.3F, 1.3F, 0.6F, 1.3F, 0.9F, 0.9F};
  constexpr std::size_t most = powers.size() / 2;
  std::vector<Packed> packed;
  for (std::size_t r = 0; r < 5; ++r) packed.push_back(random_row(blocks, 0.3, 40 + r));
  std::array<std::vector<float>, most> panels;
  for (std::size_t t = 0; t < most; ++t) panels[t] = random_vector(blocks * 256, 90 + t);
  for (std::size_t size = 1; size <= most; ++size) {
    on_every_target([&] {
      std::vector<PackedRow> rows;
      for (const Packed& one : packed) rows.push_back(one.row());
      std::vector<std::vector<float>> out(size, std::vector<float>(rows.size() * 16, 0.25F));
      for (std::size_t from = 0; from < blocks; from += most_tile_blocks) {
        std::vector<StripTerm> terms;
        for (std::size_t t = 0; t < size; ++t) {
          terms.push_back(
              {powers[2 * t], powers[2 * t + 1], panels[t].data() + from * 256, out[t].data()});
        }
        multiply_tile(rows, std::min(most_tile_blocks, blocks - from), terms);
      }
      for (std::size_t r = 0; r < rows.size(); ++r) {
        EXPECT_EQ(rows[r].masks, packed[r].masks.data() + blocks);
        EXPECT_EQ(rows[r].logs, packed[r].logs.data() + packed[r].links);
        for (std::size_t k = 0; k < size * 16; ++k) {
          double sum = 0.25;
          double scale = 0.25;
          for (std::size_t j = 0; j < blocks * 16; ++j) {
            if (!(packed[r].sums[j] > 0)) continue;
            const double term = std::pow(static_cast<double>(packed[r].sums[j]),
                                         static_cast<double>(powers[k / 8])) *
                                static_cast<double>(panels[k / 16][j * 16 + k % 16]);
            sum += term;
            scale += std::abs(term);
          }
          ASSERT_NEAR(static_cast<double>(out[k / 16][r * 16 + k % 16]), sum, 3e-6 * scale);
        }
      }
    });
  }
}

}  // namespace
}  // namespace palate::kernels
