// What descriptions and fits of spectral methods have in common.
#pragma once

#include "base/stage_clock.hpp"
#include "methods/describe.hpp"
#include "methods/spectral/leading_pairs.hpp"
#include "methods/spectral/spectral_recommender.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {

/// The settings `input` and `least`, of a struct with a GraphInput called input.
template <class Settings>
void describe_input(Describe<Settings>& method) {
  method
      .setting([](Settings& settings) -> GraphInput::Values& { return settings.input.values; },
               {.name = "input",
                .help = "raw: ratings count as they are. binary: what was rated counts 1.",
                .choices = {"raw", "binary"}})
      .setting([](Settings& settings) -> double& { return settings.input.least; },
               {.name = "least", .help = "Ratings below it do not count.", .least = 0});
}

/// The settings `rank` and `ideal`.
template <class Settings>
void describe_ideal(Describe<Settings>& method) {
  method
      .setting(&Settings::rank,
               {.name = "rank",
                .help = "Leading directions of the graph that the ideal filter lets through; 0: "
                        "none.",
                .most = 4096})
      .setting(&Settings::ideal,
               {.name = "ideal", .help = "How much the ideal filter counts.", .least = 0});
}

/// score += ideal r N^-power V V^T N^power, with V the leading directions of the term's graph and N
/// the sums of its items. `after`: what else the right factor goes through; empty: nothing.
inline void add_ideal(SpectralTerm& term, std::size_t rank, double ideal, double power,
                      const Polynomial& after, const FitResources& resources) {
  if (ideal == 0 || rank == 0) return;
  const LeadingPairs pairs = leading_directions(term.matrix, rank, resources);
  const auto scaled = [&](double exponent) -> Eigen::MatrixXd {
    const std::vector<double> by = powers(term.matrix.item_sums, exponent);
    return Eigen::Map<const Eigen::VectorXd>(by.data(), static_cast<Eigen::Index>(by.size()))
               .asDiagonal() *
           pairs.vectors;
  };
  term.left = scaled(-power);
  term.right = ideal * scaled(power);
  if (!after.empty()) term.right = apply(after, term.matrix, Block(term.right), resources.pool);
}

/// Throws Error{too_large} where graphs of so many criteria and `rank` directions do not fit.
inline void check_memory(const Ratings& train, std::size_t graphs, std::size_t rank,
                         const FitResources& resources) {
  const auto items = static_cast<double>(train.items());
  constexpr double per_rating = 2 * (8 + 4 + 4 + 4);  // both ways, in both precisions
  const auto many = static_cast<double>(graphs);
  MemoryBudget(resources.memory)
      .check(many * (static_cast<double>(train.interactions()) * per_rating +
                     items * static_cast<double>(rank) * 2 * sizeof(float)) +
                 leading_pairs_bytes(train.items(), rank),
             "fewer leading directions (rank) take less memory");
}

/// A fit over one graph with an ideal filter, and what it is loaded as; a method says which term
/// its settings make.
template <class Settings>
struct OneGraph {
  SpectralTerm (*term_of)(const Ratings& train, const Settings& settings);
  double power = 0.5;  ///< of add_ideal

  /// `after`: as add_ideal has it.
  [[nodiscard]] std::unique_ptr<const Recommender> fit(const Ratings& train,
                                                       const Settings& settings,
                                                       const FitResources& resources,
                                                       const Polynomial& after = {}) const {
    check_memory(train, 1, settings.rank, resources);
    StageClock clock(resources.stages);
    SpectralTerm term = term_of(train, settings);
    clock.done("graph");
    add_ideal(term, settings.rank, settings.ideal, power, after, resources);
    clock.done("directions");
    return std::make_unique<SpectralRecommender>(std::vector{std::move(term)}, settings.input,
                                                 train.items(), train.criteria().size());
  }
  [[nodiscard]] std::unique_ptr<const Recommender> load(const Parts& parts,
                                                        const Settings& settings,
                                                        const Ratings& train) const {
    return SpectralRecommender::load(parts, {term_of(train, settings)}, settings.input, train);
  }
};

}  // namespace palate
