#include "methods/dense_batch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "base/huge_buffer.hpp"
#include "kernels/lay.hpp"
#include "kernels/people.hpp"
#include "kernels/square_sum.hpp"
#include "kernels/strip.hpp"
#include "methods/dense_people.hpp"
#include "methods/dense_second.hpp"
#include "methods/select.hpp"

namespace palate {
namespace {

using kernels::strip_width;
using kernels::wide_strip;

constexpr double batch_bytes = 1.2e9;
constexpr std::size_t most_people = 32 * DensePeople::group_size;
constexpr float never = -std::numeric_limits<float>::infinity();
// Of the rounding of an estimate by leading directions, by |z| |W_i|.
constexpr float rounding = 4e-6F;

// What one worker has found for one person.
struct Found {
  kernels::TopK top;  // of lower bounds
  std::vector<Candidate> candidates;
};

// What a worker needs to look at a strip.
struct Scratch {
  HugeBuffer<std::uint32_t> strip;
  HugeBuffer<float> sums;      // of codes, by person of a group
  HugeBuffer<float> estimate;  // no score is higher, by person of a group
  std::vector<float> least, unit;
  std::vector<std::vector<float>> factors;
  std::vector<std::uint16_t> lanes;
  std::vector<Found> found;
};

// Each worker takes strips of its own, lays them out in its own cache, and serves everybody by
// them; what it finds for someone is merged in the end. The lists do not depend on who took what:
// an item is passed over only if it cannot be in the list.
class Batch {
 public:
  Batch(const DenseGraphs& graphs, std::span<const Query> queries, std::span<const Signal> signals,
        ThreadPool& pool)
      : graphs_(graphs),
        pool_(pool),
        certified_(graphs.exact && !graphs.second.empty()),
        combined_(combined(graphs, certified_)),
        codes_(graphs, combined_),
        longest_(longest_rows(graphs)),
        people_(graphs, codes_, certified_ ? graphs.second : std::vector<std::size_t>(), queries,
                signals, pool),
        least_(queries.size()),
        scratches_(pool.size()) {
    for (std::size_t p = 0; p < people_.size(); ++p) {
      least_[p] = people_[p].top == 0 ? std::numeric_limits<float>::infinity() : never;
    }
  }
  void run(std::span<std::vector<ScoredItem>> lists);

 private:
  static std::vector<std::size_t> combined(const DenseGraphs& graphs, bool certified);
  void first_orders();
  void measure_first_orders(const HugeBuffer<float>& squares);
  void lay_wide(std::size_t block, float* to) const;
  void scan();
  void sum_codes(Scratch& scratch, std::size_t group) const;
  void look(std::size_t block, std::size_t half, Scratch& scratch, std::size_t group);
  void bound(std::size_t block, std::size_t half, Scratch& scratch, std::size_t group) const;
  void take(std::size_t p, std::size_t block, std::uint32_t lanes, const float* sums,
            const float* upper, Found& found);
  void gather_candidates();
  void settle_first_orders();
  void settle_item(std::uint32_t place,
                   std::span<const std::pair<std::uint32_t, std::uint32_t>> who,
                   std::vector<std::vector<float>>& rows);
  [[nodiscard]] std::vector<ScoredItem> list_of(std::size_t p) const;

  // Which of the second branches a branch is whose first order is known.
  [[nodiscard]] std::size_t known(std::size_t branch) const {
    return static_cast<std::size_t>(
        std::find(graphs_.second.begin(), graphs_.second.end(), branch) - graphs_.second.begin());
  }
  [[nodiscard]] bool is_combined(std::size_t branch) const {
    return std::find(combined_.begin(), combined_.end(), branch) != combined_.end();
  }
  // Of W, by block.
  static std::vector<float> longest_rows(const DenseGraphs& graphs);

