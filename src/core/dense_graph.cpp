#include "core/dense_graph.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/huge_buffer.hpp"
#include "core/placed_ratings.hpp"
#include "core/ratings_data.hpp"

namespace palate {
namespace {

using kernels::block_width;

constexpr float no_link = -1e30F;

template <class T>
Array<T> shared(const HugeBuffer<T>& buffer) {
  return {buffer.span(), buffer.owner()};
}

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

}  // namespace

ItemOrder popularity_order(const Ratings& ratings) {
  std::vector<std::uint32_t> count(ratings.items(), 0);
  for (const std::uint32_t item : ratings.data().items) ++count[item];
  std::vector<std::uint32_t> item_at(count.size());
  std::iota(item_at.begin(), item_at.end(), 0U);
  std::stable_sort(item_at.begin(), item_at.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return count[a] > count[b]; });
  std::vector<std::uint32_t> place_of(count.size());
  for (std::uint32_t place = 0; place < item_at.size(); ++place) place_of[item_at[place]] = place;
  return {std::move(item_at), std::move(place_of)};
}

DenseGraph DenseGraph::build(const Ratings& ratings, CriterionSet criteria, const ItemOrder& order,
                             ThreadPool& pool, const Progress& progress) {
  const PlacedRatings placed = place_ratings(ratings, criteria, order.place_of.span(), pool);
  const std::size_t items = ratings.items();
  const std::size_t blocks = (items + block_width - 1) / block_width;
  const std::size_t stride = blocks * block_width;
  const std::vector<float> shift = shifts(ratings, criteria, order, stride, pool);
  HugeBuffer<std::uint16_t> masks(items * blocks, Contents::any);
  // Room for every link that could be; what is not used is never touched.
  HugeBuffer<float> logs(items * stride + block_width, Contents::any);
  std::vector<std::uint64_t> starts(items);
  std::atomic<std::uint64_t> used{0};  // of it, in whole blocks
  std::atomic<std::uint64_t> links{0};
  HugeBuffer<float> tops((items + strip_rows - 1) / strip_rows * stride);
  struct Scratch {
    explicit Scratch(std::size_t n) : sums(n), values(block_width * (n + 1), Contents::any) {}
    HugeBuffer<float> sums, values;
  };
  std::vector<std::unique_ptr<Scratch>> scratches(pool.size());
  std::vector<float> factors(stride);  // 1 / sqrt(d_i)
  for (std::size_t j = 0; j < stride; ++j) factors[j] = std::exp2(shift[j]);
  // Some rows of one strip, which then move on to the others.
  const auto pack = [&](std::size_t begin, std::size_t end, Scratch& scratch) {
    float* const top = tops.data() + begin / strip_rows * stride;
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      placed.add_pairs(i, scratch.sums.data());
      starts[i] = count;
      const float kept = top[i];  // the diagonal does not count
      count += kernels::pack_row(scratch.sums.span(), factors[i], top, masks.data() + i * blocks,
                                 scratch.values.data() + count);
      top[i] = kept;
    }
    const std::uint64_t at = used.fetch_add((count + block_width - 1) / block_width * block_width);
    links.fetch_add(count);
    kernels::logs_of(scratch.values.span().first(count), logs.data() + at, true);
    for (std::size_t i = begin; i < end; ++i) starts[i] += at;
  };
  pool.for_chunks(items, strip_rows, "graph", progress,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    if (!scratches[worker]) scratches[worker] = std::make_unique<Scratch>(stride);
                    for (std::size_t i = begin; i < end; i += block_width) {
                      pack(i, std::min(end, i + block_width), *scratches[worker]);
                    }
                  });
  DenseGraph graph;
  graph.entries_ = links.load();
  graph.starts_ = std::move(starts);
  graph.masks_ = shared(masks);
  graph.logs_ = shared(logs);
  graph.shift_ = shift;
  graph.peaks_ = peaks(tops.span(), factors, items, pool);
  graph.tops_ = shared(tops);
  return graph;
}

kernels::PackedRow DenseGraph::row_from(std::size_t i, std::size_t block) const noexcept {
  kernels::PackedRow out = row(i);
  out.logs += kernels::count_links(out.masks, block);
  out.masks += block;
  return out;
}

std::size_t DenseGraph::row_entries(std::size_t i) const noexcept {
  return kernels::count_links(masks_.data() + i * blocks(), blocks());
}

std::size_t DenseGraph::bytes() const noexcept {
  return entries_ * sizeof(float) + masks_.size() * sizeof(std::uint16_t) +
         (peaks_.size() + shift_.size()) * sizeof(float) + starts_.size() * sizeof(std::uint64_t);
}

std::vector<float> DenseGraph::scale(double power) const {
  std::vector<float> out(stride(), 0.0F);
  for (std::size_t i = 0; i < items(); ++i) {
    out[i] = static_cast<float>(std::exp2(power * static_cast<double>(shift_[i])));
  }
  return out;
}

void ItemOrder::save(Parts& parts, const std::string& name) const { parts.put(name, item_at); }

ItemOrder ItemOrder::load(const Parts& parts, const std::string& name, std::size_t items) {
  auto item_at = parts.get<std::uint32_t>(name);
  std::vector<std::uint32_t> place_of(items, static_cast<std::uint32_t>(items));
  bool sound = item_at.size() == items;
  for (std::size_t place = 0; sound && place < items; ++place) {
    sound = item_at[place] < items && place_of[item_at[place]] == items;
    if (sound) place_of[item_at[place]] = static_cast<std::uint32_t>(place);
  }
  if (!sound) throw Error(ErrorCode::corrupt, "the order of items in the model file is damaged");
  return {std::move(item_at), std::move(place_of)};
}

// Rows in order, so that the same graph gives the same file.
void DenseGraph::save(Parts& parts, const std::string& name) const {
  const HugeBuffer<float> logs(entries_ + block_width);
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < items(); ++i) {
    const std::size_t count = row_entries(i);
    std::copy_n(logs_.data() + starts_[i], count, logs.data() + at);
    at += count;
  }
  parts.put(name + "/masks", masks_);
  parts.put(name + "/logs", shared(logs));
  parts.put(name + "/shift", shift_);
  parts.put(name + "/peaks", peaks_);
}

DenseGraph DenseGraph::load(const Parts& parts, const std::string& name, std::size_t items) {
  DenseGraph graph;
  std::vector<std::uint64_t> starts(items, 0);
  graph.starts_ = starts;
  graph.masks_ = parts.get<std::uint16_t>(name + "/masks");
  graph.logs_ = parts.get<float>(name + "/logs");
  graph.shift_ = parts.get<float>(name + "/shift");
  graph.peaks_ = parts.get<float>(name + "/peaks");
  const std::size_t blocks = graph.blocks();
  bool sound = graph.masks_.size() == items * blocks && graph.shift_.size() == graph.stride() &&
               graph.peaks_.size() == items;
  const std::size_t rest = items % block_width;
  const auto beyond = static_cast<std::uint16_t>(rest == 0 ? 0 : 0xFFFFU << rest);
  std::uint64_t entries = 0;
  for (std::size_t i = 0; sound && i < items; ++i) {
    starts[i] = entries;
    entries += graph.row_entries(i);
    sound = (graph.masks_[(i + 1) * blocks - 1] & beyond) == 0;
  }
  if (!sound || graph.logs_.size() != entries + block_width) {
    throw Error(ErrorCode::corrupt, "the item graph in the model file is damaged");
  }
  graph.starts_ = std::move(starts);
  graph.entries_ = entries;
  return graph;
}

}  // namespace palate
