// The exact list of one person on a sparse state, by the walk of ranking/sparse_walk.hpp.
//
// Of a second order y p_i = r_i (v q_i), what the person's own items and the diagonal give is
// computed; the rest is at most r_i |v'| |q_i'|, v' being v without the person's own items and q_i'
// row i without its diagonal.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/recommender.hpp"
#include "live/rows.hpp"
#include "live/state.hpp"
#include "ranking/sparse_walk.hpp"

namespace palate::live {

/// What a walk asks of a state.
class SparseView {
 public:
  SparseView(const State& state, LinkReader& reader) : state_(state), reader_(reader) {
    for (std::size_t n = 0; n < second().size(); ++n) {
      const Bounds& bounds = state.links->bounds[plan().branches[second()[n]].values];
      near_[n] = {&bounds.blocks, bounds.ratio->data(), bounds.longest};
    }
  }

  [[nodiscard]] std::size_t items() const noexcept { return state_.items(); }
  [[nodiscard]] const FilterPlan& plan() const noexcept { return *state_.base->plan; }
  [[nodiscard]] std::span<const std::size_t> second() const noexcept { return state_.base->second; }
  [[nodiscard]] std::span<const std::uint32_t> columns(std::size_t g, std::uint32_t j) const {
    const Row& row = state_.links->graphs[g].rows[j];
    return {row.columns, row.size};
  }
  [[nodiscard]] const float* values(std::size_t b, std::uint32_t j) {
    return reader_.sparse_values(state_, plan().branches[b], j);
  }
  [[nodiscard]] double scale(std::size_t b, std::uint32_t j) const {
    return scale_of(state_, plan().branches[b], j);
  }
  [[nodiscard]] Near near(std::size_t n, std::uint32_t i) const {
    const BoundBlock& block = (*near_[n].blocks)[i / block_width];
    const float mine = ratio(n, i);
    return {mine * mine * block.diagonal[i % block_width], mine * block.outside[i % block_width]};
  }
  [[nodiscard]] float ratio(std::size_t n, std::uint32_t i) const { return near_[n].ratio[i]; }
  [[nodiscard]] float longest(std::size_t n) const { return near_[n].longest; }

 private:
  // Of the n-th of second(), at hand.
  struct NearBounds {
    const CowVector<BoundBlock, 1>* blocks;
    const float* ratio;
    float longest;
  };

  const State& state_;
  LinkReader& reader_;
  std::array<NearBounds, max_criteria> near_;
};

/// Scratch memory that is reused from person to person and from state to state; one per worker.
class SparsePerson {
 public:
  /// For plans without orders above two.
  [[nodiscard]] std::vector<ScoredItem> recommend(const State& state, const Query& query,
                                                  const Signal& signal) {
    SparseView view(state, reader_);
    return walk_.recommend(view, query, signal);
  }

 private:
  LinkReader reader_;
  SparseWalk<SparseView> walk_;
};

}  // namespace palate::live
