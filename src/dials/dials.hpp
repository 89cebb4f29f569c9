// From the weights that a person sets to what they do to scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/recommender.hpp"
#include "dials/contrasts.hpp"

namespace palate {

/// g of one criterion, for weights above and below 1.
struct DialStrength {
  float up = 0, down = 0;

  friend bool operator==(const DialStrength&, const DialStrength&) = default;
};

/// A dial that is not at 1.
struct TurnedDial {
  std::size_t criterion = 0;
  double weight = 1;
  float step = 0;  ///< g log2(weight): what one standard deviation adds to the logarithm of a score
};

/// Dials turn no further than this many doublings or halvings.
inline constexpr double most_doublings = 6;

/// The dials that weights, one per criterion, turn. Empty if all are 1.
[[nodiscard]] std::vector<TurnedDial> turn(std::span<const DialStrength> strengths,
                                           std::span<const double> weights);

/// The boost of every item.
[[nodiscard]] std::vector<float> boosts(const Contrasts& contrasts,
                                        std::span<const TurnedDial> turned);

/// What each dial adds to the score of an item: in all boosted(score) - score, shared out by what
/// each adds to the logarithm.
[[nodiscard]] std::vector<double> dial_parts(const Contrasts& contrasts,
                                             std::span<const TurnedDial> turned, std::uint32_t item,
                                             double score, float boost);

/// How far a weight of 2 moves the contrast of the ten best items, in standard deviations.
inline constexpr double shift_of_a_doubling = 0.38;

/// Strengths by which a weight of 2 moves these people's lists by shift_of_a_doubling and 1/2 by as
/// much the other way. Where lists cannot be moved so far, as strong as a dial may be.
[[nodiscard]] std::vector<DialStrength> calibrate_dials(const Recommender& recommender,
                                                        const Contrasts& contrasts,
                                                        std::span<const Query> people,
                                                        ThreadPool& pool);
/// So many people, and so many of their best items, are enough for that: with more, strengths
/// change by less than a twentieth.
inline constexpr std::size_t people_for_dials = 256;
inline constexpr std::size_t items_for_dials = 100;

}  // namespace palate
