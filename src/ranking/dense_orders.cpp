#include "ranking/dense_orders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/graph/lay.hpp"
#include "kernels/graph/packed_sums.hpp"

namespace palate {
namespace {

using kernels::block_width;
using kernels::wide_strip;

// A person, and which of their candidates.
using Asked = std::pair<std::uint32_t, std::uint32_t>;

// Strips of some branches from `block` on, `width` columns of each side by side.
void lay(const DenseGraphs& graphs, std::span<const std::size_t> branches, std::size_t block,
         std::size_t width, float* to) {
  std::array<kernels::PackedRow, block_width> rows;
  for (std::size_t at = 0; at < width; at += block_width, ++block) {
    const std::size_t first = std::min(block * block_width, graphs.items());
    const std::size_t count = std::min(block_width, graphs.items() - first);
    // Branches of one graph share the way through its rows.
    for (std::size_t g = 0; g < graphs.graphs.size(); ++g) {
      std::array<kernels::StripOutput, max_criteria> outputs;
      std::size_t powers = 0;
      for (std::size_t m = 0; m < branches.size(); ++m) {
        const Branch& branch = graphs.branch(branches[m]);
        if (branch.graph == g) outputs[powers++] = {graphs.power(branch), to + m * width + at};
      }
      if (powers == 0) continue;
      const DenseGraph& graph = graphs.graphs[g];
      for (std::size_t r = 0; r < count; ++r) rows[r] = graph.row(first + r);
      kernels::lay_strip(std::span<const kernels::PackedRow>(rows).first(count), graphs.blocks(),
                         graph.shift() + first,
                         std::span<const kernels::StripOutput>(outputs).first(powers),
                         branches.size() * width);
    }
  }
}

void measure(const DenseGraphs& graphs, DensePeople& people, const HugeBuffer<float>& squares,
             ThreadPool& pool) {
  const std::size_t n = graphs.second.size();
  pool.for_chunks(people.size(), 512, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<double> squares_of((end - begin) * n, 0.0);
    for (std::size_t block = 0; block < graphs.blocks(); ++block) {
      const float* some = squares.data() + (block * people.size() + begin) * n;
      for (std::size_t k = 0; k < squares_of.size(); ++k)
        squares_of[k] += static_cast<double>(some[k]);
    }
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t m = 0; m < n; ++m) {
        people[p].radii.push_back(radius_of(graphs, m, people.places(people[p]).size(),
                                            squares_of[(p - begin) * n + m], people.z(p)));
      }
    }
  });
}

// With so many candidates of a person in a block or more, a strip of the block serves them better
// than the columns of single items.
constexpr std::size_t candidates_for_strip = 4;

// Of one block of items, for those people who have candidates there.
class BlockSettler {
 public:
  BlockSettler(const DenseGraphs& graphs, DensePeople& people, std::span<const std::size_t> open,
               const FirstOrders& y)
      : graphs_(graphs),
        people_(people),
        open_(open),
        y_(y),
        firsts_(graphs.first.size()),
        x_(open.size()),
        lanes_(open.size() * block_width) {}

  // `who`: one person after the other.
  void settle(std::size_t block, std::span<const Asked> who) {
    std::size_t people = 0;
    for (std::size_t n = 0; n < who.size(); ++n) {
      people += n == 0 || who[n].first != who[n - 1].first ? 1 : 0;
    }
    const bool by_strip = who.size() >= candidates_for_strip * people;
    if (by_strip) {
      lay_strip(block);
    } else {
      sum_columns(block, who);
    }
    for (std::size_t begin = 0, end = 0; begin < who.size(); begin = end) {
      const std::uint32_t p = who[begin].first;
      while (end < who.size() && who[end].first == p) ++end;
      if (by_strip) {
        kernels::sum_rows(strip_.data(), people_.places(people_[p]), x_of(p), lanes_.data());
      } else {
        for (std::size_t n = begin; n < end; ++n) {
          for (std::size_t m = 0; m < open_.size(); ++m) {
            lanes_[m * block_width + lane_of(who[n])] = sums_[n * open_.size() + m];
          }
        }
      }
      estimate(block, p);
      for (std::size_t n = begin; n < end; ++n) keep(who[n]);
    }
  }

