// One state of a live model: ratings, graphs and what bounds second orders, immutable once it is
// handed out. States share all that did not change between them.
//
// Items have places in the graphs: on dense graphs those of the fitted model, the most popular
// first, on sparse ones their indices. What came later stands behind, at its index.
//
// As in graph/dense_graph.hpp, a row holds log2 N_ij, and P_f[i,j] = N_ij^s (d_i d_j)^(-s/2), with
// shift_i = -log2(d_i) / 2. A changed rating thus changes N for the pairs of one user, and shift of
// one item.
//
// Second orders y p_i are bounded on a graph Q that is normalised by shifts of its own, those of an
// earlier day, so that it changes with N alone:
//
//   Q_ij = 2^(s (log2 N_ij + old_i + old_j)),   P_ij = r_i Q_ij r_j,
//   r_i = 2^(s (shift_i - old_i)),   y p_i = r_i (v q_i),   v_j = y_j r_j
//
// and with any fixed orthonormal Z, U_i = Z^T q_i, the primes being the parts outside Z,
//
//   v q_i = (v Z) U_i + v' q_i',   |v' q_i'| <= |v'| |q_i'|.
//
// So U_i and |q_i| change for the rows of one user's items alone.
//
// A person's ratings count at once; the links may be those of an earlier version of the state and
// follow a moment later, for many people's changes at a time. Each state is consistent in itself.
//
// All of that is CA-GF's. Lists of other methods rest on no links (Foundation).
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/learned_ratings.hpp"
#include "graph/dense_graph.hpp"
#include "graph/filter_plan.hpp"
#include "kernels/graph/packed_row.hpp"
#include "live/cow_vector.hpp"
#include "live/names.hpp"
#include "methods/ca_gf/criteria_preference.hpp"
#include "palate/ratings.hpp"

namespace palate::live {

using kernels::block_width;

[[nodiscard]] constexpr std::size_t blocks_for(std::size_t items) noexcept {
  return (items + block_width - 1) / block_width;
}

/// What lists rest on besides the ratings of whoever asks, and how that follows new ratings.
enum class Foundation {
  links,   ///< the item graph: exactly, a moment later
  counts,  ///< how many people rated each item: exactly, at once
  fit,     ///< what a fit made of all ratings: not before the next fit
};

/// What every state of one live model shares: the fitted model it began with.
struct Base {
  Ratings ratings;
  std::size_t most_of_one = most_learned_of_one;  ///< core/learned_ratings.hpp
  Foundation foundation = Foundation::fit;
  // The rest is empty where lists do not rest on links.
  std::shared_ptr<const FilterPlan> plan;
  bool dense = false;
  ItemOrder order;                 ///< dense only
  std::vector<DenseGraph> graphs;  ///< dense only
  /// One per (graph, power) of the plan, empty where there are none: the columns of Z in strips of
  /// 16, each with one row of 16 floats per place of the model.
  std::vector<std::vector<std::vector<float>>> directions;
  bool higher = false;              ///< whether some branch is of order above two
  std::vector<std::size_t> first;   ///< branches with a first order
  std::vector<std::size_t> second;  ///< branches with a second order, none higher

  [[nodiscard]] std::size_t criteria() const noexcept { return ratings.criteria().size(); }
  [[nodiscard]] std::uint32_t place_of(std::uint32_t item) const noexcept {
    return item < order.items() ? order.place_of[item] : item;
  }
  [[nodiscard]] std::uint32_t item_at(std::uint32_t place) const noexcept {
    return place < order.items() ? order.item_at[place] : place;
  }
  [[nodiscard]] bool bounds_needed(std::size_t values) const noexcept;
};

struct OwnedRatings {
  std::vector<std::uint32_t> items;
  std::vector<float> values;
  std::vector<std::uint32_t> present;

  [[nodiscard]] UserRatings view() const noexcept { return {items, values, present, {}}; }
};

struct User {
  UserRatings ratings;
  std::shared_ptr<const OwnedRatings> owner;  ///< none where they are still those of the model
  bool known = true;
  std::uint64_t changed = 0;  ///< the version that gave them
  /// Where these are more than are learned from of one person: those that are.
  std::shared_ptr<const OwnedRatings> learned = {};

