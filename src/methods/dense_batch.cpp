#include "methods/dense_batch.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/huge_buffer.hpp"
#include "kernels/square_sum.hpp"
#include "kernels/strip.hpp"
#include "methods/dense_extremes.hpp"
#include "methods/dense_second.hpp"
#include "methods/select.hpp"

namespace palate {
namespace {

using kernels::strip_width;

constexpr double batch_bytes = 1.2e9;
constexpr float never = -std::numeric_limits<float>::infinity();

struct Person : Unsettled {
  const Query* query = nullptr;
  std::size_t begin = 0, end = 0;  // his entries in the flat arrays
  std::size_t seen_end = 0;        // of what he has rated and does not want again
};

// What one worker has found for one person.
struct Found {
  kernels::TopK top;  // of scores, or of lower bounds
  std::vector<Candidate> candidates;
};

// Each worker takes strips of its own, lays them out in its own cache, and serves everybody by
// them; what it finds for someone is merged in the end. The lists do not depend on who took what:
// a block is passed over only if nothing in it can be in the list.
class Batch {
 public:
  Batch(const DenseGraphs& graphs, std::span<const Query> queries, std::span<const Signal> signals,
        ThreadPool& pool);
  void run(std::span<std::vector<ScoredItem>> lists);

 private:
  void first_orders();
  void bounds();
  void scan();
  void ask_for(std::size_t person) const;
  void scan_block(std::size_t block, const float* strip, std::size_t person, Found& found);
  void offer(std::size_t p, std::size_t block, const float* first, const float* estimate,
             Found& found);
  void gather_candidates();
  [[nodiscard]] std::vector<ScoredItem> list_of(std::size_t p);

  // Strips [block, block + count) of some branches, each of strip_floats(branches).
  void lay(const std::vector<std::size_t>& branches, std::size_t block, std::size_t count,
           float* to) const;
  [[nodiscard]] std::size_t strip_floats(const std::vector<std::size_t>& branches) const {
    return graphs_.stride() * branches.size() * strip_width;
  }
  [[nodiscard]] std::span<const std::uint32_t> places(const Person& person) const {
    return std::span(places_).subspan(person.begin, person.end - person.begin);
  }
  [[nodiscard]] const float* z_of(std::size_t person) const noexcept {
    return z_.data() + person * graphs_.directions;
  }
  // Those of the 16 places from `from` on that he has rated and does not want again, as bits.
  [[nodiscard]] std::uint32_t seen_lanes(const Person& person, std::size_t from) const {
    const std::uint32_t* const end = seen_.data() + person.seen_end;
    const std::uint32_t* at = std::lower_bound(seen_.data() + person.begin, end, from);
    std::uint32_t lanes = 0;
    for (; at != end && *at < from + strip_width; ++at) lanes |= 1U << (*at - from);
    return lanes;
  }
  // x of some branches side by side, changed by `change(branch, x)`.
  template <class Change>
  [[nodiscard]] HugeBuffer<float> side_by_side(const std::vector<std::size_t>& branches,
                                               const Change& change) const;