 private:
  [[nodiscard]] Candidate& candidate(const Asked& one) const {
    return people_[one.first].candidates[one.second];
  }
  [[nodiscard]] std::size_t lane_of(const Asked& one) const {
    return candidate(one).place % block_width;
  }
  std::span<const float* const> x_of(std::uint32_t p) {
    for (std::size_t m = 0; m < open_.size(); ++m) x_[m] = people_.x(open_[m], people_[p]);
    return x_;
  }

  void lay_strip(std::size_t block) {
    if (strip_.size() == 0) {
      strip_ = HugeBuffer<float>(graphs_.stride() * open_.size() * block_width, Contents::any);
    }
    lay(graphs_, open_, block, block_width, strip_.data());
  }

  // Graph by graph, as the branches of a graph share its columns.
  void sum_columns(std::size_t block, std::span<const Asked> who) {
    if (open_.empty()) return;
    sums_.resize(who.size() * open_.size());
    column_.resize(graphs_.stride());
    for (auto& some : asked_) some.clear();
    for (std::uint32_t n = 0; n < who.size(); ++n) asked_[lane_of(who[n])].push_back(n);
    for (std::size_t g = 0; g < graphs_.graphs.size(); ++g) {
      std::vector<std::size_t> mine;  // of the open branches
      for (std::size_t m = 0; m < open_.size(); ++m) {
        if (graphs_.branch(open_[m]).graph == g) mine.push_back(m);
      }
      for (std::size_t lane = 0; lane < block_width && !mine.empty(); ++lane) {
        sum_column(graphs_.graphs[g], block * block_width + lane, mine, asked_[lane], who);
      }
    }
  }

  void sum_column(const DenseGraph& graph, std::size_t place, std::span<const std::size_t> branches,
                  std::span<const std::uint32_t> asked, std::span<const Asked> who) {
    if (asked.empty()) return;
    kernels::unpack_logs(graph.row(place), graph.blocks(), graph.shift()[place], column_.data());
    std::array<kernels::ColumnTerm, max_criteria> terms;
    std::array<float, max_criteria> sums;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const std::uint32_t n = asked[k];
      const PersonInBatch& person = people_[who[n].first];
      if (k + 1 < asked.size()) ask_early(people_[who[asked[k + 1]].first], branches);
      for (std::size_t t = 0; t < branches.size(); ++t) {
        const std::size_t b = open_[branches[t]];
        terms[t] = {graphs_.power(graphs_.branch(b)), people_.x(b, person)};
      }
      kernels::sum_column(column_.data(), people_.places(person),
                          std::span<const kernels::ColumnTerm>(terms).first(branches.size()),
                          sums.data());
      for (std::size_t t = 0; t < branches.size(); ++t) {
        sums_[n * open_.size() + branches[t]] = sums[t];
      }
    }
  }

  // People lie apart in memory.
  void ask_early(const PersonInBatch& person, std::span<const std::size_t> branches) const {
    constexpr std::size_t most = 1024;
    constexpr std::size_t line = 64 / sizeof(float);
    const std::span<const std::uint32_t> places = people_.places(person);
    for (std::size_t k = 0; k < std::min(most, places.size()); k += line) {
      __builtin_prefetch(places.data() + k);
      for (const std::size_t m : branches) __builtin_prefetch(people_.x(open_[m], person) + k);
    }
  }

  void estimate(std::size_t block, std::uint32_t p) {
    std::size_t next = 0;
    for (std::size_t n = 0; n < firsts_.size(); ++n) {
      const bool summed = next < open_.size() && open_[next] == graphs_.first[n];
      firsts_[n] = summed ? lanes_.data() + next++ * block_width
                          : y_.of(second_of(graphs_, graphs_.first[n]), p, block);
    }
    first_of_block(graphs_, firsts_, first_.data());
    estimate_ = first_;
    add_second_of_block(graphs_, block, people_.z(p), estimate_.data());
  }

  void keep(const Asked& who) const {
    Candidate& one = candidate(who);
    const std::size_t lane = lane_of(who);
    one.first = first_[lane];
    one.estimate = estimate_[lane];
    one.radius = tolerance::score * (std::abs(one.first) + std::abs(one.estimate - one.first)) +
                 radius_at(graphs_, people_[who.first].radii, one.place);
  }

  const DenseGraphs& graphs_;
  DensePeople& people_;
  std::span<const std::size_t> open_;  // in the order of graphs.first
  const FirstOrders& y_;
  HugeBuffer<float> strip_;
  std::array<std::vector<std::uint32_t>, block_width> asked_;  // by item: which of `who`
  std::vector<float> column_, sums_;
  std::vector<const float*> firsts_, x_;
  std::vector<float> lanes_;
  std::array<float, block_width> first_, estimate_;
};