  const DenseGraphs& graphs_;
  ThreadPool& pool_;
  bool certified_;
  std::vector<std::size_t> combined_;  // first-order branches that are looked at in codes
  DenseCodes codes_;
  std::vector<float> longest_;
  DensePeople people_;
  FirstOrders y_;                          // if certified
  std::vector<std::atomic<float>> least_;  // per person: what is below is of no interest
  std::vector<Scratch> scratches_;         // per worker
};

std::vector<std::size_t> Batch::combined(const DenseGraphs& graphs, bool certified) {
  std::vector<std::size_t> out;
  for (const std::size_t b : graphs.first) {
    const bool known = certified && std::find(graphs.second.begin(), graphs.second.end(), b) !=
                                        graphs.second.end();
    if (!known) out.push_back(b);
  }
  return out;
}

// Two strips of the second-order branches, side by side.
void Batch::lay_wide(std::size_t block, float* to) const {
  const std::size_t n = graphs_.second.size();
  std::array<kernels::PackedRow, strip_width> rows;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t first = std::min((block + half) * strip_width, graphs_.items());
    const std::size_t width = std::min(strip_width, graphs_.items() - first);
    // Branches of one graph share the way through its rows.
    for (std::size_t g = 0; g < graphs_.graphs.size(); ++g) {
      std::array<kernels::StripOutput, max_criteria> outputs;
      std::size_t powers = 0;
      for (std::size_t m = 0; m < n; ++m) {
        const Branch& branch = graphs_.branch(graphs_.second[m]);
        if (branch.graph == g) {
          outputs[powers++] = {graphs_.power(branch), to + m * wide_strip + half * strip_width};
        }
      }
      if (powers == 0) continue;
      const DenseGraph& graph = graphs_.graphs[g];
      for (std::size_t r = 0; r < width; ++r) rows[r] = graph.row(first + r);
      kernels::lay_strip(std::span<const kernels::PackedRow>(rows).first(width), graphs_.blocks(),
                         graph.shift() + first,
                         std::span<const kernels::StripOutput>(outputs).first(powers),
                         n * wide_strip);
    }
  }
}

// y of the second-order branches, complete, and from it the radius of each.
void Batch::first_orders() {
  const std::size_t n = graphs_.second.size();
  // A block more than there are: strips come in twos.
  y_ = FirstOrders(people_.size(), n, graphs_.stride() + strip_width);
  const HugeBuffer<float> squares(graphs_.blocks() * people_.size() * n, Contents::any);
  std::vector<HugeBuffer<float>> strips(pool_.size());
  const std::size_t wide = (graphs_.blocks() + 1) / 2;
  pool_.for_chunks(wide, 1, [&](std::size_t two, std::size_t, unsigned worker) {
    const std::size_t block = 2 * two;
    HugeBuffer<float>& strip = strips[worker];
    if (strip.size() == 0) {
      strip = HugeBuffer<float>(graphs_.stride() * n * wide_strip, Contents::any);
    }
    lay_wide(block, strip.data());
    for (std::size_t group = 0; group < people_.groups(); ++group) {
      const std::size_t first = group * DensePeople::group_size;
      for (std::size_t tile = 0; tile < people_.tiles(); ++tile) {
        kernels::add_wide_rows(strip.data() + tile * people_.tile_rows() * n * wide_strip, n,
                               people_.entries(group, tile), people_.floats(),
                               y_.of(0, first, block), y_.of(0, first, block + 1), n * strip_width,
                               tile == 0);
      }
      const std::size_t last = std::min(people_.size(), first + DensePeople::group_size);
      for (std::size_t b = block; b < std::min(block + 2, graphs_.blocks()); ++b) {
        for (std::size_t p = first; p < last; ++p) {
          for (std::size_t m = 0; m < n; ++m) {
            const float* y = y_.of(m, p, b);
            squares[(b * people_.size() + p) * n + m] =
                kernels::strips_dot(y, strip_width, y, strip_width, 1);
          }
        }
      }
    }
  });
  measure_first_orders(squares);
}

void Batch::measure_first_orders(const HugeBuffer<float>& squares) {
  const std::size_t n = graphs_.second.size();
  pool_.for_chunks(people_.size(), 512, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<double> lengths((end - begin) * n, 0.0);
    for (std::size_t block = 0; block < graphs_.blocks(); ++block) {
      const float* some = squares.data() + (block * people_.size() + begin) * n;
      for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] += static_cast<double>(some[k]);
    }
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t m = 0; m < n; ++m) {
        const Branch& branch = graphs_.branch(graphs_.second[m]);
        people_[p].radii.push_back(
            radius_of(branch.coefficients[1], std::sqrt(lengths[(p - begin) * n + m]),
                      std::sqrt(kernels::square_sum({people_.z(p) + graphs_.direction_of[m],
                                                     graphs_.subspace(branch).rank}))));
      }
    }
  });
}

