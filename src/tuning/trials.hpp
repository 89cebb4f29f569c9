// What settings of the method adaptive are worth on ratings held back.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fit_resources.hpp"
#include "methods/adaptive/adaptive.hpp"
#include "methods/adaptive/kernel.hpp"
#include "methods/adaptive/wide_kernel.hpp"
#include "tuning/hold_out.hpp"

namespace palate {

/// How N and K are computed and kept while settings are tried.
struct TrialForm {
  bool sparse_graphs = false;            ///< graphs by their links alone
  std::optional<WideOptions> wide = {};  ///< none: ridges are inverted as a whole
  bool pairs = true;                     ///< ridges are kept as matrices of all pairs
  std::size_t kept = 2;                  ///< of how many settings they are kept, at least 1
};

/// Tries settings on several hold-outs. Weights that were computed lately are kept, so that only
/// what changed is computed again: powers of items and of ratings cost no new weights.
class Trials {
 public:
  Trials(std::vector<std::shared_ptr<const HoldOut>> hold_outs, std::span<const Criterion> criteria,
         const FitResources& resources, const TrialForm& form = {})
      : form_(form),
        hold_outs_(std::move(hold_outs)),
        criteria_(criteria.begin(), criteria.end()),
        resources_(resources) {}

  /// One value per person and hold-out. What was tried before is known.
  [[nodiscard]] const Worth& worth(const Adaptive& settings);
  [[nodiscard]] Worth worth(const Method& method) const;
  [[nodiscard]] std::size_t people() const noexcept;
  /// Different people: of the hold-out that has the most.
  [[nodiscard]] std::size_t people_at_once() const noexcept;
  [[nodiscard]] std::size_t items() const noexcept { return hold_outs_.front()->items(); }
  [[nodiscard]] double mean_raters() const noexcept;
  /// mean(N_ii) (mean n)^-t: what lambda is multiplied by.
  [[nodiscard]] double ridge_unit(const Adaptive& settings) const;

 private:
  // N or K of one hold-out.
  struct Matrix {
    ItemMatrix dense;  // empty: sparse
    ItemGraph sparse;  // K by source
  };
  struct Kept {
    std::string name;
    std::vector<Matrix> matrices;  // per hold-out
  };
  [[nodiscard]] Worth judged(const Adaptive& settings);
  const std::vector<Matrix>& grams(const Adaptive& settings);
  const std::vector<Matrix>& kernels(const Adaptive& settings);
  [[nodiscard]] bool sparse(const Adaptive& settings) const;
  [[nodiscard]] FitResources quietly() const;

  TrialForm form_;
  std::vector<std::shared_ptr<const HoldOut>> hold_outs_;
  std::vector<Criterion> criteria_;
  FitResources resources_;
  std::deque<Kept> grams_, kernels_;
  std::map<std::string, Worth> known_;
};

/// Mean, and the mean of b - a over the same people with its standard error.
[[nodiscard]] double mean(const Worth& worth);
struct Gain {
  double mean = 0, error = 0;
};
[[nodiscard]] Gain gain(const Worth& a, const Worth& b);

}  // namespace palate
