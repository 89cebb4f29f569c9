// What settings of the method adaptive are worth on ratings held back.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/fit_resources.hpp"
#include "methods/adaptive/adaptive.hpp"
#include "methods/adaptive/kernel.hpp"
#include "tuning/hold_out.hpp"

namespace palate {

/// Tries settings on several hold-outs. Weights that were computed lately are kept, so that only
/// what changed is computed again: powers of items and of ratings cost no new weights.
class Trials {
 public:
  /// `kept`: of how many settings, at least 1, matrices are kept; one of each kind per hold-out.
  Trials(std::vector<HoldOut> hold_outs, std::span<const Criterion> criteria,
         const FitResources& resources, std::size_t kept = 2)
      : kept_(kept),
        hold_outs_(std::move(hold_outs)),
        criteria_(criteria.begin(), criteria.end()),
        resources_(resources) {}

  /// One value per person and hold-out.
  [[nodiscard]] Worth worth(const Adaptive& settings);
  [[nodiscard]] Worth popularity();
  [[nodiscard]] std::size_t people() const noexcept;
  [[nodiscard]] const std::vector<HoldOut>& hold_outs() const noexcept { return hold_outs_; }
  /// mean(N_ii) (mean n)^-t: what lambda is multiplied by.
  [[nodiscard]] double ridge_unit(const Adaptive& settings);

 private:
  struct Kept {
    std::string name;
    std::vector<ItemMatrix> matrices;  // per hold-out
  };
  const std::vector<ItemMatrix>& grams(const Adaptive& settings);
  const std::vector<ItemMatrix>& kernels(const Adaptive& settings);

  std::size_t kept_;
  std::vector<HoldOut> hold_outs_;
  std::vector<Criterion> criteria_;
  FitResources resources_;
  std::deque<Kept> grams_, kernels_;
};

/// Mean, and the mean of b - a over the same people with its standard error.
[[nodiscard]] double mean(const Worth& worth);
struct Gain {
  double mean = 0, error = 0;
};
[[nodiscard]] Gain gain(const Worth& a, const Worth& b);

}  // namespace palate
