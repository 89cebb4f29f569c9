// The exact list of one person on a sparse state: as ranking/sparse_person.hpp, from a person's few
// items to the few that are linked with them.
//
// Of a second order y p_i = r_i (v q_i), what the person's own items and the diagonal give is
// computed; the rest is at most r_i |v'| |q_i'|, v' being v without the person's own items and q_i'
// row i without its diagonal. Only where that does not settle the list are all items within two
// steps computed.
#pragma once

#include <vector>

#include "core/recommender.hpp"
#include "live/rows.hpp"
#include "live/state.hpp"
#include "ranking/graph_scorer.hpp"
#include "ranking/sparse_person.hpp"

namespace palate::live {

/// Scratch memory that is reused from person to person and from state to state; one per worker.
class SparsePerson {
 public:
  /// For plans without orders above two.
  [[nodiscard]] std::vector<ScoredItem> recommend(const State& state, const Query& query,
                                                  const Signal& signal);

 private:
  static constexpr std::uint8_t reached = 1;   // by the first order
  static constexpr std::uint8_t own = 2;       // in the person's signal
  static constexpr std::uint8_t excluded = 4;  // not wanted

  struct Candidate {
    float bound;  // no score can be higher
    std::uint32_t item;
  };

  void begin(const State& state, const Query& query, const Signal& signal);
  void end();
  void add_row(const State& state, std::size_t branch, std::uint32_t from, double x);
  void own_part(const State& state);
  [[nodiscard]] bool settle(const State& state, const Query& query, std::vector<ScoredItem>& list);
  [[nodiscard]] std::vector<ScoredItem> visit_all(const State& state, const Query& query);
  [[nodiscard]] float first(const State& state, std::uint32_t item) const;
  [[nodiscard]] double second(const State& state, std::uint32_t item);
  [[nodiscard]] bool eligible(const Query& query, std::uint32_t i) const noexcept {
    return (flags_[i] & excluded) == 0 && (query.allowed.empty() || query.allowed[i] != 0);
  }

  RowReader reader_;
  std::vector<std::uint32_t> items_;  // of the person
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint32_t> reached_;
  std::vector<std::vector<float>> y_;  // per branch: x P_f
  std::vector<float> own_;             // what own items add to the second order
  SparseSum<double> second_{0};
  std::vector<Candidate> candidates_;
};

}  // namespace palate::live
