// Scores of a sample of people under settings that change one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/item_graph.hpp"
#include "methods/ca_gf/criteria_preference.hpp"
#include "palate/model.hpp"

namespace palate {

/// A score is a sum over criteria, so trying another filter on one criterion needs that criterion's
/// term alone.
class ValidationScores {
 public:
  /// `train` is what the graph is built from, `validation` what the lists are judged by.
  ValidationScores(const Ratings& train, const Ratings& validation, const ChooseOptions& options,
                   ThreadPool& pool, const Progress& progress, std::size_t memory);

  [[nodiscard]] std::size_t people() const noexcept { return users_.size(); }

  /// A matrix people x items.
  using Scores = std::vector<float>;

  /// sum over the criteria in `set` of Chat[u,c] r_{u,c} f_c(P_s) for filters of one power:
  /// visit(k, panel scores of x P_s^k), k = 1..order.
  void add_term(const CriteriaPreference& preference, CriterionSet set, const Filter& filter,
                Scores& scores) const;
  /// The first and second power of the graph applied to the signals of one criterion.
  void powers(const CriteriaPreference& preference, std::size_t criterion, double power,
              Scores& first, Scores& second) const;

  /// NDCG@k of rest + a first + b second; `first` and `second` may be empty.
  [[nodiscard]] double ndcg(const Scores& rest, float a, const Scores& first, float b,
                            const Scores& second) const;

 private:
  template <class Visit>
  void filter(const CriteriaPreference& preference, CriterionSet set, double power,
              std::size_t order, const Visit& visit) const;
  [[nodiscard]] const Array<float>& adjusted(double power) const;

  Ratings train_;
  Ratings validation_;
  std::vector<std::uint8_t> relevant_;
  std::vector<std::uint32_t> users_;
  ItemGraph graph_;
  std::size_t at_;
  ThreadPool& pool_;
  mutable double adjusted_power_ = 1.0;
  mutable Array<float> adjusted_;
};

}  // namespace palate
