#include "methods/linear/item_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "palate/error.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {
ItemGraph turned(const GraphPattern& pattern, const Array<float>& values) {
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

namespace {

constexpr std::size_t most_in_32_bits = 8192;  // items
constexpr std::size_t rows_at_once = 64;

// Where the weights of each row begin that are not 0, and how many there are.
std::vector<std::uint64_t> offsets_of(std::span<const float> weights, std::size_t items,
                                      ThreadPool& pool) {
  std::vector<std::uint64_t> out(items + 1, 0);
  pool.for_chunks(items, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      const auto row = weights.subspan(j * items, items);
      out[j + 1] = items - static_cast<std::size_t>(std::count(row.begin(), row.end(), 0.0F));
    }
  });
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

ItemGraph links_of(const HugeBuffer<float>& weights, std::vector<std::uint64_t> offsets,
                   ThreadPool& pool) {
  const std::size_t items = offsets.size() - 1;
  const HugeBuffer<std::uint32_t> columns(offsets.back(), Contents::any);
  const HugeBuffer<float> values(offsets.back(), Contents::any);
  pool.for_chunks(items, rows_at_once, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      std::uint64_t at = offsets[j];
      for (std::size_t i = 0; i < items; ++i) {
        const float weight = weights[j * items + i];
        if (weight == 0) continue;
        columns[at] = static_cast<std::uint32_t>(i);
        values[at++] = weight;
      }
    }
    weights.forget(begin * items, (end - begin) * items);
  });
  return {{std::move(offsets), Array<std::uint32_t>(columns)}, Array<float>(values)};
}

[[noreturn]] void refuse() {
  throw Error(ErrorCode::corrupt, "the item weights in the model file are damaged");
}

}  // namespace

// The same by the item that is scored, for those who ask for a column.
struct ItemWeights::Turned {
  std::once_flag made;
  ItemGraph sources;
};

ItemWeights ItemWeights::dense(Array<float> weights, std::size_t items) {
  ItemWeights out;
  out.items_ = items;
  out.dense_ = std::move(weights);
  return out;
}

ItemWeights ItemWeights::by_source(ItemGraph targets) {
  ItemWeights out;
  out.items_ = targets.pattern.items();
  out.targets_ = std::move(targets);
  out.turned_ = std::make_shared<Turned>();
  return out;
}

ItemWeights ItemWeights::sparse(const GraphPattern& sources, const Array<float>& weights) {
  return by_source(turned(sources, weights));
}

ItemWeights ItemWeights::from_dense(const HugeBuffer<float>& weights, std::size_t items,
                                    Precision precision, ThreadPool& pool) {
  std::vector<std::uint64_t> offsets = offsets_of(weights.span(), items, pool);
  ItemWeights out;
  if (offsets.back() < std::uint64_t{items} * items / 10) {
    out = by_source(links_of(weights, std::move(offsets), pool));
  } else if (precision == Precision::bits16 ||
             (precision == Precision::automatic && items > most_in_32_bits)) {
    out.shorts_ = to_short_weights(weights, items, pool);
  } else {
    out.dense_ = Array<float>(weights);
  }
  out.items_ = items;
  out.asked_ = precision;
  return out;
}

std::size_t ItemWeights::bytes() const noexcept {
  return dense_.size() * sizeof(float) + shorts_.numbers.size() * sizeof(std::int16_t) +
         shorts_.factors.size() * sizeof(float) +
         targets_.values.size() * (sizeof(float) + sizeof(std::uint32_t)) +
         targets_.pattern.offsets.size() * sizeof(std::uint64_t);
}

std::string_view ItemWeights::storage() const noexcept {
  return is_sparse() ? "sparse" : dense_.empty() ? "16-bit" : "32-bit";
}

