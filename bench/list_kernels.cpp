// To add a kernel: a function that makes its Work, and a row at the end.
#include <algorithm>
#include <array>
#include <memory>

#include "base/huge_buffer.hpp"
#include "base/random.hpp"
#include "kernel_rows.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/dense/weighted_rows.hpp"
#include "kernels/graph/packed_sums.hpp"
#include "kernels/lists/people.hpp"
#include "kernels/lists/strip_score.hpp"
#include "kernels/lists/top_k.hpp"

namespace bench {
namespace {

namespace kernels = palate::kernels;

// 1,000 people who rated 45 of 10,832 items, popular ones more often, on strips of 32 columns.
struct People {
  static constexpr std::size_t people = 1'000, count = 45, items = 10'832;
  std::vector<std::uint32_t> starts = {0}, who;
  std::vector<std::uint16_t> rows;

  People() {
    palate::Random random(1);
    for (std::uint32_t p = 0; p < people; ++p) {
      who.push_back(p);
      for (std::size_t k = 0; k < count; ++k) {
        const double u = random.uniform();
        rows.push_back(static_cast<std::uint16_t>(items * u * u * u));
      }
      std::sort(rows.end() - count, rows.end());
      starts.push_back(static_cast<std::uint32_t>(rows.size()));
    }
  }
};

Work add_codes() {
  struct State : People {
    palate::HugeBuffer<std::uint32_t> strip{items * kernels::wide_strip};
    std::vector<std::uint32_t> x = std::vector<std::uint32_t>(people * count, 0x00400040U);
    std::vector<float> sums = std::vector<float>(people * kernels::wide_strip);
  };
  auto s = std::make_shared<State>();
  const double rows = 1.0 * State::people * State::count;
  return {.elements = rows, .flops = 128 * rows, .bytes = 0, .once = [s] {
            kernels::add_codes(s->strip.data(), {s->starts, s->rows.data()}, s->who, s->x.data(),
                               s->sums.data(), false);
            return static_cast<double>(s->sums[0]);
          }};
}

Work add_wide_rows() {
  struct State : People {
    palate::HugeBuffer<float> strip{items * 2 * kernels::wide_strip};
    std::vector<float> x = random_floats(people * count * 2);
    std::vector<float> left = std::vector<float>(people * 32);
    std::vector<float> right = std::vector<float>(people * 32);
  };
  auto s = std::make_shared<State>();
  const double rows = 1.0 * State::people * State::count;
  return {.elements = rows, .flops = 128 * rows, .bytes = 0, .once = [s] {
            kernels::add_wide_rows(s->strip.data(), 2, {s->starts, s->rows.data()}, s->x.data(),
                                   s->left.data(), s->right.data(), 32, true);
            return static_cast<double>(s->left[0]);
          }};
}

Work estimate_people() {
  struct State : People {
    std::vector<float> sums = random_floats(people * kernels::wide_strip);
    std::vector<float> unit = random_floats(people);
    std::vector<float> column = random_floats(16);
    std::vector<float> rows_of_w = random_floats(32 * 16);
    std::vector<float> z = random_floats(people * 32);
    std::vector<float> out = std::vector<float>(people * 16);
  };
  auto s = std::make_shared<State>();
  const double products = 32.0 * State::people;
  return {.elements = products, .flops = 32 * products, .bytes = 0, .once = [s] {
            kernels::estimate_people(s->sums.data(), s->unit.data(), s->column.data(),
                                     s->rows_of_w.data(), 32, s->z.data(), s->who, s->out.data());
            return static_cast<double>(s->out[0]);
          }};
}

// A third of the people.
Work find_people() {
  struct State : People {
    std::vector<std::uint16_t> bound = std::vector<std::uint16_t>(people, 0x3F80);  // 1
    std::vector<float> least;
    std::vector<std::uint32_t> some = std::vector<std::uint32_t>(people + 16);
  };
  auto s = std::make_shared<State>();
  for (std::size_t p = 0; p < State::people; ++p) s->least.push_back(p % 3 == 0 ? 0.5F : 1.5F);
  const auto n = static_cast<double>(State::people);
  return {.elements = n, .flops = 0, .bytes = 6 * n, .once = [s] {
            return static_cast<double>(kernels::find_people(s->bound.data(), s->least.data(),
                                                            State::people, s->some.data()));
          }};
}

// Of each person 32 sums; a third of the people stay.
Work keep_people() {
  struct State : People {
    std::vector<float> sums = std::vector<float>(people * kernels::wide_strip, 1.0F);
    std::vector<float> unit = std::vector<float>(people, 1.0F);
    std::vector<float> column = std::vector<float>(kernels::wide_strip, 1.0F);
    std::vector<std::uint16_t> bound = std::vector<std::uint16_t>(people);
    std::vector<float> least;
    std::vector<std::uint32_t> some;
  };
  auto s = std::make_shared<State>();
  for (std::size_t p = 0; p < State::people; ++p) s->least.push_back(p % 3 == 0 ? 0.5F : 1.5F);
  const auto n = static_cast<double>(State::people);
  return {.elements = n, .flops = 0, .bytes = 128 * n, .once = [s] {
            s->some = s->who;
            return static_cast<double>(kernels::keep_people(
                {s->column.data(), s->unit.data(), s->bound.data(), s->least.data()}, s->some,
                s->sums.data()));
          }};
}

Work bound_people() {
  constexpr std::size_t padded = 1'008;  // to a multiple of 16
  struct State : People {
    std::vector<float> sums = random_floats(padded * kernels::wide_strip);
    std::vector<float> unit = random_floats(padded);
    std::vector<float> column = random_floats(16);
    std::vector<float> second = random_floats(padded * 16);
    std::vector<float> room = std::vector<float>(padded);
    std::vector<std::uint16_t> out = std::vector<std::uint16_t>(16 * people);
  };
  auto s = std::make_shared<State>();
  const double bounds = 16.0 * State::people;
  return {.elements = bounds, .flops = 0, .bytes = 10 * bounds, .once = [s] {
            kernels::bound_people({s->sums.data(), s->unit.data(), s->column.data(),
                                   s->second.data(), s->room.data(), 4e-5F},
                                  State::people, s->out.data(), State::people);
            return static_cast<double>(s->out[0]);
          }};
}

// Three terms for 16 columns of everybody, two of them shared.
Work add_terms() {
  struct State : People {
    std::vector<float> factor = random_floats(people);
    std::vector<float> shared = random_floats(16);
    std::vector<float> own = random_floats(people * 16);
    std::vector<float> out = std::vector<float>(people * 16);
  };
  auto s = std::make_shared<State>();
  const double products = 3.0 * State::people;
  return {
      .elements = products, .flops = 32 * products, .bytes = 0, .once = [s] {
        const std::array<kernels::PeopleTerm, 3> terms = {{{s->factor.data(), s->shared.data(), 0},
                                                           {s->factor.data(), s->shared.data(), 0},
                                                           {s->factor.data(), s->own.data(), 16}}};
        kernels::add_terms(terms, s->who, s->out.data());
        return static_cast<double>(s->out[0]);
      }};
}

Work lanes_at_least() {
  struct State : People {
    std::vector<float> values = random_floats(people * 16);
    std::vector<float> least = random_floats(people);
    std::vector<std::uint16_t> lanes = std::vector<std::uint16_t>(people);
  };
  auto s = std::make_shared<State>();
  const double values = 16.0 * State::people;
  return {.elements = values, .flops = 0, .bytes = 4 * values, .once = [s] {
            kernels::lanes_at_least(s->values.data(), s->least.data(), State::people,
                                    s->lanes.data());
            return static_cast<double>(s->lanes[0]);
          }};
}

// Two matrices, strips of 16 columns.
Work sum_rows() {
  struct State : People {
    palate::HugeBuffer<float> strip{items * 2 * kernels::block_width};
    std::vector<std::uint32_t> mine;
    std::vector<float> x = random_floats(count);
    std::array<float, 2 * kernels::block_width> out{};
  };
  auto s = std::make_shared<State>();
  s->mine.assign(s->rows.begin(), s->rows.end());
  const double products = 2.0 * State::people * State::count;
  return {.elements = products, .flops = 32 * products, .bytes = 0, .once = [s] {
            const std::array<const float*, 2> x = {s->x.data(), s->x.data()};
            for (std::size_t p = 0; p < State::people; ++p) {
              kernels::sum_rows(s->strip.data(),
                                std::span(s->mine).subspan(p * State::count, State::count), x,
                                s->out.data());
            }
            return static_cast<double>(s->out[0]);
          }};
}

// One column for everybody, two powers.
Work sum_column() {
  struct State : People {
    std::vector<float> logs = random_floats(items);
    std::vector<std::uint32_t> mine;
    std::vector<float> x = random_floats(count);
    std::array<float, 2> out{};
  };
  auto s = std::make_shared<State>();
  s->mine.assign(s->rows.begin(), s->rows.end());
  const double products = 2.0 * State::people * State::count;
  return {.elements = products, .flops = 2 * products, .bytes = 0, .once = [s] {
            const std::array<kernels::ColumnTerm, 2> terms = {
                {{0.6F, s->x.data()}, {0.85F, s->x.data()}}};
            for (std::size_t p = 0; p < State::people; ++p) {
              kernels::sum_column(s->logs.data(),
                                  std::span(s->mine).subspan(p * State::count, State::count), terms,
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

// The scores of people one after the other from weights between all items, each read where it lies.
template <class Number>
Work weighted(void (*kernel)(const Number*, std::size_t, std::span<const std::uint32_t>,
                             std::span<const float>, std::size_t, float*)) {
  struct State : People {
    palate::HugeBuffer<Number> matrix{items * items};
    std::vector<std::uint32_t> mine;
    std::vector<float> x = random_floats(count);
    std::vector<float> out = std::vector<float>(items);
    std::size_t person = 0;
  };
  auto s = std::make_shared<State>();
  s->mine.assign(s->rows.begin(), s->rows.end());
  for (std::size_t k = 0; k < s->matrix.size(); k += 512) s->matrix[k] = 1;
  const double products = 1.0 * State::count * State::items;
  return {.elements = products,
          .flops = 2 * products,
          .bytes = sizeof(Number) * products,
          .once = [s, kernel] {
            s->person = (s->person + 1) % State::people;
            kernel(s->matrix.data(), State::items,
                   std::span(s->mine).subspan(s->person * State::count, State::count), s->x,
                   State::items, s->out.data());
            return static_cast<double>(s->out[0]);
          }};
}
Work weighted_rows() { return weighted<float>(kernels::weighted_rows); }
Work weighted_short_rows() { return weighted<std::int16_t>(kernels::weighted_short_rows); }

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

}  // namespace

std::vector<KernelRow> list_kernels() {
  return {
      {"add_codes", "rows of a strip, two filters in codes", Against::product, add_codes},
      {"add_wide_rows", "rows of a strip, two matrices", Against::product, add_wide_rows},
      {"estimate_people", "32 directions, in cache", Against::product, estimate_people},
      {"find_people", "people, in cache", Against::bandwidth, find_people},
      {"keep_people", "people with 32 sums, in cache", Against::bandwidth, keep_people},
      {"bound_people", "bounds, in cache", Against::bandwidth, bound_people},
      {"add_terms", "terms of 16 columns, in cache", Against::product, add_terms},
      {"lanes_at_least", "values in cache", Against::bandwidth, lanes_at_least},
      {"sum_rows", "rows of a strip of 16, two matrices", Against::product, sum_rows},
      {"sum_column", "entries of a column, two powers", Against::product, sum_column},
      {"score_strip", "rows of a strip, three filters", Against::product, score_strip},
      {"add_rows", "rows in cache", Against::product, add_rows},
      {"strips_dots", "dots of 128, in cache", Against::product, strips_dots},
      {"weighted_rows", "45 rows of 10,832 weights", Against::bandwidth, weighted_rows},
      {"weighted_shorts", "the same in 16 bits", Against::bandwidth, weighted_short_rows},
      {"top_k", "offers, 10 of 10,832 scores in cache", Against::bandwidth, top_k},
  };
}

}  // namespace bench
