#include "ranking/computation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/ratings_data.hpp"
#include "ranking/memory_budget.hpp"
#include "ranking/whole_filters.hpp"

namespace palate {
namespace {

// From this share of linked pairs on, whole rows are cheaper than lists of links.
constexpr double dense_from = 0.02;
// Of a dense graph, powers of the normalisation d_i^(s/2) are taken apart from the rest: they must
// be floats with room to spare, 2^-widest to 2^widest.
constexpr double widest = 100;
constexpr std::size_t sampled_items = 64;
constexpr std::size_t default_neighbours = 400;
// Links per item beyond which lists of links are too long to be followed twice for everybody.
constexpr double long_lists = 1000;

std::string percent(double share) {
  const double value = 100 * share;
  if (value >= 10) return fmt::format("{:.0f} %", value);
  return fmt::format("{:.2g} %", value);
}

constexpr const char* with_less = "fewer neighbours per item need less, and so do fewer items";

struct Shape {
  Shape(const Ratings& ratings, std::size_t criteria_used, std::size_t graph_count,
        std::size_t power_count)
      : users(static_cast<double>(ratings.users())),
        items(static_cast<double>(ratings.items())),
        interactions(static_cast<double>(ratings.interactions())),
        criteria(static_cast<double>(criteria_used)),
        graphs(static_cast<double>(graph_count)),
        powers(static_cast<double>(power_count)) {}

