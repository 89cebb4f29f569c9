#include "tuning/trials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "methods/linear/sparse_lists.hpp"

namespace palate {
namespace {

std::string name_of(std::initializer_list<double> numbers) {
  std::string out;
  std::array<char, 32> text{};
  for (const double number : numbers) {
    std::snprintf(text.data(), text.size(), "%.12g ", number);
    out += text.data();
  }
  return out;
}

// Found, and moved to the front; or null.
template <class Kept>
auto* find(std::deque<Kept>& kept, const std::string& name) {
  const auto at =
      std::find_if(kept.begin(), kept.end(), [&](const Kept& one) { return one.name == name; });
  using Matrices = decltype(Kept::matrices);
  if (at == kept.end()) return static_cast<Matrices*>(nullptr);
  std::rotate(kept.begin(), at, at + 1);
  return &kept.front().matrices;
}

ItemMatrix copy(const ItemMatrix& from, std::size_t items, ThreadPool& pool) {
  ItemMatrix out(from.size(), Contents::any);
  pool.for_chunks(items, 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      std::memcpy(out.data() + j * items + j, from.data() + j * items + j,
                  (items - j) * sizeof(float));
    }
  });
  return out;
}

}  // namespace

bool Trials::sparse(const Adaptive& settings) const {
  return settings.weights == Adaptive::Weights::graph ? form_.sparse_graphs
                                                      : form_.wide.has_value();
}

FitResources Trials::quietly() const {
  static const Progress nobody;
  return {resources_.pool, nobody, resources_.stages, resources_.memory};
}

const std::vector<Trials::Matrix>& Trials::grams(const Adaptive& settings) {
  const bool links = sparse(settings);
  const std::string name = name_of({links ? 1.0 : 0.0, settings.user_power, settings.level_power});
  if (const auto* known = find(grams_, name)) return *known;
  if (grams_.size() == form_.kept) grams_.pop_back();
  Kept made{name, {}};
  for (const auto& hold_out : hold_outs_) {
    const Levels& levels = hold_out->levels();
    Matrix& n = made.matrices.emplace_back();
    if (links) {
      n.sparse = sparse_gram(levels, settings.user_power, settings.level_power,
                             form_.wide ? form_.wide->links : levels.items, quietly());
    } else {
      n.dense = gram(levels, settings.user_power, settings.level_power, quietly());
    }
  }
  grams_.push_front(std::move(made));
  return grams_.front().matrices;
}

const std::vector<Trials::Matrix>& Trials::kernels(const Adaptive& settings) {
  const bool ridge = settings.weights == Adaptive::Weights::ridge;
  const std::string name =
      name_of({ridge ? 1.0 : 0.0, settings.user_power, settings.level_power, settings.link_power,
               ridge ? settings.lambda : 0.0, ridge ? settings.lambda_power : 0.0});
  if (const auto* known = find(kernels_, name)) return *known;
  if (kernels_.size() == form_.kept) kernels_.pop_back();
  const std::vector<Matrix>& from = grams(settings);
  Kept made{name, {}};
  for (std::size_t h = 0; h < hold_outs_.size(); ++h) {
    const HoldOut& hold_out = *hold_outs_[h];
    Matrix& k = made.matrices.emplace_back();
    if (from[h].dense.size() == 0) {
      WideOptions options = form_.wide.value_or(WideOptions{});
      if (form_.pairs) options.kept = 0;
      if (ridge && form_.pairs) {
        k.dense = wide_ridge(from[h].sparse, hold_out.raters(), settings, options, quietly());
        continue;
      }
      k.sparse = wide_kernel(from[h].sparse, hold_out.raters(), settings, options, quietly());
      // All links of a graph are the same from both sides.
      if (form_.wide) k.sparse = turned(k.sparse.pattern, k.sparse.values);
    } else {
      k.dense = copy(from[h].dense, hold_out.items(), resources_.pool);
      turn_into_kernel(k.dense, hold_out.raters(), settings, quietly());
    }
  }
  kernels_.push_front(std::move(made));
  return kernels_.front().matrices;
}

const Worth& Trials::worth(const Adaptive& settings) {
  const std::string name =
      name_of({settings.weights == Adaptive::Weights::ridge ? 1.0 : 0.0, settings.user_power,
               settings.level_power, settings.link_power, settings.lambda, settings.lambda_power,
               settings.source_power, settings.target_power, settings.rating_power});
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  return known_[name] = judged(settings);
}

Worth Trials::judged(const Adaptive& settings) {
  const std::vector<Matrix>& weights = kernels(settings);
  const LinearSignal signal = signal_of(settings, criteria_);
  Worth out;
  for (std::size_t h = 0; h < hold_outs_.size(); ++h) {
    const HoldOut& hold_out = *hold_outs_[h];
    const std::vector<float> targets = item_factors(hold_out.raters(), settings.target_power);
    const auto make = [&](std::span<const Asking> askings,
                          std::span<std::vector<ScoredItem>> lists) {
      const Matrix& k = weights[h];
      if (k.dense.size() == 0) {
        sparse_lists({k.sparse.pattern, k.sparse.values.span(), targets}, askings, lists,
                     resources_.pool);
      } else {
        dense_lists({k.dense.span(), hold_out.items(), targets}, askings, lists, resources_.pool);
      }
    };
    const Worth part = hold_out.judge(
        signal, item_factors(hold_out.raters(), settings.source_power), resources_.pool, make);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

Worth Trials::worth(const Method& method) const {
  Worth out;
  for (const auto& hold_out : hold_outs_) {
    const Worth part = hold_out->judge(method, quietly());
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

std::size_t Trials::people() const noexcept {
  std::size_t out = 0;
  for (const auto& hold_out : hold_outs_) out += hold_out->people();
  return out;
}

std::size_t Trials::people_at_once() const noexcept {
  std::size_t out = 0;
  for (const auto& hold_out : hold_outs_) out = std::max(out, hold_out->people());
  return out;
}

double Trials::mean_raters() const noexcept {
  const HoldOut& first = *hold_outs_.front();
  return static_cast<double>(first.levels().columns.size()) /
         std::max<double>(1, static_cast<double>(first.items()));
}

double Trials::ridge_unit(const Adaptive& settings) const {
  const HoldOut& first = *hold_outs_.front();
  double diagonal = 0;
  for (const float entry : entries(first.levels(), settings.user_power, settings.level_power)) {
    diagonal += static_cast<double>(entry) * static_cast<double>(entry);
  }
  return diagonal / static_cast<double>(first.items()) *
         std::pow(mean_raters(), -settings.lambda_power);
}

double mean(const Worth& worth) {
  return std::accumulate(worth.begin(), worth.end(), 0.0) /
         std::max<double>(1, static_cast<double>(worth.size()));
}

Gain gain(const Worth& a, const Worth& b) {
  const auto n = static_cast<double>(a.size());
  if (a.size() < 2) return {};
  double sum = 0;
  double squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = static_cast<double>(b[k]) - static_cast<double>(a[k]);
    sum += difference;
    squares += difference * difference;
  }
  const double by = sum / n;
  return {by, std::sqrt(std::max(0.0, squares / n - by * by) / (n - 1))};
}

}  // namespace palate