  const DenseGraphs& graphs_;
  ThreadPool& pool_;
  bool certified_;
  std::vector<Person> people_;
  std::vector<std::uint32_t> places_, seen_;
  std::vector<std::vector<float>> x_;  // per branch, scaled by the normalisation of the rated item
  HugeBuffer<float> z_;                // per person and direction
  FirstOrders y_;                      // if certified
  std::vector<std::size_t> combined_;  // first-order branches that are computed block by block
  HugeBuffer<float> combined_x_;
  HugeBuffer<float> bounds_;               // per block and person: no score of the block is higher
  std::vector<std::atomic<float>> least_;  // per person: what is below is of no interest
  std::vector<std::vector<Found>> found_;  // per worker and person
};

Batch::Batch(const DenseGraphs& graphs, std::span<const Query> queries,
             std::span<const Signal> signals, ThreadPool& pool)
    : graphs_(graphs),
      pool_(pool),
      certified_(graphs.exact && !graphs.second.empty()),
      people_(queries.size()),
      x_(graphs.plan->branches.size()),
      z_(queries.size() * graphs.directions, Contents::any),
      least_(queries.size()),
      found_(pool.size()) {
  std::size_t entries = 0;
  for (std::size_t p = 0; p < people_.size(); ++p) {
    people_[p].query = &queries[p];
    people_[p].begin = entries;
    entries += signals[p].ratings.size();
    people_[p].end = entries;
    people_[p].top = std::min(queries[p].top, graphs.items());
    people_[p].z = z_.data() + p * graphs.directions;
    least_[p] = queries[p].top == 0 ? std::numeric_limits<float>::infinity() : never;
  }
  places_.resize(entries);
  seen_.resize(entries);
  for (auto& x : x_) x.resize(entries);
  pool.for_chunks(people_.size(), 128, [&](std::size_t begin, std::size_t end, unsigned) {
    PlacedSignal placed;
    for (std::size_t p = begin; p < end; ++p) {
      Person& person = people_[p];
      placed.set(graphs, signals[p]);
      std::copy(placed.places.begin(), placed.places.end(), places_.data() + person.begin);
      std::copy(placed.seen.begin(), placed.seen.end(), seen_.data() + person.begin);
      person.seen_end = person.begin + (person.query->exclude_seen ? placed.seen.size() : 0);
      for (std::size_t b = 0; b < x_.size(); ++b) {
        const std::vector<float>& scale = graphs.scale[graphs.branch(b).values];
        for (std::size_t k = 0; k < placed.places.size(); ++k) {
          x_[b][person.begin + k] = placed.x[b][k] * scale[placed.places[k]];
        }
      }
      std::copy(placed.z.begin(), placed.z.end(), z_.data() + p * graphs.directions);
    }
  });
  for (const std::size_t b : graphs.first) {
    const bool known = certified_ && std::find(graphs.second.begin(), graphs.second.end(), b) !=
                                         graphs.second.end();
    if (!known) combined_.push_back(b);
  }
}

template <class Change>
HugeBuffer<float> Batch::side_by_side(const std::vector<std::size_t>& branches,
                                      const Change& change) const {
  HugeBuffer<float> out(places_.size() * branches.size(), Contents::any);
  for (std::size_t n = 0; n < branches.size(); ++n) {
    const std::vector<float>& x = x_[branches[n]];
    for (std::size_t k = 0; k < x.size(); ++k) {
      out[k * branches.size() + n] = change(branches[n], x[k]);
    }
  }
  return out;
}

void Batch::lay(const std::vector<std::size_t>& branches, std::size_t block, std::size_t count,
                float* to) const {
  const std::size_t row = branches.size() * strip_width;
  std::array<kernels::PackedRow, strip_width> rows;
  for (std::size_t s = 0; s < count; ++s, to += strip_floats(branches)) {
    const std::size_t first = (block + s) * strip_width;
    const std::size_t width = std::min(strip_width, graphs_.items() - first);
    // Branches of one graph share the way through its rows.
    for (std::size_t g = 0; g < graphs_.graphs.size(); ++g) {
      std::array<kernels::StripOutput, max_criteria> outputs;
      std::size_t powers = 0;
      for (std::size_t n = 0; n < branches.size(); ++n) {
        const Branch& branch = graphs_.branch(branches[n]);
        if (branch.graph == g) {
          outputs[powers++] = {graphs_.power(branch), to + n * strip_width};
        }
      }
      if (powers == 0) continue;
      const DenseGraph& graph = graphs_.graphs[g];
      for (std::size_t r = 0; r < width; ++r) rows[r] = graph.row(first + r);
      kernels::lay_strip(std::span<const kernels::PackedRow>(rows).first(width), graphs_.blocks(),
                         graph.shift() + first,
                         std::span<const kernels::StripOutput>(outputs).first(powers), row);
    }
  }
}

// y of the second-order branches, complete, and from it the radius of each.
void Batch::first_orders() {
  const std::size_t n = graphs_.second.size();
  y_ = FirstOrders(people_.size(), n, graphs_.stride());
  const HugeBuffer<float> squares(graphs_.blocks() * people_.size() * n, Contents::any);
  const HugeBuffer<float> x =
      side_by_side(graphs_.second, [](std::size_t, float value) { return value; });
  std::vector<HugeBuffer<float>> strips(pool_.size());
  pool_.for_chunks(graphs_.blocks(), 1, [&](std::size_t block, std::size_t, unsigned worker) {
    HugeBuffer<float>& strip = strips[worker];
    if (strip.size() == 0) strip = HugeBuffer<float>(strip_floats(graphs_.second), Contents::any);
    lay(graphs_.second, block, 1, strip.data());
    for (std::size_t p = 0; p < people_.size(); ++p) {
      const Person& person = people_[p];
      float* y = y_.of(0, p, block);
      kernels::combine_rows(strip.data(), n, places(person), x.data() + person.begin * n, y);
      for (std::size_t m = 0; m < n; ++m) {
        squares[(block * people_.size() + p) * n + m] = kernels::strips_dot(
            y + m * strip_width, strip_width, y + m * strip_width, strip_width, 1);
      }
    }
  });
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
                      std::sqrt(kernels::square_sum(
                          {z_of(p) + graphs_.direction_of[m], graphs_.subspace(branch).rank}))));
      }
    }
  });
}