  /// What counts for others.
  [[nodiscard]] UserRatings for_others() const noexcept {
    return learned ? learned->view() : ratings;
  }
};

/// One criterion of one item.
struct Total {
  double sum = 0;
  std::uint32_t count = 0;
};

/// Links of one item, by place.
struct Row {
  const std::uint16_t* masks = nullptr;    ///< dense: as kernels::PackedRow
  const std::uint32_t* columns = nullptr;  ///< sparse: ascending
  const float* logs = nullptr;             ///< log2 N; 16 more may be read
  std::uint32_t size = 0;                  ///< dense: blocks; sparse: links
  std::shared_ptr<const void> owner;       ///< none where it is still that of the model
};

using Floats = std::shared_ptr<const std::vector<float>>;

struct Graph {
  CowVector<Row, 16> rows;
  Floats shift;  ///< stride() numbers, 0 where there are no ratings
  std::size_t entries = 0;
};

/// Of 16 places. On sparse graphs there is no Z, and the diagonal stands apart.
struct BoundBlock {
  std::vector<float> directions;              ///< U, direction by direction
  std::array<float, block_width> outside{};   ///< |q_i'|, never too small
  std::array<float, block_width> lengths{};   ///< |q_i|
  std::array<float, block_width> diagonal{};  ///< Q_ii; sparse only
};

struct Bounds {
  CowVector<BoundBlock, 1> blocks;  ///< empty where no filter of second order uses them
  Floats ratio;                     ///< r, stride() numbers
  Floats reach;                     ///< r_i |q_i|, stride() numbers, never too small
  float longest = 0;                ///< sparse only: no r_i |q_i| is larger
};

/// The graphs, and what bounds second orders on them.
struct Links {
  std::size_t items = 0;       ///< known or not: all of them have a place
  std::vector<Graph> graphs;   ///< one per graph of the plan
  std::vector<Bounds> bounds;  ///< one per (graph, power) of the plan

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_for(items); }
  [[nodiscard]] std::size_t stride() const noexcept { return blocks() * block_width; }
};

/// With places for the items that came since, without any link.
[[nodiscard]] std::shared_ptr<const Links> covering(std::shared_ptr<const Links> links,
                                                    const Base& base, std::size_t items);

/// Of one item, ascending.
using Raters = std::shared_ptr<const std::vector<std::uint32_t>>;

struct State {
  std::shared_ptr<const Base> base;
  std::uint64_t version = 0;
  std::vector<Criterion> criteria;
  CowVector<User, 256> users;
  Names added_users;
  Names added_items;
  CowVector<std::shared_ptr<const std::string>, 256> titles;  ///< null: that of the model
  std::shared_ptr<const std::vector<std::uint8_t>> known_items;
  CowVector<Total, 256> totals;  ///< item * criteria + criterion
  CowVector<Raters, 64> raters;  ///< by item: who rated it on any criterion
  Floats rater_counts;           ///< by item: how many people rated it overall
  CriteriaPreference preference{0};
  std::shared_ptr<const Links>
      links;                        ///< have a place for every item; null if lists rest on others
  std::uint64_t graph_version = 0;  ///< of the state whose ratings the foundation counts
  std::size_t behind = 0;           ///< ratings changed since that one
  std::chrono::steady_clock::time_point behind_since;  ///< when the first of them came
  std::size_t user_count = 0, item_count = 0, interactions = 0;

  /// Known or not: indices are below it.
  [[nodiscard]] std::size_t items() const noexcept { return known_items->size(); }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_for(items()); }
  [[nodiscard]] std::size_t stride() const noexcept { return blocks() * block_width; }

  [[nodiscard]] std::uint32_t place_of(std::uint32_t item) const noexcept {
    return base->place_of(item);
  }
  [[nodiscard]] std::uint32_t item_at(std::uint32_t place) const noexcept {
    return base->item_at(place);
  }
  [[nodiscard]] const Total& total(std::size_t item, std::size_t criterion) const noexcept {
    return totals[item * base->criteria() + criterion];
  }

  /// Those that are gone are not found.
  [[nodiscard]] std::optional<std::uint32_t> find_user(std::string_view id) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> find_item(std::string_view id) const noexcept;
  [[nodiscard]] std::string_view user_id(std::uint32_t user) const noexcept;
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept;
  [[nodiscard]] std::string_view item_title(std::uint32_t item) const noexcept;
  /// Also of those that are gone.
  [[nodiscard]] std::optional<std::uint32_t> user_index(std::string_view id) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> item_index(std::string_view id) const noexcept;

  /// User::learned for someone with these ratings.
  [[nodiscard]] std::shared_ptr<const OwnedRatings> learned_of(const UserRatings& ratings) const;

  /// About what the links take, with those of the model it began with.
  [[nodiscard]] std::size_t link_bytes() const noexcept;
};

}  // namespace palate::live
