#include "ranking/dense_batch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "base/huge_buffer.hpp"
#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/lists/people.hpp"
#include "ranking/dense_best.hpp"
#include "ranking/dense_bounds.hpp"
#include "ranking/dense_orders.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

using kernels::block_width;
using kernels::wide_strip;

constexpr double batch_bytes = 1.2e9;
constexpr std::size_t most_people = 32 * DensePeople::group_size;
constexpr std::size_t most_entries = 100'000'000;
constexpr std::size_t people_ahead = 4;
constexpr std::size_t room_of_group = DensePeople::group_size + 16;
constexpr float never = -std::numeric_limits<float>::infinity();

// An item that may be in someone's list, as far as a worker knows.
struct Found {
  std::uint32_t person, place;
  float lowest, highest;
};

// What a worker needs to look at a strip.
struct StripScratch {
  HugeBuffer<std::uint32_t> strip;
  HugeBuffer<float> sums;                     // of codes
  HugeBuffer<float> estimate;                 // no score is higher
  std::vector<float> least_of;                // least_, as it was when the strip was begun
  std::vector<std::uint32_t> room;            // of `who`
  std::vector<std::span<std::uint32_t>> who;  // by group: whom the strip may matter to
  std::vector<float> least, unit;
  std::vector<std::vector<float>> factors;
  std::vector<std::uint16_t> lanes;
  std::vector<std::uint32_t> few;
  std::vector<Found> found;
  BestBounds best;
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
        open_(open(graphs, certified_)),
        codes_(coded(graphs, open_)),
        people_(graphs, codes_, certified_ ? graphs.second : std::vector<std::size_t>(), queries,
                signals, pool),
        least_(queries.size()),
        scratches_(pool.size()) {
    for (std::size_t p = 0; p < people_.size(); ++p) {
      const CodedPerson& coded = people_[p].coded[0];
      units_.push_back(coded.unit);
      briefs_.push_back({coded.unit, coded.up * coded.unit, people_[p].z_length, coded.rate,
                         coded.down + coded.up, queries[p].allowed.empty()});
      least_[p] = people_[p].top == 0 ? std::numeric_limits<float>::infinity() : never;
    }
  }
  void run(std::span<std::vector<ScoredItem>> lists) {
    if (certified_) y_ = first_orders(graphs_, people_, pool_);
    // What is left of a bound when codes are summed is known if both are of the same first orders.
    const std::size_t stages = codes_.size() == 1 ? people_.stages() : 0;
    scan(strip_bounds(graphs_, codes_.back(), codes_.size() - 1, people_, stages, pool_));
    gather_candidates();
    scratches_.clear();  // what follows needs the memory
    settle_first_orders(graphs_, people_, open_, y_, pool_);
    if (certified_) settle_second_orders(graphs_, people_, y_, pool_);
    pool_.for_chunks(people_.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t p = begin; p < end; ++p) lists[p] = list_of(p);
    });
  }

 private:
  static std::vector<std::size_t> open(const DenseGraphs& graphs, bool certified) {
    std::vector<std::size_t> out;
    for (const std::size_t b : graphs.first) {
      if (!certified || second_of(graphs, b) == graphs.second.size()) out.push_back(b);
    }
    return out;
  }
  // Codes of the open first orders, and then of all of them if these are more.
  static std::vector<DenseCodes> coded(const DenseGraphs& graphs,
                                       const std::vector<std::size_t>& open) {
    std::vector<DenseCodes> out = {DenseCodes(graphs, open)};
    if (open != graphs.first) out.emplace_back(graphs, graphs.first);
    return out;
  }

  void scan(const StripBounds& bounds) {
    const std::size_t strips = (graphs_.blocks() + 1) / 2;
    pool_.for_chunks(strips, 1, [&](std::size_t strip, std::size_t, unsigned worker) {
      StripScratch& scratch = scratches_[worker];
      if (scratch.best.empty()) prepare(scratch);
      if (!find_who(bounds.of(strip, 0), scratch)) return;
      const std::size_t block = 2 * strip;
      for (std::size_t pair = 0; pair < codes_[0].pairs(); ++pair) {
        codes_[0].lay(pair, block, scratch.strip.data() + pair * graphs_.stride() * wide_strip);
      }
      for (std::size_t group = 0; group < people_.groups(); ++group) {
        sum_codes(strip, group, bounds, scratch);
        for (std::size_t half = 0; half < 2 && block + half < graphs_.blocks(); ++half) {
          look(block + half, half, scratch, group);
        }
      }
    });
  }
  void prepare(StripScratch& scratch) const {
    scratch.strip =
        HugeBuffer<std::uint32_t>(graphs_.stride() * wide_strip * codes_[0].pairs(), Contents::any);
    scratch.sums = HugeBuffer<float>(DensePeople::group_size * wide_strip, Contents::any);
    scratch.estimate = HugeBuffer<float>(DensePeople::group_size * block_width, Contents::any);
    scratch.least_of.resize(people_.size());
    scratch.room.resize(people_.groups() * room_of_group);
    scratch.who.resize(people_.groups());
    scratch.least.resize(DensePeople::group_size);
    scratch.unit.resize(DensePeople::group_size);
    scratch.lanes.resize(DensePeople::group_size);
    scratch.best = BestBounds(people_);
  }
  // Whether there is anybody.
  bool find_who(const std::uint16_t* bounds, StripScratch& scratch) const {
    bool any = false;
    for (std::size_t group = 0; group < people_.groups(); ++group) {
      const std::size_t first = group * DensePeople::group_size;
      const std::size_t count = people_.entries(group, 0).people();
      float* const least = scratch.least_of.data() + first;
      for (std::size_t p = 0; p < count; ++p) {
        least[p] = least_[first + p].load(std::memory_order_relaxed);
      }
      std::uint32_t* const who = scratch.room.data() + group * room_of_group;
      scratch.who[group] = {who, kernels::find_people(bounds + first, least, count, who)};
      any |= !scratch.who[group].empty();
    }
    return any;
  }
  // First orders of a group in codes, stage by stage; those whom the strip no longer matters to by
  // what is known after a stage are left out.
  void sum_codes(std::size_t strip, std::size_t group, const StripBounds& bounds,
                 StripScratch& scratch) const {
    const std::size_t first = group * DensePeople::group_size;
    std::span<std::uint32_t>& who = scratch.who[group];
    for (std::size_t stage = 0; stage < people_.stages(); ++stage) {
      people_.add_codes(0, group, stage, scratch.strip.data(), who, scratch.sums.data(),
                        stage == 0);
      if (stage + 1 > bounds.most()) continue;
      const kernels::PeopleLimits limits{codes_[0].item_unit().data() + strip * wide_strip,
                                         units_.data() + first, bounds.of(strip, stage + 1) + first,
                                         scratch.least_of.data() + first};
      who = who.first(kernels::keep_people(limits, who, scratch.sums.data()));
    }
  }
  // scratch.estimate becomes what no score of the block is above, but for what `least` allows for.
  void estimate(std::size_t block, std::size_t half, StripScratch& scratch,
                std::size_t group) const {
    const std::size_t first = group * DensePeople::group_size;
    const std::span<const std::uint32_t> who = scratch.who[group];
    const float* const item_unit = codes_[0].item_unit().data() + block * block_width;
    const float largest_unit = *std::max_element(item_unit, item_unit + block_width);
    const float off = tolerance::score * graphs_.longest[block];
    for (std::size_t n = 0; n < who.size(); ++n) {
      const Brief& brief = briefs_[first + who[n]];
      scratch.unit[n] = brief.unit;
      scratch.least[n] = least_[first + who[n]].load(std::memory_order_relaxed) -
                         brief.up * largest_unit - off * brief.z_length;
    }
    kernels::estimate_people(scratch.sums.data() + half * block_width, scratch.unit.data(),
                             item_unit,
                             graphs_.coordinates.data() + block * graphs_.directions * block_width,
                             graphs_.directions, people_.z(first), who, scratch.estimate.data());
    if (certified_) add_known(block, scratch, group);
  }
  // First orders that are known, and how far second orders may be off.
  void add_known(std::size_t block, StripScratch& scratch, std::size_t group) const {
    const std::size_t first = group * DensePeople::group_size;
    const std::span<const std::uint32_t> who = scratch.who[group];
    std::array<kernels::PeopleTerm, 3 * max_criteria> terms;
    std::size_t used = 0;
    const auto add = [&](const float* values, std::size_t stride, const auto& factor) {
      if (scratch.factors.size() == used) scratch.factors.emplace_back(DensePeople::group_size);
      std::vector<float>& factors = scratch.factors[used];
      for (std::size_t n = 0; n < who.size(); ++n) factors[n] = factor(people_[first + who[n]]);
      terms[used++] = {factors.data(), values, stride};
    };
    for (const std::size_t b : graphs_.first) {
      const std::size_t m = second_of(graphs_, b);
      if (m == graphs_.second.size()) continue;
      const auto a = static_cast<float>(graphs_.branch(b).coefficients[0]);
      add(y_.of(m, first, block), graphs_.second.size() * block_width,
          [a](const PersonInBatch&) { return a; });
    }
    for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
      const std::size_t at = m * graphs_.stride() + block * block_width;
      add(graphs_.outside.data() + at, 0,
          [m](const PersonInBatch& one) { return one.radii[m].outside; });
      add(graphs_.lengths.data() + at, 0,
          [m](const PersonInBatch& one) { return one.radii[m].slack; });
    }
    kernels::add_terms(std::span(terms).first(used), who, scratch.estimate.data());
  }
  void look(std::size_t block, std::size_t half, StripScratch& scratch, std::size_t group) {
    const std::size_t first = group * DensePeople::group_size;
    const std::span<const std::uint32_t> who = scratch.who[group];
    estimate(block, half, scratch, group);
    kernels::lanes_at_least(scratch.estimate.data(), scratch.least.data(), who.size(),
                            scratch.lanes.data());
    const std::size_t items = std::min(block_width, graphs_.items() - block * block_width);
    const std::uint32_t there = (1U << items) - 1;
    // Few, and what is known of them lies apart: ask for it early.
    scratch.few.clear();
    for (std::uint32_t n = 0; n < who.size(); ++n) {
      if ((scratch.lanes[n] & there) != 0) scratch.few.push_back(n);
    }
    for (std::size_t k = 0; k < scratch.few.size(); ++k) {
      if (k + 2 * people_ahead < scratch.few.size()) {
        const std::uint32_t later = who[scratch.few[k + 2 * people_ahead]];
        __builtin_prefetch(&briefs_[first + later]);
        scratch.best.ask_early(first + later);
      }
      const std::uint32_t n = scratch.few[k];
      take(first + who[n], block, scratch.lanes[n] & there,
           scratch.sums.data() + n * wide_strip + half * block_width,
           scratch.estimate.data() + n * block_width, scratch);
    }
  }
  // Takes note of those of 16 items that may be in the list of person p.
  void take(std::size_t p, std::size_t block, std::uint32_t lanes, const float* sums,
            const float* upper, StripScratch& scratch) {
    const Brief& brief = briefs_[p];
    const std::size_t from = block * block_width;
    lanes &= ~people_.own_lanes(p, from);
    const float off = tolerance::score * graphs_.longest[block] * brief.z_length;
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(lanes));
      const auto place = static_cast<std::uint32_t>(from + c);
      if (!brief.anything && !allowed(*people_[p].query, graphs_.order.item_at[place])) continue;
      const float item_unit = codes_[0].item_unit()[place];
      float width = (sums[c] * brief.rate + brief.down_and_up) * brief.unit * item_unit + 2 * off;
      if (certified_) width += 2 * radius_at(graphs_, people_[p].radii, place);
      const float highest = upper[c] + brief.up * item_unit + off;
      width += tolerance::score * (std::abs(highest) + width);
      scratch.best.offer(p, highest - width);
      scratch.found.push_back({static_cast<std::uint32_t>(p), place, highest - width, highest});
    }
    const float worst = scratch.best.worst(p);
    float least = least_[p].load(std::memory_order_relaxed);
    while (least < worst && !least_[p].compare_exchange_weak(least, worst)) {
    }
  }
  // Brings together what the workers have found for each person, and drops what cannot be in the
  // list. Each part of the people goes through everything: that is read in order.
  void gather_candidates() {
    const std::size_t part = (people_.size() + pool_.size() - 1) / pool_.size();
    pool_.for_chunks(people_.size(), part, [&](std::size_t begin, std::size_t end, unsigned) {
      for (const StripScratch& scratch : scratches_) {
        for (const Found& one : scratch.found) {
          if (one.person < begin || one.person >= end || one.highest < least_[one.person]) continue;
          people_[one.person].candidates.push_back({one.place, 0.0F, (one.lowest + one.highest) / 2,
                                                    tolerance::half * (one.highest - one.lowest),
                                                    0.0});
        }
      }
      for (std::size_t p = begin; p < end; ++p) prune(people_[p].candidates, people_[p].top);
    });
  }
  [[nodiscard]] std::vector<ScoredItem> list_of(std::size_t p) const {
    return best_of(
        people_[p].candidates, people_[p].top,
        [this](const Candidate& one) { return certified_ ? one.score() : one.estimate; },
        [this](std::uint32_t place) { return graphs_.order.item_at[place]; });
  }

  const DenseGraphs& graphs_;
  ThreadPool& pool_;
  bool certified_;
  std::vector<std::size_t> open_;  // first-order branches that are looked at in codes
  std::vector<DenseCodes> codes_;
  DensePeople people_;
  FirstOrders y_;  // if certified
  // Per person: what is below is of no interest; and what a look at a strip needs of them.
  std::vector<std::atomic<float>> least_;
  struct Brief {
    float unit, up, z_length, rate, down_and_up;
    bool anything;  // whether every item is allowed
  };
  std::vector<Brief> briefs_;
  std::vector<float> units_;             // of codes, by person
  std::vector<StripScratch> scratches_;  // per worker
};

}  // namespace

void recommend_batch(const DenseGraphs& graphs, std::span<const Query> queries,
                     std::span<const Signal> signals, std::span<std::vector<ScoredItem>> lists,
                     ThreadPool& pool) {
  const double row_bytes = static_cast<double>(graphs.stride()) * sizeof(float) *
                           static_cast<double>(graphs.exact ? graphs.second.size() : 0);
  const std::size_t most = row_bytes == 0
                               ? most_people
                               : static_cast<std::size_t>(std::max(64.0, batch_bytes / row_bytes));
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < queries.size(); begin += count) {
    std::size_t entries = signals[begin].ratings.size();
    for (count = 1; count < most && begin + count < queries.size(); ++count) {
      entries += signals[begin + count].ratings.size();
      if (entries > most_entries) break;
    }
    Batch(graphs, queries.subspan(begin, count), signals.subspan(begin, count), pool)
        .run(lists.subspan(begin, count));
  }
}

}  // namespace palate
