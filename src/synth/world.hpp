// The made-up world behind synthetic ratings: places with their strengths, people with their
// tastes, and how the two meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "palate/synth.hpp"

namespace palate {

/// Items, with one table that draws from all of them, from one taste group, or from the items of a
/// group that are strong in one aspect, always in proportion to popularity.
///
/// An aspect is what a criterion rates; without criteria there is one aspect that nobody sees.
class Places {
 public:
  Places(const SynthOptions& options, Random& random);

  [[nodiscard]] std::size_t aspects() const noexcept { return aspects_; }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::size_t group_of(std::uint32_t item) const noexcept { return group_[item]; }
  [[nodiscard]] const std::vector<std::uint32_t>& group_of_items() const noexcept { return group_; }
  /// How good the item is in each aspect, on the scale of ratings, before anybody's taste.
  [[nodiscard]] std::span<const float> merits(std::uint32_t item) const noexcept {
    return std::span(merits_).subspan(item * aspects_, aspects_);
  }

  [[nodiscard]] std::uint32_t draw(Random& random) const;
  /// From the group and strength, or from the nearest larger set that has an item.
  [[nodiscard]] std::uint32_t draw(std::size_t group, std::size_t strength, Random& random) const;

 private:
  [[nodiscard]] std::uint32_t draw_between(std::size_t begin, std::size_t end,
                                           Random& random) const;

  std::size_t aspects_;
  std::size_t groups_;
  std::vector<std::uint32_t> group_;
  std::vector<float> merits_;
  std::vector<std::uint32_t> order_;  // items by (group, strongest aspect)
  std::vector<double> cumulative_;    // popularity up to and including order_[k]
  std::vector<std::size_t> cells_;    // where each (group, aspect) begins in order_; one more
};

/// One user.
class MadeUpPerson {
 public:
  MadeUpPerson(const Places& places, std::uint64_t seed);

  [[nodiscard]] Random& random() noexcept { return random_; }
  /// From -1 (matters most to the person) to 1 (matters least); 0 on average over the aspects.
  [[nodiscard]] double indifference(std::size_t aspect) const noexcept {
    return indifference_[aspect];
  }
  /// An item that the person might try next; may repeat.
  [[nodiscard]] std::uint32_t choose(const Places& places);
  /// How much the person liked each aspect of the item, and the whole (returned), unrounded.
  double judge(const Places& places, std::uint32_t item, double noise, std::span<double> aspects);

 private:
  [[nodiscard]] double taste_for(std::size_t group) const noexcept;

  static constexpr std::size_t favourites = 3;
  Random random_;
  std::size_t group_[favourites] = {};  // taste groups, the dearest first
  double share_[favourites] = {};       // of choices by taste
  std::vector<double> weight_;          // of each aspect; sums to 1
  std::vector<double> attention_;       // of each aspect: how far it moves the person, 0 to 1
  std::vector<double> indifference_;
  double mood_ = 0;  // generous or severe
};

/// Pleasant made-up names of places to eat (titles.cpp): one title per item, no two alike; items of
/// one taste group share kinds of places, so that a list of recommendations reads as one person's
/// taste.
[[nodiscard]] std::vector<std::string> make_titles(const std::vector<std::uint32_t>& group_of_item,
                                                   std::uint64_t seed);

}  // namespace palate