std::vector<float> Batch::longest_rows(const DenseGraphs& graphs) {
  std::vector<float> out;
  const std::size_t size = graphs.directions * strip_width;
  for (std::size_t block = 0; block < graphs.blocks(); ++block) {
    std::array<float, strip_width> squares{};
    const float* w = graphs.coordinates.data() + block * size;
    for (std::size_t k = 0; k < size; ++k) squares[k % strip_width] += w[k] * w[k];
    out.push_back(std::sqrt(*std::max_element(squares.begin(), squares.end())));
  }
  return out;
}

void Batch::sum_codes(Scratch& scratch, std::size_t group) const {
  const std::size_t size = graphs_.stride() * wide_strip;
  std::fill_n(scratch.sums.data(), people_.entries(group, 0).people() * wide_strip, 0.0F);
  for (std::size_t tile = 0; tile < people_.tiles(); ++tile) {
    for (std::size_t pair = 0; pair < codes_.pairs(); ++pair) {
      kernels::add_codes(
          scratch.strip.data() + pair * size + tile * people_.tile_rows() * wide_strip,
          people_.entries(group, tile), people_.codes(pair), scratch.sums.data());
    }
  }
}

// scratch.estimate becomes what no score of the block is above, but for what `least` allows for.
void Batch::bound(std::size_t block, std::size_t half, Scratch& scratch, std::size_t group) const {
  const std::size_t first = group * DensePeople::group_size;
  const std::size_t count = people_.entries(group, 0).people();
  const float* const item_unit = codes_.item_unit().data() + block * strip_width;
  const float largest_unit = *std::max_element(item_unit, item_unit + strip_width);
  const float off = rounding * longest_[block];
  for (std::size_t p = 0; p < count; ++p) {
    const Person& person = people_[first + p];
    const CodedPerson& coded = person.coded;
    scratch.unit[p] = coded.unit;
    scratch.least[p] = least_[first + p].load(std::memory_order_relaxed) -
                       coded.up * coded.unit * largest_unit - off * person.z_length;
  }
  kernels::estimate_people(scratch.sums.data() + half * strip_width, scratch.unit.data(), item_unit,
                           graphs_.coordinates.data() + block * graphs_.directions * strip_width,
                           graphs_.directions, people_.z(first), count, scratch.estimate.data());
  if (!certified_) return;
  std::array<kernels::PeopleTerm, 3 * max_criteria> terms;
  std::size_t used = 0;
  const auto factors = [&](const auto& factor) {
    if (scratch.factors.size() == used) scratch.factors.emplace_back(DensePeople::group_size);
    for (std::size_t p = 0; p < count; ++p) {
      scratch.factors[used][p] = factor(people_[first + p]);
    }
    return scratch.factors[used].data();
  };
  for (const std::size_t b : graphs_.first) {
    if (is_combined(b)) continue;
    const auto a = static_cast<float>(graphs_.branch(b).coefficients[0]);
    const float* values = y_.of(known(b), first, block);
    terms[used] = {factors([a](const Person&) { return a; }), values,
                   graphs_.second.size() * strip_width};
    ++used;
  }
  for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
    const std::size_t at = m * graphs_.stride() + block * strip_width;
    terms[used] = {factors([m](const Person& person) { return person.radii[m].outside; }),
                   graphs_.outside.data() + at, 0};
    ++used;
    terms[used] = {factors([m](const Person& person) { return person.radii[m].slack; }),
                   graphs_.lengths.data() + at, 0};
    ++used;
  }
  kernels::add_terms(std::span(terms).first(used), count, scratch.estimate.data());
}

// Takes note of those of 16 items that may be in the list of person p.
void Batch::take(std::size_t p, std::size_t block, std::uint32_t lanes, const float* sums,
                 const float* upper, Found& found) {
  const Person& person = people_[p];
  const std::size_t from = block * strip_width;
  lanes &= ~people_.own_lanes(person, from);
  const CodedPerson& coded = person.coded;
  const float off = rounding * longest_[block] * person.z_length;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto c = static_cast<std::size_t>(std::countr_zero(lanes));
    const auto place = static_cast<std::uint32_t>(from + c);
    const std::uint32_t item = graphs_.order.item_at[place];
    if (!allowed(*person.query, item)) continue;
    const float unit = coded.unit * codes_.item_unit()[place];
    float width = (sums[c] * coded.rate + coded.down + coded.up) * unit + 2 * off;
    for (std::size_t m = 0; m < person.radii.size(); ++m) {
      const std::size_t at = m * graphs_.stride() + place;
      width += 2 * (person.radii[m].outside * graphs_.outside[at] +
                    person.radii[m].slack * graphs_.lengths[at]);
    }
    const float highest = upper[c] + coded.up * unit + off;
    width += 4e-6F * (std::abs(highest) + width);
    found.top.offer(highest - width, item);
    found.candidates.push_back({place, 0.0F, highest - width / 2, 0.501F * width, 0.0});
  }
  if (!found.top.full()) return;
  const float worst = found.top.worst();
  float least = least_[p].load(std::memory_order_relaxed);
  while (least < worst && !least_[p].compare_exchange_weak(least, worst)) {
  }
}

