// To add a kernel: a function that makes its Work, and a row at the end.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "base/huge_buffer.hpp"
#include "base/random.hpp"
#include "kernel_rows.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/dense/tile_product.hpp"
#include "kernels/graph/lay.hpp"
#include "kernels/graph/packed_row.hpp"
#include "kernels/graph/packed_sums.hpp"
#include "kernels/graph/pair_dots.hpp"
#include "kernels/graph/power.hpp"
#include "kernels/graph/user_pairs.hpp"

namespace bench {
namespace {

namespace kernels = palate::kernels;

std::vector<std::uint32_t> every_fourth(std::size_t n) {
  palate::Random random(n);
  std::vector<std::uint32_t> out(n);
  for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<std::uint32_t>(4 * k + random.below(4));
  return out;
}

// A person with 45 beers, five criteria: all pairs, sums in cache.
Work pair_dots() {
  constexpr std::size_t count = 45, width = 5;
  struct State {
    std::vector<std::uint32_t> items = every_fourth(count);
    std::vector<float> rows = random_floats(count * width);
    std::vector<double> sums = std::vector<double>(4 * count);
  };
  return {.elements = 1.0 * count * count,
          .flops = 2.0 * width * count * count,
          .bytes = 0,
          .once = [s = std::make_shared<State>()] {
            for (std::size_t k = 0; k < count; ++k) {
              kernels::add_pair_dots(std::span(s->rows).subspan(k * width, width), s->items,
                                     s->rows.data(), s->sums.data());
            }
            return s->sums[0];
          }};
}

// The entries of a graph larger than the cache, read and written once.
Work power() {
  struct State {
    std::vector<float> in = random_floats(beyond_cache() / 8);
    std::vector<float> out = std::vector<float>(in.size());
  };
  auto s = std::make_shared<State>();
  const auto n = static_cast<double>(s->in.size());
  return {.elements = n, .flops = 0, .bytes = 8 * n, .once = [s] {
            kernels::power(s->in, 0.85, s->out);
            return static_cast<double>(s->out[0]);
          }};
}

// A dense graph of the shape of BeerAdvocate's: rows of 10,832 items, a quarter of them linked,
// more of them than the cache holds.
struct PackedRows {
  static constexpr std::size_t blocks = 677, size = blocks * kernels::block_width;
  std::size_t count = beyond_cache() / (size + 2 * blocks) / 16 * 16;
  std::vector<std::uint16_t> masks = std::vector<std::uint16_t>(count * blocks);
  std::vector<float> logs;
  std::vector<std::size_t> starts;
  std::vector<float> shift = std::vector<float>(size, -3.0F);

