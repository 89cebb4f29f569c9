#include "api/ratings_view.hpp"

namespace palate {

ItemTotal FittedRatings::total(std::uint32_t item, std::size_t criterion) const {
  const std::size_t width = ratings_.criteria().size();
  std::call_once(added_up_, [&] {
    std::vector<ItemTotal> totals(ratings_.items() * width);
    for (std::uint32_t user = 0; user < ratings_.users(); ++user) {
      const UserRatings row = ratings_.of(user);
      for (std::size_t k = 0; k < row.size(); ++k) {
        for (std::size_t c = 0; c < width; ++c) {
          if ((row.present[k] >> c & 1U) == 0) continue;
          ItemTotal& total = totals[row.items[k] * width + c];
          total.sum += static_cast<double>(row.values[k * width + c]);
          ++total.count;
        }
      }
    }
    totals_ = std::move(totals);
  });
  return totals_[item * width + criterion];
}

}  // namespace palate