void Batch::look(std::size_t block, std::size_t half, Scratch& scratch, std::size_t group) {
  const std::size_t first = group * DensePeople::group_size;
  const std::size_t count = people_.entries(group, 0).people();
  bound(block, half, scratch, group);
  kernels::lanes_at_least(scratch.estimate.data(), scratch.least.data(), count,
                          scratch.lanes.data());
  const std::size_t items = std::min(strip_width, graphs_.items() - block * strip_width);
  const std::uint32_t there = (1U << items) - 1;
  for (std::size_t p = 0; p < count; ++p) {
    const std::uint32_t lanes = scratch.lanes[p] & there;
    if (lanes == 0) continue;
    take(first + p, block, lanes, scratch.sums.data() + p * wide_strip + half * strip_width,
         scratch.estimate.data() + p * strip_width, scratch.found[first + p]);
  }
}

void Batch::scan() {
  const std::size_t wide = (graphs_.blocks() + 1) / 2;
  const std::size_t strip_size = graphs_.stride() * wide_strip;
  pool_.for_chunks(wide, 1, [&](std::size_t two, std::size_t, unsigned worker) {
    Scratch& scratch = scratches_[worker];
    if (scratch.found.empty()) {
      scratch.strip = HugeBuffer<std::uint32_t>(strip_size * codes_.pairs(), Contents::any);
      scratch.sums = HugeBuffer<float>(DensePeople::group_size * wide_strip, Contents::any);
      scratch.estimate = HugeBuffer<float>(DensePeople::group_size * strip_width, Contents::any);
      scratch.least.resize(DensePeople::group_size);
      scratch.unit.resize(DensePeople::group_size);
      scratch.lanes.resize(DensePeople::group_size);
      scratch.found.resize(people_.size());
      for (std::size_t p = 0; p < people_.size(); ++p) {
        scratch.found[p].top.reset(people_[p].top);
      }
    }
    const std::size_t block = 2 * two;
    for (std::size_t pair = 0; pair < codes_.pairs(); ++pair) {
      codes_.lay(pair, block, scratch.strip.data() + pair * strip_size);
    }
    for (std::size_t group = 0; group < people_.groups(); ++group) {
      sum_codes(scratch, group);
      for (std::size_t half = 0; half < 2 && block + half < graphs_.blocks(); ++half) {
        look(block + half, half, scratch, group);
      }
    }
  });
}

// Brings together what the workers have found for each person, and drops what cannot be in the
// list.
void Batch::gather_candidates() {
  pool_.for_chunks(people_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      for (Scratch& scratch : scratches_) {
        if (scratch.found.empty()) continue;
        std::vector<Candidate>& found = scratch.found[p].candidates;
        people_[p].candidates.insert(people_[p].candidates.end(), found.begin(), found.end());
        found = {};
      }
      prune(people_[p]);
    }
  });
}