// In slices of the graph that are summed up apart, as row_dot does. In a slice, a few strips at a
// time of the rows that are needed are unpacked, and everybody is served by them.
void settle_branch(const DenseGraphs& graphs, DensePeople& people, const FirstOrders& y,
                   std::size_t m, ThreadPool& pool) {
  const Branch& branch = graphs.branch(graphs.second[m]);
  const DenseGraph& graph = graphs.graph(branch);
  const float* const outside = graphs.outside.data() + m * graphs.stride();
  constexpr std::size_t width = strips_per_dot * block_width;
  std::vector<std::uint32_t> rows;                       // that someone needs
  std::vector<std::uint32_t> row_of(graphs.items(), 0);  // place to row
  std::vector<std::size_t> first(people.size() + 1, 0);  // of each person's candidates
  for (std::size_t p = 0; p < people.size(); ++p) {
    for (const Candidate& one : people[p].candidates) row_of[one.place] = 1;
    first[p + 1] = first[p] + people[p].candidates.size();
  }
  for (std::uint32_t place = 0; place < row_of.size(); ++place) {
    if (row_of[place] == 0) continue;
    row_of[place] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(place);
  }
  std::vector<std::uint32_t> wanted(first.back());  // by candidate: its row
  for (std::size_t p = 0; p < people.size(); ++p) {
    for (std::size_t k = 0; k < people[p].candidates.size(); ++k) {
      wanted[first[p] + k] = row_of[people[p].candidates[k].place];
    }
  }
  std::array<HugeBuffer<double>, dot_slices> partial;
  std::vector<HugeBuffer<float>> unpacked(pool.size());
  pool.for_chunks(dot_slices, 1, [&](std::size_t slice, std::size_t, unsigned worker) {
    HugeBuffer<float>& strips = unpacked[worker];
    if (strips.size() == 0) strips = HugeBuffer<float>(rows.size() * width, Contents::any);
    HugeBuffer<double>& sums = partial[slice];
    sums = HugeBuffer<double>(wanted.size());
    const auto [begin, end] = dot_slice(slice, graphs.blocks());
    std::vector<kernels::PackedRow> next(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) next[r] = graph.row_from(rows[r], begin);
    for (std::size_t block = begin; block < end; block += strips_per_dot) {
      const std::size_t count = std::min(strips_per_dot, end - block);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        next[r].logs += kernels::unpack_power(next[r], count, graph.shift() + block * block_width,
                                              graphs.power(branch), strips.data() + r * width);
        next[r].masks += count;
      }
      for (std::size_t p = 0; p < people.size(); ++p) {
        kernels::strips_dots(strips.data(), width,
                             std::span(wanted).subspan(first[p], first[p + 1] - first[p]),
                             y.of(m, p, block), y.stride(), count, sums.data() + first[p]);
      }
    }
  });
  pool.for_chunks(people.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      PersonInBatch& person = people[p];
      for (std::size_t k = 0; k < person.candidates.size(); ++k) {
        Candidate& one = person.candidates[k];
        double dot = 0;
        for (const HugeBuffer<double>& sums : partial) dot += sums[first[p] + k];
        one.settle(second_order_of(graphs, m, one.place, dot),
                   estimated_second_order(graphs, m, one.place, people.z(p)),
                   person.radii[m].outside * outside[one.place]);
      }
      prune(person.candidates, person.top);
    }
  });
}

}  // namespace