  PackedRows() {
    palate::Random random(1);
    for (auto& mask : masks) {
      mask = static_cast<std::uint16_t>(random.below(65536) & random.below(65536));
    }
    for (std::size_t r = 0; r < count; ++r) {
      starts.push_back(logs.size());
      for (std::size_t b = 0; b < blocks; ++b) {
        for (int k = std::popcount(masks[r * blocks + b]); k > 0; --k) {
          logs.push_back(static_cast<float>(random.uniform()) * 8 - 6);
        }
      }
    }
    logs.resize(logs.size() + kernels::block_width);
  }
  [[nodiscard]] kernels::PackedRow row(std::size_t r) const {
    return {masks.data() + r * blocks, logs.data() + starts[r]};
  }
  [[nodiscard]] double links() const { return static_cast<double>(logs.size()); }
  [[nodiscard]] double bytes() const { return 4 * links() + 2 * static_cast<double>(masks.size()); }
};

// 200 people who rated 45 of 10,832 items each: every pair of items that a person has.
struct Pairs {
  static constexpr std::size_t people = 200, groups = 3, count = 45, width = 5;
  std::vector<std::uint32_t> items;
  std::vector<std::uint16_t> short_items;
  std::vector<float> values = random_floats(people * groups * 16 * width);
  std::vector<std::uint8_t> codes = std::vector<std::uint8_t>(values.size(), 4);
  std::vector<float> weights = random_floats(people * width);
  std::vector<kernels::Rater> raters;
  std::vector<kernels::RatedList> lists;
  std::vector<float> sums = std::vector<float>(10'832);

  Pairs() {
    palate::Random random(1);
    for (std::uint32_t p = 0; p < people; ++p) {
      for (std::uint32_t k = 0; k < groups * 16; ++k) {
        items.push_back(static_cast<std::uint32_t>(k * 225 + random.below(225)));
        short_items.push_back(static_cast<std::uint16_t>(items.back()));
      }
      const auto first = static_cast<std::uint32_t>(p * groups);
      lists.push_back({first, count});
      raters.push_back({p, static_cast<std::uint32_t>(first * 16 + p % count)});
    }
  }
  static Work work(std::function<double()> once) {
    return {.elements = 1.0 * people * count,
            .flops = 2.0 * width * people * count,
            .bytes = 0,
            .once = std::move(once)};
  }
};

Work user_pairs() {
  return Pairs::work([s = std::make_shared<Pairs>()] {
    kernels::add_user_pairs(s->raters, s->lists.data(), s->values.data(), Pairs::width,
                            s->items.data(), s->sums.data());
    return static_cast<double>(s->sums[0]);
  });
}

Work coded_pairs() {
  return Pairs::work([s = std::make_shared<Pairs>()] {
    kernels::add_coded_pairs(s->raters, s->lists.data(), s->codes.data(), s->weights.data(),
                             Pairs::width, s->short_items.data(), s->sums.data());
    return static_cast<double>(s->sums[0]);
  });
}

Work pack_row() {
  struct State {
    std::vector<float> full = random_floats(PackedRows::size);
    std::vector<float> sums = std::vector<float>(PackedRows::size);
    std::vector<std::uint16_t> masks = std::vector<std::uint16_t>(PackedRows::blocks);
    std::vector<float> values = std::vector<float>(PackedRows::size + kernels::block_width);
    std::vector<float> tops = std::vector<float>(PackedRows::size);
    std::vector<std::uint32_t> counts = std::vector<std::uint32_t>(PackedRows::size);
  };
  auto s = std::make_shared<State>();
  for (std::size_t k = 0; k < s->full.size(); ++k) s->full[k] *= k % 4 == 0 ? 1.0F : 0.0F;
  const auto n = static_cast<double>(PackedRows::size);
  return {
      .elements = n, .flops = 0, .bytes = 16 * n, .once = [s] {
        s->sums = s->full;
        return static_cast<double>(kernels::pack_row(
            s->sums, 0.5F, s->tops.data(), s->counts.data(), s->masks.data(), s->values.data()));
      }};
}

Work logs_of() {
  struct State {
    std::vector<float> values = random_floats(10'832);
    std::vector<float> out = std::vector<float>(10'832);
  };
  auto s = std::make_shared<State>();
  const auto n = static_cast<double>(s->values.size());
  return {.elements = n, .flops = 0, .bytes = 8 * n, .once = [s] {
            kernels::logs_of(s->values, s->out.data(), false);
            return static_cast<double>(s->out[0]);
          }};
}

Work unpack_power() {
  struct State : PackedRows {
    std::vector<float> out = std::vector<float>(size);
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            for (std::size_t r = 0; r < s->count; ++r) {
              kernels::unpack_power(s->row(r), State::blocks, s->shift.data(), 0.85F,
                                    s->out.data());
            }
            return static_cast<double>(s->out[0]);
          }};
}

Work power_dot() {
  struct State : PackedRows {
    std::vector<float> y = std::vector<float>(size, 0.5F);
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            double sum = 0;
            for (std::size_t r = 0; r < s->count; ++r) {
              sum += kernels::power_dot(s->row(r), State::blocks, s->shift.data(), 0.85F,
                                        s->y.data(), 8)
                         .sum;
            }
            return sum;
          }};
}

Work add_powers() {
  struct State : PackedRows {
    std::vector<float> out = std::vector<float>(size);
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            for (std::size_t r = 0; r < s->count; ++r) {
              const kernels::PowerTerm term{0.85F, 1e-3F, s->out.data()};
              kernels::add_powers(s->row(r), State::blocks, s->shift.data(), {&term, 1});
            }
            return static_cast<double>(s->out[0]);
          }};
}

// Two powers of 16 rows at a time, side by side.
Work lay_strip() {
  struct State : PackedRows {
    std::vector<float> out = std::vector<float>(size * 32);
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            for (std::size_t r = 0; r < s->count; r += 16) {
              std::array<kernels::PackedRow, 16> rows;
              for (std::size_t k = 0; k < 16; ++k) rows[k] = s->row(r + k);
              const std::array<kernels::StripOutput, 2> outputs = {
                  {{0.6F, s->out.data()}, {0.85F, s->out.data() + 16}}};
              kernels::lay_strip(std::span<const kernels::PackedRow>(rows), State::blocks,
                                 s->shift.data(), outputs, 32);
            }
            return static_cast<double>(s->out[0]);
          }};
}

// The same as codes.
Work lay_codes() {
  struct State : PackedRows {
    std::vector<std::uint32_t> out = std::vector<std::uint32_t>(size * 32);
    std::array<float, 16> factors{};
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            for (std::size_t r = 0; r < s->count; r += 16) {
              std::array<kernels::PackedRow, 16> rows;
              for (std::size_t k = 0; k < 16; ++k) rows[k] = s->row(r + k);
              kernels::lay_codes(rows, State::blocks, s->shift.data(), s->shift.data(),
                                 {0.6F, s->factors.data()}, {0.85F, s->factors.data()},
                                 s->out.data() + r % 32, 32);
            }
            return static_cast<double>(s->out[0]);
          }};
}

