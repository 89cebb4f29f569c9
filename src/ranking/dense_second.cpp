#include "ranking/dense_second.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/dense/strip.hpp"
#include "kernels/lists/top_k.hpp"

namespace palate {
namespace {

using kernels::strip_width;

class SecondOrders {
 public:
  SecondOrders(const DenseGraphs& graphs, std::span<Unsettled* const> people, const FirstOrders& y,
               ThreadPool& pool)
      : graphs_(graphs), people_(people), y_(y), pool_(pool) {}
  void settle(std::size_t m);
  // Second branches by how far their estimates may be off.
  [[nodiscard]] std::vector<std::size_t> widest_first() const;

 private:
  const DenseGraphs& graphs_;
  std::span<Unsettled* const> people_;
  const FirstOrders& y_;
  ThreadPool& pool_;
};

std::vector<std::size_t> SecondOrders::widest_first() const {
  std::vector<std::pair<double, std::size_t>> by_radius;
  for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
    const Subspace& space = graphs_.subspace(graphs_.branch(graphs_.second[m]));
    double sum = 0;
    for (const Unsettled* person : people_) {
      for (const Candidate& one : person->candidates) {
        sum += static_cast<double>(person->radii[m].outside * space.outside[one.place]);
      }
    }
    by_radius.emplace_back(-sum, m);
  }
  std::sort(by_radius.begin(), by_radius.end());
  std::vector<std::size_t> out;
  for (const auto& [radius, m] : by_radius) out.push_back(m);
  return out;
}

// In slices of the graph that are summed up apart, as row_dot does. In a slice, a few strips at a
// time of the rows that are needed are unpacked, and everybody is served by them.
void SecondOrders::settle(std::size_t m) {
  const Branch& branch = graphs_.branch(graphs_.second[m]);
  const DenseGraph& graph = graphs_.graph(branch);
  const Subspace& space = graphs_.subspace(branch);
  constexpr std::size_t width = strips_per_dot * strip_width;
  std::vector<std::uint32_t> rows;                        // that someone needs
  std::vector<std::uint32_t> row_of(graphs_.items(), 0);  // place to row
  std::vector<std::size_t> first(people_.size() + 1, 0);  // of each person's candidates
  for (std::size_t p = 0; p < people_.size(); ++p) {
    for (const Candidate& one : people_[p]->candidates) row_of[one.place] = 1;
    first[p + 1] = first[p] + people_[p]->candidates.size();
  }
  for (std::uint32_t place = 0; place < row_of.size(); ++place) {
    if (row_of[place] == 0) continue;
    row_of[place] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(place);
  }
  std::vector<std::uint32_t> wanted(first.back());  // by candidate: its row
  for (std::size_t p = 0; p < people_.size(); ++p) {
    for (std::size_t k = 0; k < people_[p]->candidates.size(); ++k) {
      wanted[first[p] + k] = row_of[people_[p]->candidates[k].place];
    }
  }
  std::array<HugeBuffer<double>, dot_slices> partial;
  std::vector<HugeBuffer<float>> unpacked(pool_.size());
  pool_.for_chunks(dot_slices, 1, [&](std::size_t slice, std::size_t, unsigned worker) {
    HugeBuffer<float>& strips = unpacked[worker];
    if (strips.size() == 0) strips = HugeBuffer<float>(rows.size() * width, Contents::any);
    HugeBuffer<double>& sums = partial[slice];
    sums = HugeBuffer<double>(wanted.size());
    const auto [begin, end] = dot_slice(slice, graphs_.blocks());
    std::vector<kernels::PackedRow> next(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) next[r] = graph.row_from(rows[r], begin);
    for (std::size_t block = begin; block < end; block += strips_per_dot) {
      const std::size_t count = std::min(strips_per_dot, end - block);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        next[r].logs += kernels::unpack_power(next[r], count, graph.shift() + block * strip_width,
                                              graphs_.power(branch), strips.data() + r * width);
        next[r].masks += count;
      }
      for (std::size_t p = 0; p < people_.size(); ++p) {
        kernels::strips_dots(strips.data(), width,
                             std::span(wanted).subspan(first[p], first[p + 1] - first[p]),
                             y_.of(m, p, block), y_.stride(), count, sums.data() + first[p]);
      }
    }
  });
  pool_.for_chunks(people_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      Unsettled& person = *people_[p];
      for (std::size_t k = 0; k < person.candidates.size(); ++k) {
        Candidate& one = person.candidates[k];
        double dot = 0;
        for (const HugeBuffer<double>& sums : partial) dot += sums[first[p] + k];
        const double value = branch.coefficients[1] *
                             static_cast<double>(graphs_.scale[branch.values][one.place]) * dot;
        double estimated = 0;
        for (std::size_t r = 0; r < space.rank; ++r) {
          estimated += static_cast<double>(person.z[graphs_.direction_of[m] + r]) *
                       static_cast<double>(space.coordinates[one.place * space.rank + r]);
        }
        one.second += value;
        one.estimate = static_cast<float>(static_cast<double>(one.estimate) + value - estimated);
        one.radius -= person.radii[m].outside * space.outside[one.place];
      }
      prune(person);
    }
  });
}

}  // namespace

void prune(Unsettled& person) {
  kernels::TopK lower;
  lower.reset(person.top);
  for (const Candidate& one : person.candidates) {
    lower.offer(one.estimate - one.radius, one.place);
  }
  if (person.top == 0 || !lower.full()) return;
  const float reach = lower.worst();
  std::erase_if(person.candidates,
                [reach](const Candidate& one) { return one.estimate + one.radius < reach; });
}

// What one branch settles need not be computed for the next.
void settle_second_orders(const DenseGraphs& graphs, std::span<Unsettled* const> people,
                          const FirstOrders& y, ThreadPool& pool) {
  pool.for_chunks(people.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) prune(*people[p]);
  });
  SecondOrders second(graphs, people, y, pool);
  for (const std::size_t m : second.widest_first()) second.settle(m);
}

}  // namespace palate
