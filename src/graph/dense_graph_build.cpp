// How a dense graph is built: N is symmetric, so that one half of it is summed, each item with
// those of its own and lower popularity, and then turned around to get the other.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "base/huge_buffer.hpp"
#include "core/ratings_data.hpp"
#include "graph/dense_graph.hpp"
#include "graph/placed_ratings.hpp"
#include "kernels/graph/lay.hpp"

namespace palate {
namespace {

using kernels::block_width;
using kernels::PackedRow;

constexpr float no_link = -1e30F;
constexpr std::size_t strip_blocks = DenseGraph::strip_rows / block_width;
// Rows that get their other half together, in blocks: of each row of the first half they need so
// many links one after the other that these are worth fetching.
constexpr std::size_t band_blocks = 16;
constexpr std::size_t band_rows = band_blocks * block_width;

// shift_i = -log2(d_i) / 2, padded to whole blocks. Summed in as many parts on any number of
// threads.
std::vector<float> shifts(const Ratings& ratings, CriterionSet set, const ItemOrder& order,
                          std::size_t stride, ThreadPool& pool) {
  constexpr std::size_t parts = 8;
  const Ratings::Data& data = ratings.data();
  const std::size_t width = ratings.criteria().size();
  const std::size_t size = data.items.size() / parts + 1;
  std::vector<std::vector<double>> sums(parts);
  pool.for_chunks(data.items.size(), size, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<double>& mine = sums[begin / size];
    mine.resize(ratings.items());
    for (std::size_t k = begin; k < end; ++k) {
      double sum = 0;
      for (CriterionSet rest = set; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<std::size_t>(std::countr_zero(rest));
        sum += static_cast<double>(data.values[k * width + c]);
      }
      mine[data.items[k]] += sum;
    }
  });
  std::vector<float> out(stride, 0.0F);
  for (std::size_t i = 0; i < ratings.items(); ++i) {
    double sum = 0;
    for (const auto& mine : sums) sum += mine.empty() ? 0.0 : mine[i];
    if (sum > 0) out[order.place_of[i]] = static_cast<float>(-0.5 * std::log2(sum));
  }
  return out;
}

// By symmetry the largest entry of a row is that of its column.
std::vector<float> peaks(std::span<const float> tops, const std::vector<float>& factors,
                         std::size_t items, ThreadPool& pool) {
  std::vector<float> out(items, 0.0F);
  pool.for_chunks(items, 2048, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t from = 0; from < tops.size(); from += factors.size()) {
      for (std::size_t j = begin; j < end; ++j) out[j] = std::max(out[j], tops[from + j]);
    }
    for (std::size_t j = begin; j < end; ++j) {
      out[j] = out[j] > 0 ? std::log2(out[j] * factors[j]) : no_link;
    }
  });
  return out;
}

// The half of the graph that is summed: links of rows with columns that are not before them. Rows
// are taken in any order, and lie where there is room, with as much room before each as its links
// with what is before it can take.
class UpperHalf {
 public:
  UpperHalf(const PlacedRatings& placed, const std::vector<float>& factors, std::size_t items,
            unsigned workers)
      : placed_(placed),
        factors_(factors),
        items_(items),
        blocks_(factors.size() / block_width),
        bands_((blocks_ + band_blocks - 1) / band_blocks),
        masks_(factors.size() * blocks_, Contents::any),
        // Room for every link that could be; what is not used is never touched.
        logs_(items * (factors.size() + 2 * block_width) + block_width, Contents::any),
        marks_(items * bands_, Contents::any),
        starts_(items),
        tops_((items + DenseGraph::strip_rows - 1) / DenseGraph::strip_rows * factors.size()),
        scratches_(workers) {}