void Batch::bounds() {
  const std::size_t blocks = graphs_.blocks();
  const std::size_t n = graphs_.first.size();
  bounds_ = HugeBuffer<float>(people_.size() * blocks, Contents::any);
  const HugeBuffer<float> x = side_by_side(graphs_.first, [&](std::size_t b, float value) {
    return std::max(0.0F, static_cast<float>(graphs_.branch(b).coefficients[0]) * value);
  });
  const std::size_t parts = graphs_.second.size() * Extremes::rows_per_branch;
  const HugeBuffer<float> split(people_.size() * parts, Contents::any);
  for (std::size_t p = 0; p < people_.size(); ++p) {
    Extremes::split(graphs_, z_of(p), split.data() + p * parts);
  }
  std::vector<HugeBuffer<float>> strips(pool_.size());
  const std::size_t panels = (blocks + strip_width - 1) / strip_width;
  pool_.for_chunks(panels, 1, [&](std::size_t panel, std::size_t, unsigned worker) {
    HugeBuffer<float>& strip = strips[worker];
    if (strip.size() == 0) strip = HugeBuffer<float>(strip_floats(graphs_.first), Contents::any);
    const std::size_t first = panel * strip_width;
    const std::size_t count = std::min(strip_width, blocks - first);
    for (std::size_t k = 0; k < n; ++k) {
      const Branch& branch = graphs_.branch(graphs_.first[k]);
      std::array<const float*, strip_width> rows{};
      for (std::size_t r = 0; r < count; ++r) rows[r] = graphs_.graph(branch).largest(first + r);
      const kernels::StripOutput output{graphs_.power(branch), strip.data() + k * strip_width};
      kernels::lay_strip(std::span<const float* const>(rows).first(count), blocks, {&output, 1},
                         n * strip_width);
    }
    const Extremes extremes(graphs_, first, count);
    std::array<float, max_criteria * strip_width> y;
    for (std::size_t p = 0; p < people_.size(); ++p) {
      const Person& person = people_[p];
      kernels::combine_rows(strip.data(), n, places(person), x.data() + person.begin * n, y.data());
      std::array<float, strip_width> second{};
      kernels::add_rows(extremes.coordinates.data(), parts, split.data() + p * parts,
                        second.data());
      std::array<float, strip_width> bound{};
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t c = 0; c < strip_width; ++c) bound[c] += y[k * strip_width + c];
      }
      for (std::size_t c = 0; c < strip_width; ++c) {
        bound[c] += second[c] + 2e-5F * (bound[c] + std::abs(second[c]));
      }
      for (std::size_t m = 0; m < person.radii.size(); ++m) {
        for (std::size_t c = 0; c < strip_width; ++c) {
          bound[c] += person.radii[m].outside * extremes.outside[m][c] +
                      person.radii[m].slack * extremes.lengths[m][c];
        }
      }
      for (std::size_t c = 0; c < count; ++c) {
        bounds_[(first + c) * people_.size() + p] = bound[c];
      }
    }
  });
}

// Takes note of the 16 items of a block.
void Batch::offer(std::size_t p, std::size_t block, const float* first, const float* estimate,
                  Found& found) {
  const Person& person = people_[p];
  const std::size_t from = block * strip_width;
  const std::size_t count = std::min(strip_width, graphs_.items() - from);
  std::array<float, strip_width> radius;
  std::array<float, strip_width> bound;
  const float* upper = estimate;
  if (certified_) {
    std::array<kernels::RadiusTerm, max_criteria> terms;
    for (std::size_t m = 0; m < person.radii.size(); ++m) {
      const std::size_t at = m * graphs_.stride() + from;
      terms[m] = {person.radii[m].outside, graphs_.outside.data() + at, person.radii[m].slack,
                  graphs_.lengths.data() + at};
    }
    kernels::upper_bounds(first, estimate, std::span(terms).first(person.radii.size()),
                          radius.data(), bound.data());
    upper = bound.data();
  }
  std::uint32_t lanes =
      kernels::at_least(upper, least_[p].load(std::memory_order_relaxed)) & ((1U << count) - 1);
  if (lanes == 0) return;
  lanes &= ~seen_lanes(person, from);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto c = static_cast<std::size_t>(std::countr_zero(lanes));
    const auto place = static_cast<std::uint32_t>(from + c);
    const std::uint32_t item = graphs_.order.item_at[place];
    if (!person.query->allowed.empty() && person.query->allowed[item] == 0) continue;
    if (certified_) {
      found.top.offer(estimate[c] - radius[c], item);
      found.candidates.push_back({place, first[c], estimate[c], radius[c], 0.0});
    } else {
      found.top.offer(estimate[c], item);
    }
  }
  if (!found.top.full()) return;
  const float worst = found.top.worst();
  float least = least_[p].load(std::memory_order_relaxed);
  while (least < worst && !least_[p].compare_exchange_weak(least, worst)) {
  }
}