// The first order of one item for some people, from floats.
void Batch::settle_item(std::uint32_t place,
                        std::span<const std::pair<std::uint32_t, std::uint32_t>> who,
                        std::vector<std::vector<float>>& rows) {
  rows.resize(combined_.size() + 1);
  std::vector<float>& shift = rows.back();
  for (auto& row : rows) row.resize(graphs_.stride());
  for (std::size_t n = 0; n < combined_.size(); ++n) {
    const Branch& branch = graphs_.branch(combined_[n]);
    const DenseGraph& graph = graphs_.graph(branch);
    std::fill(shift.begin(), shift.end(), graph.shift()[place]);
    kernels::unpack_power(graph.row(place), graph.blocks(), shift.data(), graphs_.power(branch),
                          rows[n].data());
  }
  const std::size_t block = place / strip_width;
  const std::size_t lane = place % strip_width;
  std::array<float, max_criteria * strip_width> y{};
  std::array<const float*, max_criteria> firsts{};
  std::array<float, strip_width> first;
  std::array<float, strip_width> estimate;
  for (const auto& [p, k] : who) {
    Person& person = people_[p];
    for (std::size_t n = 0; n < graphs_.first.size(); ++n) {
      const std::size_t b = graphs_.first[n];
      const auto at = std::find(combined_.begin(), combined_.end(), b);
      if (at == combined_.end()) {
        firsts[n] = y_.of(known(b), p, block);
        continue;
      }
      firsts[n] = y.data() + n * strip_width;
      y[n * strip_width + lane] =
          kernels::sum_at(rows[static_cast<std::size_t>(at - combined_.begin())].data(),
                          people_.places(person), people_.x(b, person));
    }
    estimate_block(graphs_, block, std::span(firsts).first(graphs_.first.size()), people_.z(p),
                   first.data(), estimate.data());
    Candidate& one = person.candidates[k];
    one.first = first[lane];
    one.estimate = estimate[lane];
    one.radius = 2e-6F * (std::abs(one.first) + std::abs(one.estimate - one.first));
    for (std::size_t m = 0; m < person.radii.size(); ++m) {
      const std::size_t i = m * graphs_.stride() + place;
      one.radius +=
          person.radii[m].outside * graphs_.outside[i] + person.radii[m].slack * graphs_.lengths[i];
    }
  }
}

void Batch::settle_first_orders() {
  std::vector<std::uint32_t> starts(graphs_.items() + 1, 0);
  for (std::size_t p = 0; p < people_.size(); ++p) {
    for (const Candidate& one : people_[p].candidates) ++starts[one.place + 1];
  }
  for (std::size_t i = 0; i < graphs_.items(); ++i) starts[i + 1] += starts[i];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> who(starts.back());  // person, candidate
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  for (std::uint32_t p = 0; p < people_.size(); ++p) {
    for (std::uint32_t k = 0; k < people_[p].candidates.size(); ++k) {
      who[next[people_[p].candidates[k].place]++] = {p, k};
    }
  }
  std::vector<std::vector<std::vector<float>>> rows(pool_.size());
  pool_.for_chunks(graphs_.items(), 16, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t i = begin; i < end; ++i) {
      if (starts[i] == starts[i + 1]) continue;
      settle_item(static_cast<std::uint32_t>(i),
                  std::span(who).subspan(starts[i], starts[i + 1] - starts[i]), rows[worker]);
    }
  });
}

std::vector<ScoredItem> Batch::list_of(std::size_t p) const {
  kernels::TopK top;
  top.reset(people_[p].top);
  for (const Candidate& one : people_[p].candidates) {
    const float score =
        certified_ ? static_cast<float>(static_cast<double>(one.first) + one.second) : one.estimate;
    top.offer(score, graphs_.order.item_at[one.place]);
  }
  return to_list(top);
}

void Batch::run(std::span<std::vector<ScoredItem>> lists) {
  if (certified_) first_orders();
  scan();
  gather_candidates();
  settle_first_orders();
  if (certified_) {
    std::vector<Unsettled*> unsettled;
    for (std::size_t p = 0; p < people_.size(); ++p) unsettled.push_back(&people_[p]);
    settle_second_orders(graphs_, unsettled, y_, pool_);
  }
  pool_.for_chunks(people_.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) lists[p] = list_of(p);
  });
}

}  // namespace

void recommend_batch(const DenseGraphs& graphs, std::span<const Query> queries,
                     std::span<const Signal> signals, std::span<std::vector<ScoredItem>> lists,
                     ThreadPool& pool) {
  const double row_bytes = static_cast<double>(graphs.stride()) * sizeof(float) *
                           static_cast<double>(graphs.exact ? graphs.second.size() : 0);
  const std::size_t most = row_bytes == 0
                               ? most_people
                               : static_cast<std::size_t>(std::max(64.0, batch_bytes / row_bytes));
  for (std::size_t begin = 0; begin < queries.size(); begin += most) {
    const std::size_t count = std::min(most, queries.size() - begin);
    Batch(graphs, queries.subspan(begin, count), signals.subspan(begin, count), pool)
        .run(lists.subspan(begin, count));
  }
}

}  // namespace palate