// 16 rows at a time, as when the other half of a graph is made of them.
Work turn_rows() {
  struct State : PackedRows {
    std::vector<std::vector<float>> out = std::vector<std::vector<float>>(size);
    std::vector<float*> to = std::vector<float*>(size), ends = to;
    std::vector<std::uint16_t> masks = std::vector<std::uint16_t>(size);
    std::vector<float> tops = std::vector<float>(size);
  };
  auto s = std::make_shared<State>();
  for (std::size_t j = 0; j < State::size; ++j) {
    s->out[j].resize(s->count + 16);
    s->ends[j] = s->out[j].data() + s->out[j].size();
  }
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            for (std::size_t j = 0; j < State::size; ++j) s->to[j] = s->out[j].data();
            for (std::size_t r = 0; r + 16 <= s->count; r += 16) {
              std::array<kernels::PackedRow, 16> rows;
              for (std::size_t k = 0; k < 16; ++k) rows[k] = s->row(r + k);
              kernels::turn_rows(
                  rows, State::blocks, s->shift.data(),
                  {s->to.data(), s->ends.data(), s->masks.data(), 1, s->tops.data(), 16});
            }
            return static_cast<double>(s->tops[0]);
          }};
}

// 32 rows at a time, as for bounds.
Work largest_logs() {
  struct State : PackedRows {
    std::vector<float> out = std::vector<float>(size);
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            for (std::size_t r = 0; r + 32 <= s->count; r += 32) {
              std::array<kernels::PackedRow, 32> rows;
              for (std::size_t k = 0; k < 32; ++k) rows[k] = s->row(r + k);
              kernels::largest_logs(rows, State::blocks, s->shift.data(), r, s->out.data());
            }
            return static_cast<double>(s->out[0]);
          }};
}