  /// Some rows, all of one strip.
  void sum(std::size_t begin, std::size_t end, unsigned worker) {
    if (!scratches_[worker]) scratches_[worker] = std::make_unique<Scratch>(factors_.size());
    Scratch& scratch = *scratches_[worker];
    float* const top = tops_.data() + begin / DenseGraph::strip_rows * factors_.size();
    const auto whole = [](std::size_t n) {
      return (n + block_width - 1) / block_width * block_width;
    };
    std::array<std::size_t, block_width + 1> first{};  // of each row in scratch.values
    std::uint64_t room = 0;
    for (std::size_t i = begin; i < end; ++i) {
      placed_.add_pairs(i, scratch.sums.data());
      const std::size_t block = i / block_width;
      const std::size_t from = block * block_width;
      const float kept = top[i];  // the diagonal does not count
      const std::size_t count = kernels::pack_row(
          scratch.sums.span().subspan(from), factors_[i], top + from, scratch.columns.data() + from,
          masks_.data() + i * blocks_ + block, scratch.values.data() + first[i - begin]);
      top[i] = kept;
      first[i + 1 - begin] = first[i - begin] + count;
      starts_[i] = room + whole(most_before(i));
      room = starts_[i] + whole(count);
      set_marks(i);
    }
    const std::uint64_t at = used_.fetch_add(room);
    links_.fetch_add(first[end - begin]);
    for (std::size_t i = begin; i < end; ++i) {
      starts_[i] += at;
      const std::size_t count = first[i + 1 - begin] - first[i - begin];
      kernels::logs_of(scratch.values.span().subspan(first[i - begin], count),
                       logs_.data() + starts_[i], true);
    }
  }
  /// By place, how many links are before the diagonal: those of its column.
  [[nodiscard]] std::vector<std::uint32_t> lower_counts() const {
    std::vector<std::uint32_t> out(items_, 0);
    for (const auto& scratch : scratches_) {
      for (std::size_t j = 0; scratch && j < items_; ++j) out[j] += scratch->columns[j];
    }
    for (std::size_t j = 0; j < items_; ++j) {
      out[j] -= masks_[j * blocks_ + j / block_width] >> j % block_width & 1U;
    }
    return out;
  }

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t bands() const noexcept { return bands_; }
  [[nodiscard]] std::size_t links() const noexcept { return links_; }
  /// Where row i begins.
  [[nodiscard]] std::uint64_t start(std::size_t i) const noexcept { return starts_[i]; }
  /// Row i from a band on that is not before it.
  [[nodiscard]] PackedRow row_from(std::size_t i, std::size_t band) const noexcept {
    return {masks_.data() + i * blocks_ + band * band_blocks,
            logs_.data() + starts_[i] + marks_[i * bands_ + band]};
  }
  void ask_early(std::size_t i, std::size_t band) const noexcept {
    const PackedRow row = row_from(i, band);
    __builtin_prefetch(row.masks);
    for (std::size_t k = 0; k < 4; ++k) __builtin_prefetch(row.logs + k * block_width);
  }
  /// Of whole rows: what is before the diagonal is not set yet.
  [[nodiscard]] const HugeBuffer<std::uint16_t>& masks() const noexcept { return masks_; }
  [[nodiscard]] const HugeBuffer<float>& logs() const noexcept { return logs_; }
  /// As DenseGraph::tops, of this half alone.
  [[nodiscard]] const HugeBuffer<float>& tops() const noexcept { return tops_; }

 private:
  struct Scratch {
    explicit Scratch(std::size_t n)
        : sums(n), values(block_width * (n + 1), Contents::any), columns(n) {}
    HugeBuffer<float> sums, values;
    std::vector<std::uint32_t> columns;  // links of each
  };
  // Items before i that someone rated beside i, each as often as that.
  [[nodiscard]] std::size_t most_before(std::size_t i) const {
    std::size_t sum = 0;
    for (std::size_t k = placed_.rater_starts[i]; k < placed_.rater_starts[i + 1]; ++k) {
      const kernels::Rater rater = placed_.raters[k];
      sum += rater.at - std::size_t{placed_.lists[rater.user].group} * block_width;
    }
    return std::min(i, sum);
  }
  void set_marks(std::size_t i) const {
    std::size_t block = i / block_width;
    std::uint32_t links = 0;
    for (std::size_t band = block / band_blocks; band < bands_; ++band) {
      marks_[i * bands_ + band] = links;
      const std::size_t end = std::min(blocks_, (band + 1) * band_blocks);
      links += static_cast<std::uint32_t>(
          kernels::count_links(masks_.data() + i * blocks_ + block, end - block));
      block = end;
    }
  }

  const PlacedRatings& placed_;
  const std::vector<float>& factors_;  // 1 / sqrt(d_i)
  std::size_t items_, blocks_, bands_;
  HugeBuffer<std::uint16_t> masks_;
  HugeBuffer<float> logs_;
  HugeBuffer<std::uint32_t> marks_;  // by row and band: links before it
  std::vector<std::uint64_t> starts_;
  std::atomic<std::uint64_t> used_{0};  // of logs_, in whole blocks
  std::atomic<std::size_t> links_{0};
  HugeBuffer<float> tops_;
  std::vector<std::unique_ptr<Scratch>> scratches_;
};

// Gives the rows of one band their links with items before them, from the rows of these.
class Band {
 public:
  /// `starts`: of whole rows.
  Band(const UpperHalf& upper, std::size_t band, const std::vector<float>& shift,
       const std::vector<std::uint64_t>& starts)
      : upper_(upper),
        shift_(shift),
        first_(band * band_rows),
        last_(std::min(starts.size(), first_ + band_rows)),
        band_(band),
        to_(band_rows, &beyond_),
        ends_(band_rows, &beyond_) {
    for (std::size_t j = first_; j < last_; ++j) {
      to_[j - first_] = upper.logs().data() + starts[j];
      ends_[j - first_] = upper.logs().data() + upper.start(j);
    }
  }