void Batch::scan_block(std::size_t block, const float* strip, std::size_t p, Found& found) {
  const Person& person = people_[p];
  const std::size_t n = combined_.size();
  std::array<float, max_criteria * strip_width> y;
  if (n > 0) {
    kernels::combine_rows(strip, n, places(person), combined_x_.data() + person.begin * n,
                          y.data());
  }
  std::array<const float*, max_criteria> firsts;
  std::size_t next = 0;
  for (std::size_t k = 0; k < graphs_.first.size(); ++k) {
    if (next < n && combined_[next] == graphs_.first[k]) {
      firsts[k] = y.data() + next++ * strip_width;
      continue;
    }
    const auto m = static_cast<std::size_t>(
        std::find(graphs_.second.begin(), graphs_.second.end(), graphs_.first[k]) -
        graphs_.second.begin());
    firsts[k] = y_.of(m, p, block);
  }
  std::array<float, strip_width> first;
  std::array<float, strip_width> estimate;
  estimate_block(graphs_, block, std::span<const float* const>(firsts).first(graphs_.first.size()),
                 z_of(p), first.data(), estimate.data());
  offer(p, block, first.data(), estimate.data(), found);
}

// People who are needed lie apart: their entries are asked for early.
void Batch::ask_for(std::size_t p) const {
  const Person& person = people_[p];
  const std::size_t n = combined_.size();
  for (std::size_t k = person.begin; k < std::min(person.end, person.begin + 64); k += 16) {
    __builtin_prefetch(places_.data() + k);
    for (std::size_t m = 0; m < n; ++m) __builtin_prefetch(combined_x_.data() + k * n + m * 16);
  }
  __builtin_prefetch(z_of(p));
  __builtin_prefetch(z_of(p) + 16);
}

void Batch::scan() {
  combined_x_ = side_by_side(combined_, [](std::size_t, float value) { return value; });
  std::vector<HugeBuffer<float>> strips(pool_.size());
  std::vector<std::vector<std::uint32_t>> needed(pool_.size());
  pool_.for_chunks(graphs_.blocks(), 1, [&](std::size_t block, std::size_t, unsigned worker) {
    HugeBuffer<float>& strip = strips[worker];
    std::vector<Found>& found = found_[worker];
    if (found.empty()) {
      strip = HugeBuffer<float>(strip_floats(combined_), Contents::any);
      found.resize(people_.size());
      for (std::size_t p = 0; p < people_.size(); ++p) {
        found[p].top.reset(people_[p].top);
      }
    }
    if (!combined_.empty()) lay(combined_, block, 1, strip.data());
    const float* bounds = bounds_.data() + block * people_.size();
    std::vector<std::uint32_t>& some = needed[worker];
    some.clear();
    for (std::uint32_t p = 0; p < people_.size(); ++p) {
      if (bounds[p] >= least_[p].load(std::memory_order_relaxed)) some.push_back(p);
    }
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (k + 2 < some.size()) ask_for(some[k + 2]);
      scan_block(block, strip.data(), some[k], found[some[k]]);
    }
  });
}

// Brings together what the workers have found for each person.
void Batch::gather_candidates() {
  pool_.for_chunks(people_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::vector<Found>& found : found_) {
        if (found.empty()) continue;
        people_[p].candidates.insert(people_[p].candidates.end(), found[p].candidates.begin(),
                                     found[p].candidates.end());
        found[p].candidates = {};
      }
    }
  });
}

std::vector<ScoredItem> Batch::list_of(std::size_t p) {
  kernels::TopK top;
  top.reset(people_[p].top);
  if (certified_) {
    for (const Candidate& one : people_[p].candidates) {
      top.offer(static_cast<float>(static_cast<double>(one.first) + one.second),
                graphs_.order.item_at[one.place]);
    }
  } else {
    for (std::vector<Found>& found : found_) {
      if (found.empty()) continue;
      for (const auto& [score, item] : found[p].top.sorted()) top.offer(score, item);
    }
  }
  return to_list(top);
}

void Batch::run(std::span<std::vector<ScoredItem>> lists) {
  if (certified_) first_orders();
  bounds();
  scan();
  if (certified_) {
    gather_candidates();
    std::vector<Unsettled*> unsettled;
    for (Person& person : people_) unsettled.push_back(&person);
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
                               ? queries.size()
                               : static_cast<std::size_t>(std::max(64.0, batch_bytes / row_bytes));
  for (std::size_t begin = 0; begin < queries.size(); begin += most) {
    const std::size_t count = std::min(most, queries.size() - begin);
    Batch(graphs, queries.subspan(begin, count), signals.subspan(begin, count), pool)
        .run(lists.subspan(begin, count));
  }
}

}  // namespace palate
