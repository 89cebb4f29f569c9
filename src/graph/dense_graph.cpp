#include "graph/dense_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/huge_buffer.hpp"
#include "core/ratings_data.hpp"

namespace palate {

using kernels::block_width;

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
void DenseGraph::add_similarities(const ItemOrder& order, std::uint32_t item,
                                  std::span<double> sums) const {
  const std::uint32_t place = order.place_of[item];
  std::vector<float> values(stride());
  kernels::unpack_power(row(place), blocks(), shift(), 1.0F, values.data());
  const double own = std::exp2(static_cast<double>(shift()[place]));
  for (std::size_t j = 0; j < items(); ++j) {
    sums[order.item_at[j]] += static_cast<double>(values[j]) * own;
  }
}

void DenseGraph::save(Parts& parts, const std::string& name) const {
  const HugeBuffer<float> logs(entries_ + block_width);
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < items(); ++i) {
    const std::size_t count = row_entries(i);
    std::copy_n(logs_.data() + starts_[i], count, logs.data() + at);
    at += count;
  }
  parts.put(name + "/masks", masks_);
  parts.put(name + "/logs", Array(logs));
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
