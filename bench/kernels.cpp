// Which share of the machine's matrix-product rate or memory bandwidth does each kernel reach?
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <memory>
#include <thread>

#include "arguments.hpp"
#include "base/huge_buffer.hpp"
#include "base/random.hpp"
#include "kernels/packed_dot.hpp"
#include "kernels/lay.hpp"
#include "kernels/packed_row.hpp"
#include "kernels/pair_dots.hpp"
#include "kernels/panel.hpp"
#include "kernels/power.hpp"
#include "kernels/strip.hpp"
#include "kernels/strip_score.hpp"
#include "kernels/tile_product.hpp"
#include "kernels/top_k.hpp"
#include "kernels/user_pairs.hpp"
#include "machine.hpp"
#include "measure.hpp"

namespace {

constexpr auto usage = "bench_kernels [THREADS] [--milliseconds N] [--json FILE]";

namespace kernels = palate::kernels;
using bench::Work;

std::size_t beyond_cache() {
  const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return std::max<std::size_t>(std::size_t{128} << 20,
                               l3 > 0 ? 3 * static_cast<std::size_t>(l3) : 0);
}

std::vector<float> random_floats(std::size_t n) {
  palate::Random random(n);
  std::vector<float> out(n);
  for (float& value : out) value = static_cast<float>(random.uniform());
  return out;
}

std::vector<std::uint32_t> every_fourth(std::size_t n) {
  palate::Random random(n);
  std::vector<std::uint32_t> out(n);
  for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<std::uint32_t>(4 * k + random.below(4));
  return out;
}

// ------------------------------------------------------------------------------ the kernels

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
Work user_pairs() {
  constexpr std::size_t people = 200, groups = 3, count = 45, width = 5;
  struct State {
    std::vector<std::uint32_t> items;
    std::vector<float> values = random_floats(people * groups * 16 * width);
    std::vector<kernels::Rater> raters;
    std::vector<float> sums = std::vector<float>(10'832);
  };
  auto s = std::make_shared<State>();
  palate::Random random(1);
  for (std::uint32_t p = 0; p < people; ++p) {
    for (std::uint32_t k = 0; k < groups * 16; ++k) {
      s->items.push_back(static_cast<std::uint32_t>(k * 225 + random.below(225)));
    }
    s->raters.push_back(
        {p * static_cast<std::uint32_t>(groups), count, static_cast<std::uint32_t>(p % count)});
  }
  return {.elements = 1.0 * people * count,
          .flops = 2.0 * width * people * count,
          .bytes = 0,
          .once = [s] {
            kernels::add_user_pairs(s->raters, s->values.data(), width, s->items.data(),
                                    s->sums.data());
            return static_cast<double>(s->sums[0]);
          }};
}

Work pack_row() {
  struct State {
    std::vector<float> full = random_floats(PackedRows::size);
    std::vector<float> sums = std::vector<float>(PackedRows::size);
    std::vector<std::uint16_t> masks = std::vector<std::uint16_t>(PackedRows::blocks);
    std::vector<float> logs = std::vector<float>(PackedRows::size + kernels::block_width);
    std::vector<float> largest = std::vector<float>(PackedRows::size);
  };
  auto s = std::make_shared<State>();
  for (std::size_t k = 0; k < s->full.size(); ++k) s->full[k] *= k % 4 == 0 ? 1.0F : 0.0F;
  const auto n = static_cast<double>(PackedRows::size);
  return {.elements = n, .flops = 0, .bytes = 16 * n, .once = [s] {
            s->sums = s->full;
            return static_cast<double>(kernels::pack_row(s->sums, 0.5F, s->masks.data(),
                                                         s->logs.data(), s->largest.data()));
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

// 45 rows of a strip of 10,832, for 1,000 people.
template <std::size_t Matrices>
Work combine_rows() {
  constexpr std::size_t people = 1'000, count = 45;
  struct State {
    std::vector<float> strip = random_floats(10'832 * Matrices * 16);
    std::vector<std::uint32_t> rows;
    std::vector<float> x = random_floats(count * Matrices);
    std::array<float, 16 * Matrices> out{};
  };
  auto s = std::make_shared<State>();
  palate::Random random(1);
  for (std::size_t k = 0; k < people * count; ++k) {
    const double u = random.uniform();  // popular rows more often
    s->rows.push_back(static_cast<std::uint32_t>(10'832 * u * u * u));
  }
  return {.elements = 1.0 * people * count * Matrices,
          .flops = 32.0 * people * count * Matrices,
          .bytes = 0,
          .once = [s] {
            for (std::size_t p = 0; p < people; ++p) {
              kernels::combine_rows(s->strip.data(), Matrices,
                                    std::span(s->rows).subspan(p * count, count), s->x.data(),
                                    s->out.data());
            }
            return static_cast<double>(s->out[0]);
          }};
}

Work add_rows() {
  struct State {
    std::vector<float> rows = random_floats(32 * 16);
    std::vector<float> x = random_floats(32);
    std::array<float, 16> out{};
  };
  auto s = std::make_shared<State>();
  return {.elements = 32'000, .flops = 32'000 * 32, .bytes = 0, .once = [s] {
            for (int k = 0; k < 1'000; ++k) {
              kernels::add_rows(s->rows.data(), 32, s->x.data(), s->out.data());
            }
            return static_cast<double>(s->out[0]);
          }};
}

// 56 candidates of a person against eight strips, rows in cache.
Work strips_dots() {
  struct State {
    std::vector<float> a = random_floats(2'000 * 128);
    std::vector<std::uint32_t> rows;
    std::vector<float> y = random_floats(128);
    std::vector<double> sums = std::vector<double>(56);
  };
  auto s = std::make_shared<State>();
  palate::Random random(1);
  for (int k = 0; k < 56; ++k) s->rows.push_back(static_cast<std::uint32_t>(random.below(2'000)));
  return {.elements = 56, .flops = 56.0 * 256, .bytes = 0, .once = [s] {
            kernels::strips_dots(s->a.data(), 128, s->rows, s->y.data(), 16, 8, s->sums.data());
            return s->sums[0];
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

// 1,000 people who rated 19 of 1,471 items, three filters.
Work score_strip() {
  constexpr std::size_t people = 1'000, count = 19, matrices = 3, items = 1'471;
  struct State {
    palate::HugeBuffer<float> strip{items * matrices * kernels::score_width};
    std::vector<std::uint32_t> rows;
    std::vector<float> x = random_floats(count * matrices);
    std::array<float, kernels::score_width> out{};
  };
  auto s = std::make_shared<State>();
  palate::Random random(1);
  for (std::size_t k = 0; k < people * count; ++k) {
    const double u = random.uniform();  // popular rows more often
    s->rows.push_back(static_cast<std::uint32_t>(items * u * u));
  }
  return {.elements = 1.0 * people * count * matrices,
          .flops = 2.0 * kernels::score_width * people * count * matrices,
          .bytes = 0,
          .once = [s] {
            std::uint32_t good = 0;
            for (std::size_t p = 0; p < people; ++p) {
              good += kernels::score_strip(s->strip.data(), matrices,
                                           std::span(s->rows).subspan(p * count, count),
                                           s->x.data(), 1.0F, s->out.data());
            }
            return static_cast<double>(good);
          }};
}

// The best ten of 10,832 scores in cache.
Work top_k() {
  struct State {
    std::vector<float> scores = random_floats(10'832);
    kernels::TopK best;
  };
  auto s = std::make_shared<State>();
  const auto n = static_cast<double>(s->scores.size());
  return {.elements = n, .flops = 0, .bytes = 4 * n, .once = [s] {
            s->best.reset(10);
            for (std::uint32_t k = 0; k < s->scores.size(); ++k) s->best.offer(s->scores[k], k);
            return static_cast<double>(s->best.sorted()[0].first);
          }};
}

enum class Against { product, bandwidth };

struct Row {
  const char* name;
  const char* what;
  Against against;
  Work (*make)();
};

// To add a kernel: a function above that makes its Work, and a row here.
constexpr Row rows[] = {
    {"pair_dots", "pairs of 45 items, in cache", Against::product, pair_dots},
    {"power", "entries from and to memory", Against::bandwidth, power},
    {"user_pairs", "pairs of 45 items, in cache", Against::product, user_pairs},
    {"pack_row", "columns of a row, in cache", Against::bandwidth, pack_row},
    {"unpack_power", "links from memory", Against::bandwidth, unpack_power},
    {"power_dot", "links from memory", Against::bandwidth, power_dot},
    {"add_powers", "links from memory", Against::bandwidth, add_powers},
    {"lay_strip", "links from memory, two powers", Against::bandwidth, lay_strip},
    {"multiply_links", "links from memory, 16 columns", Against::product, multiply_links},
    {"panel multiply", "links from memory, 16 columns", Against::product, panel_multiply},
    {"combine_rows", "rows of a strip, one matrix", Against::product, combine_rows<1>},
    {"combine_rows 2", "rows of a strip, two matrices", Against::product, combine_rows<2>},
    {"tile_product", "products in cache, all links there", Against::product, tile_product},
    {"score_strip", "rows of a strip, three filters", Against::product, score_strip},
    {"add_rows", "rows in cache", Against::product, add_rows},
    {"strips_dots", "dots of 128, in cache", Against::product, strips_dots},
    {"top_k", "offers, 10 of 10,832 scores in cache", Against::bandwidth, top_k},
};

// ------------------------------------------------------------------------------ measuring

struct Rate {
  double millions = 0, gflops = 0, gbytes = 0;  // of elements; each per second
};

// All threads at once, each on memory of its own; their rates are added.
template <class Make>
Rate rate_of(Make make, unsigned threads, double seconds) {
  std::vector<Rate> each(threads);
  std::atomic<double> kept = 0;
  std::barrier start(static_cast<std::ptrdiff_t>(threads));
  const auto body = [&](unsigned thread) {
    const Work work = make();
    double sum = work.once();
    start.arrive_and_wait();
    const bench::Stopwatch watch;
    double calls = 0;
    do {
      sum += work.once();
      ++calls;
    } while (watch.seconds() < seconds);
    const double frequency = calls / watch.seconds();
    each[thread] = {frequency * work.elements / 1e6, frequency * work.flops / 1e9,
                    frequency * work.bytes / 1e9};
    kept = sum;
  };
  std::vector<std::thread> pool;
  for (unsigned k = 0; k < threads; ++k) pool.emplace_back(body, k);
  for (std::thread& one : pool) one.join();
  Rate all;
  for (const Rate& one : each) {
    all.millions += one.millions;
    all.gflops += one.gflops;
    all.gbytes += one.gbytes;
  }
  return all;
}

void measure(const bench::Arguments& arguments) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const auto threads = std::max(1U, static_cast<unsigned>(arguments.number(0, cores)));
  const double seconds = static_cast<double>(arguments.number("milliseconds", 500)) / 1e3;
  const auto measured = [&](auto make) { return rate_of(make, threads, seconds); };

  const double product = measured(bench::matrix_product).gflops;
  const double read = measured([] { return bench::memory_read(beyond_cache()); }).gbytes;
  const double triad = measured([] { return bench::memory_triad(beyond_cache()); }).gbytes;
  const double bandwidth = std::max(read, triad);
  std::printf(
      "this machine, %u threads: matrix product %.0f GFLOP/s, reading %.1f GB/s, triad "
      "%.1f GB/s\n\n",
      threads, product, read, triad);
  std::printf("%-14s %-38s %9s %9s %9s   %s\n", "kernel", "", "M/s", "GFLOP/s", "GB/s", "share");
  auto results = bench::Json::array();
  for (const Row& row : rows) {
    const Rate rate = measured(row.make);
    const bool flops = row.against == Against::product;
    const double share = flops ? rate.gflops / product : rate.gbytes / bandwidth;
    const char* of = flops ? "matrix product" : "bandwidth";
    std::printf("%-14s %-38s %9.0f %9.2f %9.2f   %3.0f %% of %s\n", row.name, row.what,
                rate.millions, rate.gflops, rate.gbytes, 100 * share, of);
    results.push_back({{"kernel", row.name},
                       {"millions_per_second", rate.millions},
                       {"gflops", rate.gflops},
                       {"gbytes", rate.gbytes},
                       {"share", share},
                       {"of", of}});
  }
  bench::write_json(arguments.text("json"), {{"threads", threads},
                                             {"product_gflops", product},
                                             {"read_gbytes", read},
                                             {"triad_gbytes", triad},
                                             {"kernels", results}});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run({argc, argv, usage, 0, {"milliseconds", "json"}}, measure);
}
