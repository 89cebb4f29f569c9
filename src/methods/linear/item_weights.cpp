#include "methods/linear/item_weights.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/dense/weighted_rows.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

ItemGraph transpose(const GraphPattern& pattern, const Array<float>& values) {
  const std::size_t items = pattern.items();
  std::vector<std::uint64_t> offsets(items + 1, 0);
  for (const std::uint32_t j : pattern.columns) ++offsets[j + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<std::uint32_t> columns(values.size());
  std::vector<float> out(values.size());
  for (std::size_t i = 0; i < items; ++i) {
    for (std::uint64_t n = pattern.offsets[i]; n < pattern.offsets[i + 1]; ++n) {
      const std::uint64_t at = next[pattern.columns[n]]++;
      columns[at] = static_cast<std::uint32_t>(i);
      out[at] = values[n];
    }
  }
  return {{std::move(offsets), std::move(columns)}, std::move(out)};
}

}  // namespace

ItemWeights ItemWeights::dense(Array<float> weights, std::size_t items) {
  ItemWeights out;
  out.items_ = items;
  out.dense_ = std::move(weights);
  return out;
}

ItemWeights ItemWeights::sparse(GraphPattern sources, Array<float> weights) {
  ItemWeights out;
  out.items_ = sources.items();
  ItemGraph turned = transpose(sources, weights);
  out.sources_ = std::move(sources);
  out.source_weights_ = std::move(weights);
  out.targets_ = std::move(turned.pattern);
  out.target_weights_ = std::move(turned.values);
  return out;
}

std::size_t ItemWeights::bytes() const noexcept {
  return dense_.size() * sizeof(float) +
         2 * (source_weights_.size() * (sizeof(float) + sizeof(std::uint32_t)) +
              sources_.offsets.size() * sizeof(std::uint64_t));
}

void ItemWeights::sum_rows(std::span<const std::uint32_t> rows, std::span<const float> x,
                           std::span<float> scores) const {
  if (!dense_.empty()) {
    kernels::weighted_rows(dense_.data(), items_, rows, x, items_, scores.data());
    return;
  }
  std::fill(scores.begin(), scores.end(), 0.0F);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::uint64_t n = targets_.offsets[rows[k]]; n < targets_.offsets[rows[k] + 1]; ++n) {
      scores[targets_.columns[n]] += x[k] * target_weights_[n];
    }
  }
}

float ItemWeights::at(std::uint32_t j, std::uint32_t i) const {
  if (!dense_.empty()) return dense_[j * items_ + i];
  const auto row = sources_.row(i);
  const auto found = std::lower_bound(row.begin(), row.end(), j);
  if (found == row.end() || *found != j) return 0;
  return source_weights_[sources_.offsets[i] + static_cast<std::size_t>(found - row.begin())];
}

std::vector<std::pair<float, std::uint32_t>> ItemWeights::column(std::uint32_t i) const {
  std::vector<std::pair<float, std::uint32_t>> out;
  if (!dense_.empty()) {
    for (std::uint32_t j = 0; j < items_; ++j) out.emplace_back(dense_[j * items_ + i], j);
    return out;
  }
  const auto row = sources_.row(i);
  for (std::size_t n = 0; n < row.size(); ++n) {
    out.emplace_back(source_weights_[sources_.offsets[i] + n], row[n]);
  }
  return out;
}

void ItemWeights::save(Parts& parts) const {
  if (!dense_.empty()) {
    parts.put("method/weights", dense_);
    return;
  }
  sources_.save(parts, "method/neighbours");
  parts.put("method/similarity", source_weights_);
}

ItemWeights ItemWeights::load(const Parts& parts, std::size_t items) {
  if (parts.has("method/weights")) {
    auto weights = parts.get<float>("method/weights");
    if (weights.empty() || weights.size() != items * items) {
      throw Error(ErrorCode::corrupt, "the item weights in the model file are damaged");
    }
    return dense(std::move(weights), items);
  }
  GraphPattern pattern = GraphPattern::load(parts, "method/neighbours", items);
  auto weights = parts.get<float>("method/similarity");
  if (weights.size() != pattern.entries()) {
    throw Error(ErrorCode::corrupt, "the item similarities in the model file are damaged");
  }
  return sparse(std::move(pattern), std::move(weights));
}

}  // namespace palate