FirstOrders first_orders(const DenseGraphs& graphs, DensePeople& people, ThreadPool& pool) {
  const std::size_t n = graphs.second.size();
  // A block more than there are: strips come in twos.
  FirstOrders y(people.size(), n, graphs.stride() + block_width);
  const HugeBuffer<float> squares(graphs.blocks() * people.size() * n, Contents::any);
  std::vector<HugeBuffer<float>> strips(pool.size());
  const std::size_t wide = (graphs.blocks() + 1) / 2;
  pool.for_chunks(wide, 1, [&](std::size_t two, std::size_t, unsigned worker) {
    const std::size_t block = 2 * two;
    HugeBuffer<float>& strip = strips[worker];
    if (strip.size() == 0) {
      strip = HugeBuffer<float>(graphs.stride() * n * wide_strip, Contents::any);
    }
    lay(graphs, graphs.second, block, wide_strip, strip.data());
    for (std::size_t group = 0; group < people.groups(); ++group) {
      const std::size_t first = group * DensePeople::group_size;
      for (std::size_t tile = 0; tile < people.tiles(); ++tile) {
        kernels::add_wide_rows(strip.data() + people.first_row(tile) * n * wide_strip, n,
                               people.entries(group, tile), people.floats(), y.of(0, first, block),
                               y.of(0, first, block + 1), n * block_width, tile == 0);
      }
      const std::size_t last = std::min(people.size(), first + DensePeople::group_size);
      for (std::size_t b = block; b < std::min(block + 2, graphs.blocks()); ++b) {
        for (std::size_t p = first; p < last; ++p) {
          for (std::size_t m = 0; m < n; ++m) {
            const float* mine = y.of(m, p, b);
            squares[(b * people.size() + p) * n + m] =
                kernels::strips_dot(mine, block_width, mine, block_width, 1);
          }
        }
      }
    }
  });
  measure(graphs, people, squares, pool);
  return y;
}

void settle_first_orders(const DenseGraphs& graphs, DensePeople& people,
                         std::span<const std::size_t> open, const FirstOrders& y,
                         ThreadPool& pool) {
  const std::size_t blocks = graphs.blocks();
  std::vector<std::size_t> starts(blocks + 1, 0);
  for (std::size_t p = 0; p < people.size(); ++p) {
    for (const Candidate& one : people[p].candidates) ++starts[one.place / block_width + 1];
  }
  for (std::size_t block = 0; block < blocks; ++block) starts[block + 1] += starts[block];
  std::vector<Asked> who(starts.back());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::uint32_t p = 0; p < people.size(); ++p) {
    for (std::uint32_t k = 0; k < people[p].candidates.size(); ++k) {
      who[next[people[p].candidates[k].place / block_width]++] = {p, k};
    }
  }
  std::vector<std::unique_ptr<BlockSettler>> settlers(pool.size());
  pool.for_chunks(blocks, 1, [&](std::size_t block, std::size_t, unsigned worker) {
    if (starts[block] == starts[block + 1]) return;
    if (!settlers[worker]) {
      settlers[worker] = std::make_unique<BlockSettler>(graphs, people, open, y);
    }
    settlers[worker]->settle(
        block, std::span(who).subspan(starts[block], starts[block + 1] - starts[block]));
  });
}

// What one branch settles need not be computed for the next.
void settle_second_orders(const DenseGraphs& graphs, DensePeople& people, const FirstOrders& y,
                          ThreadPool& pool) {
  pool.for_chunks(people.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) prune(people[p].candidates, people[p].top);
  });
  const auto width = [&](std::size_t m) {
    const float* const outside = graphs.outside.data() + m * graphs.stride();
    double sum = 0;
    for (std::size_t p = 0; p < people.size(); ++p) {
      for (const Candidate& one : people[p].candidates) {
        sum += static_cast<double>(people[p].radii[m].outside * outside[one.place]);
      }
    }
    return sum;
  };
  for (const std::size_t m : widest_first(graphs.second.size(), width)) {
    settle_branch(graphs, people, y, m, pool);
  }
}

}  // namespace palate
