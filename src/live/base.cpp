#include "live/base.hpp"

#include <cmath>

#include "graph/tolerances.hpp"
#include "methods/ca_gf/ca_gf.hpp"
#include "methods/popularity/popularity.hpp"
#include "ranking/dense_scorer.hpp"
#include "ranking/whole_scorer.hpp"

namespace palate::live {
namespace {

// Columns that are orthonormal and span what those of W do, in strips of 16; 0 where W has fewer
// directions. Modified Gram-Schmidt, twice, in double.
std::vector<std::vector<float>> orthonormal_strips(const Subspace& space, std::size_t items) {
  const std::size_t rank = space.rank;
  std::vector<std::vector<double>> columns(rank, std::vector<double>(items));
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t r = 0; r < rank; ++r) {
      columns[r][i] = static_cast<double>(space.coordinates[i * rank + r]);
    }
  }
  const auto dot = [items](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < items; ++i) sum += a[i] * b[i];
    return sum;
  };
  for (std::size_t r = 0; r < rank; ++r) {
    const double whole = std::sqrt(dot(columns[r], columns[r]));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t q = 0; q < r; ++q) {
        const double along = dot(columns[r], columns[q]);
        for (std::size_t i = 0; i < items; ++i) columns[r][i] -= along * columns[q][i];
      }
    }
    const double left = std::sqrt(dot(columns[r], columns[r]));
    const double factor =
        left > tolerance::lost_direction * whole && left > tolerance::shortest_direction ? 1 / left
                                                                                         : 0.0;
    for (double& x : columns[r]) x *= factor;
  }
  std::vector<std::vector<float>> strips(rank / block_width,
                                         std::vector<float>(items * block_width));
  for (std::size_t r = 0; r < rank; ++r) {
    for (std::size_t i = 0; i < items; ++i) {
      strips[r / block_width][i * block_width + r % block_width] =
          static_cast<float>(columns[r][i]);
    }
  }
  return strips;
}

void find_orders(Base& base) {
  for (std::size_t b = 0; b < base.plan->branches.size(); ++b) {
    const auto& a = base.plan->branches[b].coefficients;
    if (a[0] != 0) base.first.push_back(b);
    if (a.size() == 2 && a[1] != 0) base.second.push_back(b);
    base.higher |= a.size() > 2;
  }
}

void set_directions(Base& base, std::span<const Subspace> subspaces) {
  base.dense = true;
  for (std::size_t v = 0; v < base.directions.size(); ++v) {
    if (!base.bounds_needed(v)) continue;
    base.directions[v] = orthonormal_strips(subspaces[v], base.ratings.items());
  }
}

void set_links(Base& base, const CaGfRecommender& fitted) {
  base.foundation = Foundation::links;
  base.plan = fitted.shared_plan();
  base.directions.resize(base.plan->powers.size());
  find_orders(base);
  if (const auto* dense = dynamic_cast<const DenseScorer*>(&fitted.scorer())) {
    base.order = dense->graphs().order;
    base.graphs = dense->graphs().graphs;
    set_directions(base, dense->graphs().subspaces);
  } else if (const auto* whole = dynamic_cast<const WholeScorer*>(&fitted.scorer())) {
    // A rating changes all of a filter, but only few links.
    base.order = whole->graphs().order;
    base.graphs = whole->graphs().graphs;
    ThreadPool here(1);
    set_directions(base, second_order_subspaces(*base.plan, base.graphs, false, here));
  }
}

}  // namespace

std::shared_ptr<const Base> make_base(const Ratings& ratings, const Recommender& fitted) {
  auto base = std::make_shared<Base>();
  base->ratings = ratings;
  const auto* ca_gf = dynamic_cast<const CaGfRecommender*>(&fitted);
  if (ca_gf != nullptr && ca_gf->computation().storage != Storage::bounded) {
    set_links(*base, *ca_gf);
  } else if (dynamic_cast<const PopularityRecommender*>(&fitted) != nullptr) {
    base->foundation = Foundation::counts;
  }
  return base;
}

State first_state(std::shared_ptr<const Base> base) {
  State state;
  const Ratings& ratings = base->ratings;
  state.criteria.assign(ratings.criteria().begin(), ratings.criteria().end());
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    state.users.push_back({ratings.of(u), nullptr, true, 0}, 0);
  }
  for (std::size_t i = 0; i < ratings.items(); ++i) state.titles.push_back(nullptr, 0);
  state.known_items = std::make_shared<const std::vector<std::uint8_t>>(ratings.items(), 1);
  state.user_count = ratings.users();
  state.item_count = ratings.items();
  state.base = std::move(base);
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    auto learned = state.learned_of(state.users[u].ratings);
    if (learned) state.users.edit(u, 0).learned = std::move(learned);
  }
  return state;
}

}  // namespace palate::live