  double users, items, interactions, criteria, graphs, powers;
  double seconds = 0;         // branches whose second orders are computed
  double seconds_at_all = 0;  // branches that have one
};

bool powers_fit(const Ratings& ratings, const FilterPlan& plan) {
  double power = 0;
  for (const auto& adjusted : plan.powers) power = std::max(power, adjusted.power);
  // Mostly the range of the ratings says it: d_i lies between the least and the sum of all.
  double least = std::numeric_limits<double>::infinity();
  double all = 1;
  for (const Criterion& criterion : ratings.criteria()) {
    least = std::min(least, static_cast<double>(criterion.min));
    all += static_cast<double>(criterion.max) * static_cast<double>(ratings.users());
  }
  if (least > 0 && power * std::max(std::abs(std::log2(least)), std::log2(all)) / 2 <= widest) {
    return true;
  }
  for (const CriterionSet graph : plan.graphs) {
    for (const double d : item_sums(ratings, graph)) {
      if (d > 0 && power * std::abs(std::log2(d)) / 2 > widest) return false;
    }
  }
  return true;
}

double dense_bytes(const Shape& shape, const GraphEstimate& graph) {
  const double pairs = shape.items * shape.items;
  const double stored = shape.graphs * (4 * graph.room + pairs / 4);
  const double building = shape.interactions * (1.3 * 4 * (shape.criteria + 1) + 12);
  // Those who ask at once: first orders, bounds of strips, and their entries.
  const double batch = std::min(1.2e9, shape.users * shape.items * 4 * shape.seconds) +
                       std::min(shape.users, 65536.0) * shape.items / 8 +
                       30 * std::min(shape.interactions, 1e8) + 100e6;
  return stored + std::max(building, batch);
}

// Where the lists of everybody are short sums over whole filters.
double whole_bytes(const Shape& shape, const GraphEstimate& graph, const FilterPlan& plan) {
  Shape first = shape;
  first.seconds = 0;
  return dense_bytes(first, graph) +
         whole_filter_bytes(shape.items, static_cast<double>(plan.branches.size()));
}

// Filters of first order alone are quick on packed rows.
bool worth_multiplying(const Ratings& ratings, const FilterPlan& plan) {
  return ratings.items() <= plan.whole_items && plan.solver != Solver::fast &&
         std::any_of(plan.branches.begin(), plan.branches.end(),
                     [](const Branch& branch) { return filter_order(branch) > 1; });
}

// Lists of links, by how many there are: columns and values, what they take while they are put
// together, and a copy of the values for each power.
double link_bytes(const Shape& shape, double entries, double together) {
  return shape.graphs * entries * (8 + together) + shape.powers * entries * 4 +
         shape.interactions * (4 * shape.criteria + 12) + 50e6;
}

// The upper triangle is mirrored.
double sparse_bytes(const Shape& shape, const GraphEstimate& graph) {
  return link_bytes(shape, graph.entries, 6);
}

double bounded_bytes(const Shape& shape, double neighbours) {
  return link_bytes(shape, shape.items * std::min(shape.items, 2 * neighbours), 12);
}

}  // namespace

std::string_view storage_name(Storage storage) noexcept {
  switch (storage) {
    case Storage::dense:
      return "dense";
    case Storage::sparse:
      return "sparse";
    case Storage::whole:
      return "whole";
    default:
      return "bounded";
  }
}

GraphEstimate estimate_graph(const Ratings& ratings) {
  const Ratings::Data& data = ratings.data();
  const auto items = static_cast<double>(ratings.items());
  double pairs = 0;
  for (std::size_t u = 0; u < ratings.users(); ++u) {
    const auto n = static_cast<double>(data.offsets[u + 1] - data.offsets[u]);
    pairs += n * n;
  }
  const double most = std::max(1.0, items * items);
  if (pairs < dense_from * most) return {pairs / most, pairs, pairs};
  // Items at even steps of popularity, and whom their raters also rated.
  const ItemOrder order = popularity_order(ratings);
  constexpr auto none = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> sample_of(ratings.items(), none);
  const std::size_t samples = std::min(sampled_items, ratings.items());
  for (std::uint32_t s = 0; s < samples; ++s) {
    sample_of[order.item_at[(2 * s + 1) * ratings.items() / (2 * samples)]] = s;
  }
  std::vector linked(samples, std::vector<std::uint8_t>(ratings.items()));
  // While a dense graph is built, a row has room for each of these, or for all items before it.
  std::vector<double> before(samples, 0.0);
  for (std::size_t u = 0; u < ratings.users(); ++u) {
    const auto row =
        data.items.span().subspan(data.offsets[u], data.offsets[u + 1] - data.offsets[u]);
    for (const std::uint32_t item : row) {
      if (sample_of[item] == none) continue;
      for (const std::uint32_t other : row) {
        linked[sample_of[item]][other] = 1;
        before[sample_of[item]] += order.place_of[other] < order.place_of[item] ? 1 : 0;
      }
    }
  }
  double links = 0;
  for (const auto& one : linked) links += std::accumulate(one.begin(), one.end(), 0.0);
  double before_all = 0;
  for (std::uint32_t item = 0; item < sample_of.size(); ++item) {
    if (sample_of[item] == none) continue;
    before_all += std::min(before[sample_of[item]], static_cast<double>(order.place_of[item]));
  }
  const double share = 1 / (static_cast<double>(samples) * items);
  const double density = links * share;
  return {density, density * most, std::min(1.0, density / 2 + before_all * share) * most};
}

Computation choose_computation(const Ratings& ratings, const FilterPlan& plan, std::size_t memory) {
  Shape shape(ratings, plan.criteria, plan.graphs.size(), plan.powers.size());
  bool higher = false;
  for (const Branch& branch : plan.branches) {
    shape.seconds_at_all += branch.coefficients.size() == 2 ? 1 : 0;
    shape.seconds += branch.coefficients.size() == 2 && plan.solver != Solver::fast ? 1 : 0;
    higher |= branch.coefficients.size() > 2;
  }
  const GraphEstimate graph = estimate_graph(ratings);
  const MemoryBudget budget(memory);
  const double room = budget.bytes();
  const std::string about =
      fmt::format("about {} of all pairs of items are linked", percent(graph.density));
  Computation out;
  // On lists of links the exact solver is quick, as long as these are all links of few.
  out.exact = plan.solver != Solver::fast || higher;
  const auto take = [&](Storage storage, double bytes, std::string why) {
    out.storage = storage;
    out.bytes = static_cast<std::size_t>(bytes);
    out.why = std::move(why);
  };
  const bool dense = graph.density >= dense_from && powers_fit(ratings, plan);
  const double all_links = dense ? dense_bytes(shape, graph) : sparse_bytes(shape, graph);
  const bool too_long = !dense && plan.solver != Solver::exact && shape.seconds_at_all > 0 &&
                        graph.entries > long_lists * shape.items;
  if (plan.neighbours == 0 && dense && worth_multiplying(ratings, plan)) {
    const double multiplied = whole_bytes(shape, graph, plan);
    if (multiplied <= room) {
      take(Storage::whole, multiplied,
           fmt::format("{}; filters of {} items are multiplied out", about, ratings.items()));
      out.exact = true;
      return out;
    }
  }
  if (plan.neighbours == 0 && all_links <= room && !too_long) {
    take(dense ? Storage::dense : Storage::sparse, all_links, about);
    out.exact |= !dense;
    return out;
  }
  out.exact = plan.solver == Solver::exact || higher || shape.seconds_at_all == 0;
  out.neighbours = plan.neighbours > 0 ? plan.neighbours : default_neighbours;
  const double bounded = bounded_bytes(shape, static_cast<double>(out.neighbours));
  if (bounded > room) budget.check(std::min(all_links, bounded), with_less);
  if (plan.neighbours > 0) {
    take(Storage::bounded, bounded,
         fmt::format("asked for {} neighbours per item", plan.neighbours));
  } else if (too_long && all_links <= room) {
    take(Storage::bounded, bounded,
         fmt::format("{}, about {:.0f} per item: too many to follow twice", about,
                     graph.entries / shape.items));
  } else {
    take(Storage::bounded, bounded,
         fmt::format("{}; all links would need about {}, and {}", about,
                     amount_of_memory(all_links), budget.text()));
  }
  return out;
}

std::size_t neighbours_that_fit(const Ratings& ratings, std::size_t memory) {
  const Shape shape(ratings, ratings.criteria().size(), 1, 1);
  const GraphEstimate graph = estimate_graph(ratings);
  const MemoryBudget budget(memory);
  const bool too_long = graph.density < dense_from && graph.entries > long_lists * shape.items;
  if (sparse_bytes(shape, graph) <= budget.bytes() && !too_long) return 0;
  budget.check(bounded_bytes(shape, static_cast<double>(default_neighbours)), with_less);
  return default_neighbours;
}

}  // namespace palate