  void fill() {
    const std::size_t end = (last_ + block_width - 1) / block_width;
    for (std::size_t block = 0; block < end; ++block) {
      if (block + 1 < end) {
        for (std::size_t i = (block + 1) * block_width; i < rows_end(block + 1); ++i) {
          upper_.ask_early(i, band_);
        }
      }
      turn(block);
    }
  }

 private:
  [[nodiscard]] std::size_t rows_end(std::size_t block) const {
    return std::min(last_, (block + 1) * block_width);
  }

  // The columns of a block of rows.
  void turn(std::size_t block) {
    const std::size_t begin = block * block_width;
    const std::size_t count = rows_end(block) - begin;
    std::array<PackedRow, block_width> rows;
    for (std::size_t r = 0; r < count; ++r) rows[r] = upper_.row_from(begin + r, band_);
    const std::size_t own = begin < first_ ? 0 : block - first_ / block_width;
    // A row of the band itself begins with its own block; that has nothing before it in the band.
    if (begin >= first_) {
      for (std::size_t r = 0; r < count; ++r) rows[r].masks += own;
      turn_diagonal(block, {rows.data(), count});
    }
    const std::size_t blocks = (last_ - first_ + block_width - 1) / block_width;
    for (std::size_t at = begin < first_ ? 0 : own + 1; at < blocks;) {
      // All of the band, but for a strip of which a part is done.
      const std::size_t some = at % strip_blocks == 0 ? blocks - at : 1;
      const std::size_t column = first_ + at * block_width;
      kernels::turn_rows(std::span<const PackedRow>(rows).first(count), some,
                         shift_.data() + column,
                         {to_.data() + at * block_width, ends_.data() + at * block_width,
                          upper_.masks().data() + column * upper_.blocks() + block, upper_.blocks(),
                          tops_of(column) + begin, shift_.size()});
      if (some < blocks - at) {
        for (std::size_t r = 0; r < count; ++r) {
          rows[r].logs += std::popcount(*rows[r].masks++);
        }
      }
      at += some;
    }
  }

  // Items of one block with each other. The rows then begin after it.
  void turn_diagonal(std::size_t block, std::span<PackedRow> rows) {
    const std::size_t begin = block * block_width;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      // Links with what is before are those that have just been turned.
      const std::uint32_t mask = *rows[r].masks++ & ~0U << r;
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<std::size_t>(std::countr_zero(rest));
        const float log = *rows[r].logs++;
        if (c == r) continue;
        *to_[begin + c - first_]++ = log;
        upper_.masks()[(begin + c) * upper_.blocks() + block] |=
            static_cast<std::uint16_t>(1U << r);
        float& top = tops_of(begin)[begin + r];
        top = std::max(top, std::exp2(log + shift_[begin + c]));
      }
    }
  }

  [[nodiscard]] float* tops_of(std::size_t row) const {
    return upper_.tops().data() + row / DenseGraph::strip_rows * shift_.size();
  }

  const UpperHalf& upper_;
  const std::vector<float>& shift_;
  std::size_t first_, last_, band_;
  float beyond_ = 0;          // rows past the last have no links, and nothing is written there
  std::vector<float*> to_;    // by row of the band: its next link
  std::vector<float*> ends_;  // and where it must end
};

}  // namespace

DenseGraph DenseGraph::build(const Ratings& ratings, CriterionSet criteria, const ItemOrder& order,
                             ThreadPool& pool, const Progress& progress) {
  const PlacedRatings placed = place_ratings(ratings, criteria, order.place_of.span(), pool);
  const std::size_t items = ratings.items();
  const std::size_t stride = (items + block_width - 1) / block_width * block_width;
  const std::vector<float> shift = shifts(ratings, criteria, order, stride, pool);
  std::vector<float> factors(stride);
  for (std::size_t j = 0; j < stride; ++j) factors[j] = std::exp2(shift[j]);
  UpperHalf upper(placed, factors, items, pool.size());
  pool.for_chunks(items, strip_rows, "graph", progress,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    for (std::size_t i = begin; i < end; i += block_width) {
                      upper.sum(i, std::min(end, i + block_width), worker);
                    }
                  });
  const std::vector<std::uint32_t> before = upper.lower_counts();
  std::vector<std::uint64_t> starts(items);
  for (std::size_t i = 0; i < items; ++i) starts[i] = upper.start(i) - before[i];
  // The last band has the most to do.
  pool.for_chunks(upper.bands(), 1, [&](std::size_t n, std::size_t, unsigned) {
    Band(upper, upper.bands() - 1 - n, shift, starts).fill();
  });
  DenseGraph graph;
  graph.entries_ = std::accumulate(before.begin(), before.end(), upper.links());
  graph.starts_ = std::move(starts);
  graph.masks_ = {upper.masks().span().first(items * upper.blocks()), upper.masks().owner()};
  graph.logs_ = Array(upper.logs());
  graph.shift_ = shift;
  graph.peaks_ = peaks(upper.tops().span(), factors, items, pool);
  graph.tops_ = Array(upper.tops());
  return graph;
}

}  // namespace palate
