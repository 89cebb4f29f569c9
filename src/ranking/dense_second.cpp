#include "ranking/dense_second.hpp"

#include <algorithm>
#include <array>

#include "kernels/dense/strip.hpp"

namespace palate {
namespace {

using kernels::block_width;

class SecondOrders {
 public:
  SecondOrders(const DenseGraphs& graphs, std::span<Unsettled* const> people, const FirstOrders& y,
               ThreadPool& pool)
      : graphs_(graphs), people_(people), y_(y), pool_(pool) {}
  // How far the estimates of a branch may be off, over everybody's candidates.
  [[nodiscard]] double width(std::size_t m) const;
  void settle(std::size_t m);

 private:
  const DenseGraphs& graphs_;
  std::span<Unsettled* const> people_;
  const FirstOrders& y_;
  ThreadPool& pool_;
};

double SecondOrders::width(std::size_t m) const {
  const float* const outside = graphs_.outside.data() + m * graphs_.stride();
  double sum = 0;
  for (const Unsettled* person : people_) {
    for (const Candidate& one : person->candidates) {
      sum += static_cast<double>(person->radii[m].outside * outside[one.place]);
    }
  }
  return sum;
}

// In slices of the graph that are summed up apart, as row_dot does. In a slice, a few strips at a
// time of the rows that are needed are unpacked, and everybody is served by them.
void SecondOrders::settle(std::size_t m) {
  const Branch& branch = graphs_.branch(graphs_.second[m]);
  const DenseGraph& graph = graphs_.graph(branch);
  const float* const outside = graphs_.outside.data() + m * graphs_.stride();
  constexpr std::size_t width = strips_per_dot * block_width;
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
        next[r].logs += kernels::unpack_power(next[r], count, graph.shift() + block * block_width,
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
        one.settle(second_order_of(graphs_, m, one.place, dot),
                   estimated_second_order(graphs_, m, one.place, person.z),
                   person.radii[m].outside * outside[one.place]);
      }
      prune(person.candidates, person.top);
    }
  });
}

}  // namespace

// What one branch settles need not be computed for the next.
void settle_second_orders(const DenseGraphs& graphs, std::span<Unsettled* const> people,
                          const FirstOrders& y, ThreadPool& pool) {
  pool.for_chunks(people.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) prune(people[p]->candidates, people[p]->top);
  });
  SecondOrders second(graphs, people, y, pool);
  const auto width = [&second](std::size_t m) { return second.width(m); };
  for (const std::size_t m : widest_first(graphs.second.size(), width)) second.settle(m);
}

}  // namespace palate
