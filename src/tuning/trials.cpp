#include "tuning/trials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

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
const std::vector<ItemMatrix>* find(std::deque<Kept>& kept, const std::string& name) {
  const auto at =
      std::find_if(kept.begin(), kept.end(), [&](const Kept& one) { return one.name == name; });
  if (at == kept.end()) return nullptr;
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

const std::vector<ItemMatrix>& Trials::grams(const Adaptive& settings) {
  const std::string name = name_of({settings.user_power, settings.level_power});
  if (const auto* known = find(grams_, name)) return *known;
  if (grams_.size() == kept_) grams_.pop_back();
  Kept made{name, {}};
  const Progress quiet;
  for (const HoldOut& hold_out : hold_outs_) {
    made.matrices.push_back(gram(hold_out.levels(), settings.user_power, settings.level_power,
                                 {resources_.pool, quiet, resources_.stages, resources_.memory}));
  }
  grams_.push_front(std::move(made));
  return grams_.front().matrices;
}

const std::vector<ItemMatrix>& Trials::kernels(const Adaptive& settings) {
  const bool ridge = settings.weights == Adaptive::Weights::ridge;
  const std::string name =
      name_of({ridge ? 1.0 : 0.0, settings.user_power, settings.level_power, settings.link_power,
               ridge ? settings.lambda : 0.0, ridge ? settings.lambda_power : 0.0});
  if (const auto* known = find(kernels_, name)) return *known;
  if (kernels_.size() == kept_) kernels_.pop_back();
  const std::vector<ItemMatrix>& from = grams(settings);
  Kept made{name, {}};
  const Progress quiet;
  for (std::size_t h = 0; h < hold_outs_.size(); ++h) {
    const HoldOut& hold_out = hold_outs_[h];
    made.matrices.push_back(copy(from[h], hold_out.items(), resources_.pool));
    turn_into_kernel(made.matrices.back(), hold_out.raters(), settings,
                     {resources_.pool, quiet, resources_.stages, resources_.memory});
  }
  kernels_.push_front(std::move(made));
  return kernels_.front().matrices;
}

Worth Trials::worth(const Adaptive& settings) {
  const std::vector<ItemMatrix>& weights = kernels(settings);
  const LinearSignal signal = signal_of(settings, criteria_);
  Worth out;
  for (std::size_t h = 0; h < hold_outs_.size(); ++h) {
    const HoldOut& hold_out = hold_outs_[h];
    const std::vector<float> targets = item_factors(hold_out.raters(), settings.target_power);
    const Worth part =
        hold_out.judge({weights[h].span(), hold_out.items(), targets}, signal,
                       item_factors(hold_out.raters(), settings.source_power), resources_.pool);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

Worth Trials::popularity() {
  Worth out;
  for (const HoldOut& hold_out : hold_outs_) {
    const Worth part = hold_out.judge_popularity(resources_.pool);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

std::size_t Trials::people() const noexcept {
  std::size_t out = 0;
  for (const HoldOut& hold_out : hold_outs_) out += hold_out.people();
  return out;
}

double Trials::ridge_unit(const Adaptive& settings) {
  const ItemMatrix& n = grams(settings).front();
  const HoldOut& hold_out = hold_outs_.front();
  const std::size_t items = hold_out.items();
  double diagonal = 0;
  for (std::size_t i = 0; i < items; ++i) diagonal += static_cast<double>(n[i * items + i]);
  const double raters = std::accumulate(hold_out.raters().begin(), hold_out.raters().end(), 0.0);
  const auto count = static_cast<double>(items);
  return diagonal / count * std::pow(raters / count, -settings.lambda_power);
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
