// First orders of many people on dense graphs, from floats: all of them where second orders need
// them, and those of single items where codes have left the list open.
#pragma once

#include <span>

#include "ranking/dense_people.hpp"

namespace palate {

/// y of the second-order branches, complete, and from it everybody's radii.
[[nodiscard]] FirstOrders first_orders(const DenseGraphs& graphs, DensePeople& people,
                                       ThreadPool& pool);

/// Of everybody's candidates: first, estimate and radius, to the bit what DensePerson finds. Those
/// branches that are not in `open` are taken from y.
void settle_first_orders(const DenseGraphs& graphs, DensePeople& people,
                         std::span<const std::size_t> open, const FirstOrders& y, ThreadPool& pool);

}  // namespace palate
