// Which share of the machine's matrix-product rate or memory bandwidth does each kernel reach?
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "arguments.hpp"
#include "base/random.hpp"
#include "kernel_rows.hpp"
#include "machine.hpp"
#include "measure.hpp"

namespace bench {

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

}  // namespace bench

namespace {

constexpr auto usage = "bench_kernels [THREADS] [--milliseconds N] [--json FILE]";

using bench::Work;

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
  const double read = measured([] { return bench::memory_read(bench::beyond_cache()); }).gbytes;
  const double triad = measured([] { return bench::memory_triad(bench::beyond_cache()); }).gbytes;
  const double bandwidth = std::max(read, triad);
  std::printf(
      "this machine, %u threads: matrix product %.0f GFLOP/s, reading %.1f GB/s, triad "
      "%.1f GB/s\n\n",
      threads, product, read, triad);
  std::printf("%-15s %-38s %9s %9s %9s   %s\n", "kernel", "", "M/s", "GFLOP/s", "GB/s", "share");
  auto results = bench::Json::array();
  std::vector<bench::KernelRow> rows = bench::graph_kernels();
  for (const bench::KernelRow& row : bench::list_kernels()) rows.push_back(row);
  for (const bench::KernelRow& row : rows) {
    const Rate rate = measured(row.make);
    const bool flops = row.against == bench::Against::product;
    const double share = flops ? rate.gflops / product : rate.gbytes / bandwidth;
    const char* of = flops ? "matrix product" : "bandwidth";
    std::printf("%-15s %-38s %9.0f %9.2f %9.2f   %3.0f %% of %s\n", row.name, row.what,
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
