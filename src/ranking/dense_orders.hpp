// The orders of many people's scores on dense graphs, from floats: first orders, all of them where
// second orders need them and those of single items where codes have left the list open; and exact
// second orders, for those items alone that may be in someone's list.
#pragma once

#include <span>

#include "ranking/dense_people.hpp"

namespace palate {

/// y = x P_f of many people: strips of 16 items by block, person and second branch.
class FirstOrders {
 public:
  FirstOrders() = default;
  FirstOrders(std::size_t people, std::size_t branches, std::size_t items)
      : people_(people), branches_(branches), y_(people * branches * items, Contents::any) {}

  [[nodiscard]] float* of(std::size_t m, std::size_t person, std::size_t block) const noexcept {
    return y_.data() + block * stride() + (person * branches_ + m) * kernels::block_width;
  }
  /// From one block to the next.
  [[nodiscard]] std::size_t stride() const noexcept {
    return people_ * branches_ * kernels::block_width;
  }

 private:
  std::size_t people_ = 0;
  std::size_t branches_ = 0;
  HugeBuffer<float> y_;
};

/// y of the second-order branches, complete, and from it everybody's radii.
[[nodiscard]] FirstOrders first_orders(const DenseGraphs& graphs, DensePeople& people,
                                       ThreadPool& pool);

/// Of everybody's candidates: first, estimate and radius, to the bit what DensePerson finds. Those
/// branches that are not in `open` are taken from y.
void settle_first_orders(const DenseGraphs& graphs, DensePeople& people,
                         std::span<const std::size_t> open, const FirstOrders& y, ThreadPool& pool);

/// Leaves each person the candidates that are in their list or tie with it, `second` complete.
void settle_second_orders(const DenseGraphs& graphs, DensePeople& people, const FirstOrders& y,
                          ThreadPool& pool);

}  // namespace palate