Work code_logs() {
  struct State {
    std::vector<float> logs = random_floats(10'832);
    std::vector<float> shift = random_floats(10'832);
    std::vector<std::uint32_t> out = std::vector<std::uint32_t>(10'832);
    float factor = 6;
  };
  auto s = std::make_shared<State>();
  const auto n = static_cast<double>(s->logs.size());
  return {.elements = n, .flops = 0, .bytes = 12 * n, .once = [s] {
            kernels::code_logs(s->logs.data(), s->logs.size() / 16, s->shift.data(),
                               {0.6F, &s->factor}, {0.85F, &s->factor}, s->out.data());
            return static_cast<double>(s->out[0]);
          }};
}

Work unpack_logs() {
  struct State : PackedRows {
    std::vector<float> out = std::vector<float>(size);
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 0, .bytes = s->bytes(), .once = [s] {
            for (std::size_t r = 0; r < s->count; ++r) {
              kernels::unpack_logs(s->row(r), State::blocks, -1.0F, s->out.data());
            }
            return static_cast<double>(s->out[0]);
          }};
}

// Two powers, a panel for each.
Work multiply_tile() {
  struct State : PackedRows {
    std::vector<float> panel = random_floats(size * 16);
    std::vector<float> left = std::vector<float>(count * 16);
    std::vector<float> right = std::vector<float>(count * 16);
  };
  auto s = std::make_shared<State>();
  return {.elements = 2 * s->links(), .flops = 64 * s->links(), .bytes = 0, .once = [s] {
            for (std::size_t r = 0; r + 64 <= s->count; r += 64) {
              std::array<kernels::PackedRow, 64> rows;
              for (std::size_t k = 0; k < 64; ++k) rows[k] = s->row(r + k);
              for (std::size_t b = 0; b < State::blocks; b += kernels::most_tile_blocks) {
                const float* panel = s->panel.data() + b * 256;
                const std::array<kernels::StripTerm, 2> terms = {
                    {{0.6F, 0.6F, panel, s->left.data() + r * 16},
                     {0.85F, 0.85F, panel, s->right.data() + r * 16}}};
                kernels::multiply_tile(rows, std::min(kernels::most_tile_blocks, State::blocks - b),
                                       terms);
              }
            }
            return static_cast<double>(s->left[0]);
          }};
}

Work multiply_links() {
  struct State : PackedRows {
    std::vector<std::uint32_t> columns = std::vector<std::uint32_t>(size + 16);
    std::vector<float> panel = random_floats(size * 16);
    std::array<float, 16> out{};
  };
  auto s = std::make_shared<State>();
  return {.elements = s->links(), .flops = 32 * s->links(), .bytes = 0, .once = [s] {
            for (std::size_t r = 0; r < s->count; ++r) {
              const std::size_t n =
                  kernels::linked_columns(s->row(r).masks, State::blocks, s->columns.data());
              kernels::multiply_links(std::span(s->columns).first(n), s->row(r).logs,
                                      s->panel.data(), s->out.data());
            }
            return static_cast<double>(s->out[0]);
          }};
}

// A sparse graph of 20,000 rows of 200 links times 16 columns.
Work panel_multiply() {
  constexpr std::size_t items = 20'000, length = 200;
  struct State {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> columns;
    std::vector<float> values = random_floats(items * length);
    std::vector<float> x = random_floats(items * 16);
    std::vector<float> y = std::vector<float>(items * 16);
  };
  auto s = std::make_shared<State>();
  palate::Random random(1);
  for (std::size_t i = 0; i <= items; ++i) s->offsets.push_back(i * length);
  for (std::size_t k = 0; k < items * length; ++k) {
    s->columns.push_back(static_cast<std::uint32_t>(k % length * 100 + random.below(100)));
  }
  const double links = 1.0 * items * length;
  return {.elements = links, .flops = 32 * links, .bytes = 0, .once = [s] {
            kernels::multiply(s->offsets, s->columns, s->values, s->x.data(), s->y.data());
            return static_cast<double>(s->y[0]);
          }};
}

// A tile of 128 x 128 over 1,472 items, every link there.
Work tile_product() {
  constexpr std::size_t tile = kernels::product_tile, depth = kernels::product_depth, items = 1'472;
  struct State {
    palate::HugeBuffer<float> a{items * tile}, b{items * tile}, c{tile * tile};
  };
  auto s = std::make_shared<State>();
  for (float& x : s->a.span()) x = 0.5F;
  for (float& x : s->b.span()) x = 0.25F;
  return {.elements = 1.0 * items * tile * tile,
          .flops = 2.0 * items * tile * tile,
          .bytes = 0,
          .once = [s] {
            for (std::size_t k = 0; k < items; k += depth) {
              kernels::add_tile_product(s->a.data() + k * tile, depth, tile, s->b.data() + k * tile,
                                        s->c.data());
            }
            return static_cast<double>(s->c[0]);
          }};
}

}  // namespace

std::vector<KernelRow> graph_kernels() {
  return {
      {"pair_dots", "pairs of 45 items, in cache", Against::product, pair_dots},
      {"power", "entries from and to memory", Against::bandwidth, power},
      {"user_pairs", "pairs of 45 items, in cache", Against::product, user_pairs},
      {"coded_pairs", "the same, ratings as bytes", Against::product, coded_pairs},
      {"pack_row", "columns of a row, in cache", Against::bandwidth, pack_row},
      {"logs_of", "values in cache", Against::bandwidth, logs_of},
      {"unpack_power", "links from memory", Against::bandwidth, unpack_power},
      {"power_dot", "links from memory", Against::bandwidth, power_dot},
      {"add_powers", "links from memory", Against::bandwidth, add_powers},
      {"lay_strip", "links from memory, two powers", Against::bandwidth, lay_strip},
      {"lay_codes", "links from memory, two powers", Against::bandwidth, lay_codes},
      {"turn_rows", "links from memory, 16 rows", Against::bandwidth, turn_rows},
      {"largest_logs", "links from memory, 32 rows", Against::bandwidth, largest_logs},
      {"code_logs", "logarithms in cache, two powers", Against::bandwidth, code_logs},
      {"unpack_logs", "links from memory", Against::bandwidth, unpack_logs},
      {"multiply_tile", "links from memory, two panels", Against::product, multiply_tile},
      {"multiply_links", "links from memory, 16 columns", Against::product, multiply_links},
      {"panel multiply", "links from memory, 16 columns", Against::product, panel_multiply},
      {"tile_product", "products in cache, all links there", Against::product, tile_product},
  };
}

}  // namespace bench
