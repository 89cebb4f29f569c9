// Which share of the machine's matrix-product rate or memory bandwidth does each kernel reach?
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <thread>

#include "arguments.hpp"
#include "base/random.hpp"
#include "kernels/pair_dots.hpp"
#include "kernels/power.hpp"
#include "kernels/sparse_vector.hpp"
#include "kernels/top_k.hpp"
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

// Rows of a quarter of 10,832 items from a graph larger than the cache; the dense side stays in it.
struct SparseRows {
  static constexpr std::size_t length = 2'708;
  std::size_t count = beyond_cache() / (8 * length);
  std::vector<std::uint32_t> columns = [this] {
    std::vector<std::uint32_t> out;
    const auto one = every_fourth(length);
    for (std::size_t k = 0; k < count; ++k) out.insert(out.end(), one.begin(), one.end());
    return out;
  }();
  std::vector<float> values = random_floats(count * length);
  std::vector<float> dense = random_floats(4 * length);

  [[nodiscard]] double entries() const { return static_cast<double>(count * length); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t k) const {
    return std::span(columns).subspan(k * length, length);
  }
};

Work sparse_dot() {
  auto s = std::make_shared<SparseRows>();
  return {
      .elements = s->entries(), .flops = 2 * s->entries(), .bytes = 8 * s->entries(), .once = [s] {
        double sum = 0;
        for (std::size_t k = 0; k < s->count; ++k) {
          sum +=
              kernels::sparse_dot(s->row(k), &s->values[k * SparseRows::length], s->dense.data());
        }
        return sum;
      }};
}

Work scatter_add() {
  auto s = std::make_shared<SparseRows>();
  return {
      .elements = s->entries(), .flops = 2 * s->entries(), .bytes = 8 * s->entries(), .once = [s] {
        for (std::size_t k = 0; k < s->count; ++k) {
          kernels::scatter_add(s->row(k), &s->values[k * SparseRows::length], 1e-6F,
                               s->dense.data());
        }
        return static_cast<double>(s->dense[0]);
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
    {"sparse_dot", "entries from memory, vector in cache", Against::bandwidth, sparse_dot},
    {"scatter_add", "entries from memory, vector in cache", Against::bandwidth, scatter_add},
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
  std::printf("%-12s %-38s %9s %9s %9s   %s\n", "kernel", "", "M/s", "GFLOP/s", "GB/s", "share");
  auto results = bench::Json::array();
  for (const Row& row : rows) {
    const Rate rate = measured(row.make);
    const bool flops = row.against == Against::product;
    const double share = flops ? rate.gflops / product : rate.gbytes / bandwidth;
    const char* of = flops ? "matrix product" : "bandwidth";
    std::printf("%-12s %-38s %9.0f %9.2f %9.2f   %3.0f %% of %s\n", row.name, row.what,
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
