// The exact list of one person on a dense state (state.hpp).
#pragma once

#include <vector>

#include "core/recommender.hpp"
#include "live/rows.hpp"
#include "live/state.hpp"
#include "ranking/certified_list.hpp"
#include "ranking/graph_scorer.hpp"

namespace palate::live {

/// Scratch memory that is reused from person to person and from state to state; one per worker.
class DensePerson {
 public:
  /// For plans without orders above two.
  [[nodiscard]] std::vector<ScoredItem> recommend(const State& state, const Query& query,
                                                  const Signal& signal);

 private:
  class View;
  // Of one second branch: a_2 v Z, and how far a second order may lie from its estimate, as
  // factors of r_i |q_i'| and of r_i |q_i|.
  struct Projection {
    std::vector<float> z;
    float outside = 0;
    float slack = 0;
    float most = 0;  // what a second order may add at most, as a factor of r_i |q_i|
  };

  void first_orders(const State& state, const Signal& signal);
  void project(const State& state, std::size_t ratings);
  void add_first(const State& state, const Query& query);
  void bound_scores(const State& state);

  LinkReader reader_;
  std::vector<std::vector<float>> y_;  // per branch: x P_f
  std::vector<float> v_, first_, bound_;
  std::vector<Projection> projections_;  // per second branch
  std::vector<float> boost_;             // by place; empty if there is none
  CertifiedList list_;
};

}  // namespace palate::live
