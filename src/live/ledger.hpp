// Ratings, and the sums over them that are not links: of items, and of the criteria preference.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "live/state.hpp"

namespace palate::live {

class Ledger {
 public:
  /// From the ratings of a state, which is given all sums over them.
  explicit Ledger(State& next);

  /// Items that are new in a state.
  void grow(State& next);

  /// One user's ratings become `row`, in the state and in all sums. Items whose totals change are
  /// added to `items`.
  void change(State& next, std::uint32_t user, std::shared_ptr<const OwnedRatings> row,
              std::vector<std::uint32_t>& items);
  /// Gives the state what follows from its totals and shares: how many rated each of the items
  /// that have changed, and the criteria preference.
  void publish(State& next, std::span<const std::uint32_t> items) const;

 private:
  void add_shares(const UserRatings& ratings, double sign);
  void sum_shares(const State& state);
  void change_total(State& next, std::uint32_t item, std::size_t criterion,
                    std::optional<float> before, std::optional<float> after);
  static void change_raters(State& next, std::uint32_t item, std::uint32_t user, bool rates);

  std::size_t width_;
  std::vector<double> t_;  // T of the criteria preference
};

/// Where an item stands in someone's ratings; ratings.size() if it does not.
[[nodiscard]] std::size_t position_of(const UserRatings& ratings, std::uint32_t item) noexcept;

}  // namespace palate::live
