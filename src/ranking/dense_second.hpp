// Exact second orders on dense graphs, for those items alone that may be in someone's list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_buffer.hpp"
#include "base/thread_pool.hpp"
#include "kernels/dense/strip.hpp"
#include "ranking/certified_list.hpp"
#include "ranking/dense_graphs.hpp"

namespace palate {

/// Someone whose list is not certain yet.
struct Unsettled {
  std::size_t top = 0;
  const float* z = nullptr;   ///< by direction: a_2 x W
  std::vector<Radius> radii;  ///< per second branch
  std::vector<Candidate> candidates;
};

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

/// Leaves each person the candidates that are in their list or tie with it, `second` complete.
void settle_second_orders(const DenseGraphs& graphs, std::span<Unsettled* const> people,
                          const FirstOrders& y, ThreadPool& pool);

}  // namespace palate