std::string ItemWeights::why() const {
  if (!asked_) return {};
  const double all = static_cast<double>(items_) * static_cast<double>(items_);
  if (is_sparse()) {
    return fmt::format("{:.2g} % of all pairs of items have a weight",
                       100 * static_cast<double>(targets_.values.size()) / all);
  }
  if (*asked_ != Precision::automatic) return "the precision was asked for";
  if (!dense_.empty() && items_ > most_in_32_bits) return "the file is of an older version";
  if (!dense_.empty()) {
    return fmt::format("{} items, weights of up to {} have 32 bits", items_, most_in_32_bits);
  }
  return fmt::format("{} items, weights of more than {} have 16 bits: {} instead of {}", items_,
                     most_in_32_bits, amount_of_memory(2 * all), amount_of_memory(4 * all));
}

void ItemWeights::sum_rows(std::span<const std::uint32_t> rows, std::span<const float> x,
                           std::span<float> scores) const {
  if (!is_sparse()) {
    dense_scores(all(), rows, x, scores);
    return;
  }
  std::fill(scores.begin(), scores.end(), 0.0F);
  const std::uint32_t* columns = targets_.pattern.columns.data();
  const float* weights = targets_.values.data();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::uint64_t end = targets_.pattern.offsets[rows[k] + 1];
    for (std::uint64_t n = targets_.pattern.offsets[rows[k]]; n < end; ++n) {
      scores[columns[n]] += x[k] * weights[n];
    }
  }
}

float ItemWeights::at(std::uint32_t j, std::uint32_t i) const {
  if (!dense_.empty()) return dense_[j * items_ + i];
  if (!is_sparse()) return static_cast<float>(shorts_.numbers[j * items_ + i]) * shorts_.factors[i];
  const auto row = targets_.pattern.row(j);
  const auto found = std::lower_bound(row.begin(), row.end(), i);
  if (found == row.end() || *found != i) return 0;
  return targets_
      .values[targets_.pattern.offsets[j] + static_cast<std::size_t>(found - row.begin())];
}

std::vector<std::pair<float, std::uint32_t>> ItemWeights::column(std::uint32_t i) const {
  std::vector<std::pair<float, std::uint32_t>> out;
  if (!is_sparse()) {
    for (std::uint32_t j = 0; j < items_; ++j) out.emplace_back(at(j, i), j);
    return out;
  }
  std::call_once(turned_->made,
                 [this] { turned_->sources = turned(targets_.pattern, targets_.values); });
  const ItemGraph& sources = turned_->sources;
  const auto row = sources.pattern.row(i);
  for (std::size_t n = 0; n < row.size(); ++n) {
    out.emplace_back(sources.values[sources.pattern.offsets[i] + n], row[n]);
  }
  return out;
}

void ItemWeights::save(Parts& parts) const {
  if (is_sparse()) {
    targets_.pattern.save(parts, "method/links");
    parts.put("method/link_weights", targets_.values);
  } else if (dense_.empty()) {
    parts.put("method/short_weights", shorts_.numbers);
    parts.put("method/factors", shorts_.factors);
  } else {
    parts.put("method/weights", dense_);
  }
}

ItemWeights ItemWeights::load(const Parts& parts, std::size_t items,
                              std::optional<Precision> asked) {
  ItemWeights out;
  if (parts.has("method/weights")) {
    out = dense(parts.get<float>("method/weights"), items);
    if (items == 0 || out.dense_.size() != items * items) refuse();
  } else if (parts.has("method/short_weights")) {
    out.items_ = items;
    out.shorts_ = {parts.get<std::int16_t>("method/short_weights"),
                   parts.get<float>("method/factors")};
    const auto& [numbers, factors] = out.shorts_;
    if (items == 0 || numbers.size() != items * items || factors.size() != items) refuse();
    for (const float factor : factors) {
      if (!std::isnormal(factor) || factor < 0) refuse();
    }
  } else {
    // Older files have them by the item that is scored.
    const bool old = parts.has("method/similarity");
    GraphPattern pattern =
        GraphPattern::load(parts, old ? "method/neighbours" : "method/links", items);
    auto weights = parts.get<float>(old ? "method/similarity" : "method/link_weights");
    if (weights.size() != pattern.entries()) refuse();
    out = old ? sparse(pattern, weights) : by_source({std::move(pattern), std::move(weights)});
  }
  out.asked_ = asked;
  return out;
}

}  // namespace palate
