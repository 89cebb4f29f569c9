#include "tuning/validation_scores.hpp"

#include <algorithm>
#include <memory>

#include "base/random.hpp"
#include "evaluation/evaluator.hpp"
#include "evaluation/list_metrics.hpp"
#include "graph/panel_filter.hpp"
#include "graph/subspace.hpp"
#include "kernels/lists/top_k.hpp"
#include "methods/ca_gf/criteria_preference.hpp"
#include "palate/split.hpp"
#include "ranking/computation.hpp"
#include "tuning/choose_settings.hpp"

namespace palate {
namespace {

using kernels::panel_width;

// Bounds of the sample: people, and multiply-adds of a panel for the first orders of one power.
constexpr std::size_t max_people = 4000;
constexpr double max_operations = 2.5e9;
// Of each list that a pool is filled from, so many.
constexpr std::size_t list_share = 10;
// Up to so many links, per item or in all, second orders go along all of them; beyond, by leading
// directions. That undervalues second orders somewhat: on YM the published settings are 4.2 % below
// plain linear filters by 32 directions, 3.5 % exactly, at four times the time.
constexpr std::size_t few_links = 100;
constexpr std::size_t few_links_in_all = 100'000;
constexpr std::size_t directions = 32;

}  // namespace

/// P_s, and where it has too many links to be followed twice, W with P_s^2 about W W^T.
struct PowerOfGraph {
  Array<float> values;
  Subspace leading;

  PowerOfGraph(const ItemGraph& graph, double power, ThreadPool& pool)
      : values(hadamard_power(graph.values, power, pool)) {
    if (graph.pattern.entries() > std::max(few_links * graph.pattern.items(), few_links_in_all)) {
      leading =
          leading_subspace(graph.pattern, values, {.rank = directions, .lengths = false}, pool);
    }
  }
};

namespace {

// x P_s and x P_s^2 of a few signals at once.
class Panel {
 public:
  Panel(const GraphPattern& pattern, const PowerOfGraph& graph)
      : pattern_(pattern),
        graph_(graph),
        filter_(pattern.items()),
        first_(pattern.items() * panel_width),
        second_(pattern.items() * panel_width),
        inside_(graph.leading.rank * panel_width) {}

  void set(std::size_t lane, std::uint32_t item, float x) {
    filter_.set(lane, item, x);
    const std::size_t rank = graph_.leading.rank;
    for (std::size_t d = 0; d < rank; ++d) {
      inside_[d * panel_width + lane] += x * graph_.leading.coordinates[item * rank + d];
    }
  }
  void apply() {
    const std::size_t rank = graph_.leading.rank;
    filter_.apply(pattern_, graph_.values.span(), rank == 0 ? 2 : 1,
                  [&](std::size_t k, const float* panel) {
                    std::vector<float>& to = k == 1 ? first_ : second_;
                    std::copy_n(panel, to.size(), to.data());
                  });
    if (rank == 0) return;
    std::fill(second_.begin(), second_.end(), 0.0F);
    for (std::size_t i = 0; i < pattern_.items(); ++i) {
      kernels::add_rows(inside_.data(), rank, graph_.leading.coordinates.data() + i * rank,
                        second_.data() + i * panel_width);
    }
    std::fill(inside_.begin(), inside_.end(), 0.0F);
  }
  [[nodiscard]] float first(std::size_t lane, std::size_t item) const {
    return first_[item * panel_width + lane];
  }
  [[nodiscard]] float second(std::size_t lane, std::size_t item) const {
    return second_[item * panel_width + lane];
  }

 private:
  const GraphPattern& pattern_;
  const PowerOfGraph& graph_;
  PanelFilter filter_;
  std::vector<float> first_, second_, inside_;
};

// Panels of people, each with so many lanes side by side: set(panel, lane, person), then
// take(panel, lane, person).
template <class Set, class Take>
void for_panels(const GraphPattern& pattern, const PowerOfGraph& graph, std::size_t people,
                std::size_t lanes, ThreadPool& pool, const Set& set, const Take& take) {
  std::vector<std::unique_ptr<Panel>> panels(pool.size());
  pool.for_chunks(people, panel_width / lanes,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    if (!panels[worker]) panels[worker] = std::make_unique<Panel>(pattern, graph);
                    Panel& panel = *panels[worker];
                    for (std::size_t p = begin; p < end; ++p) set(panel, (p - begin) * lanes, p);
                    panel.apply();
                    for (std::size_t p = begin; p < end; ++p) take(panel, (p - begin) * lanes, p);
                  });
}

// Of the people in a group, the share asked for; everybody else keeps all of theirs.
Split hold_back(const Ratings& all, const ChooseOptions& options, std::size_t group) {
  const Ratings chosen = split(all, {.test = options.validation, .seed = options.seed}).test;
  std::vector<std::uint8_t> keep;
  keep.reserve(all.interactions());
  for (std::uint32_t user = 0; user < all.users(); ++user) {
    const bool here =
        hash64(all.user_id(user), mix64(options.seed)) % ValidationScores::groups == group;
    const auto back = chosen.of(user).items;
    for (const std::uint32_t item : all.of(user).items) {
      keep.push_back(here && std::binary_search(back.begin(), back.end(), item) ? 0 : 1);
    }
  }
  Split out;
  out.train = subset(all, keep);
  for (std::uint8_t& flag : keep) flag ^= 1;
  out.test = subset(all, keep);
  return out;
}

// How many links there are at the ratings of one person, on average.
double links_per_person(const Ratings& train, const GraphPattern& pattern) {
  double sum = 0;
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    for (const std::uint32_t item : train.of(user).items) {
      sum += static_cast<double>(pattern.offsets[item + 1] - pattern.offsets[item]);
    }
  }
  return sum / std::max<double>(1, static_cast<double>(train.users()));
}

}  // namespace

ValidationScores::ValidationScores(const Ratings& all, const ChooseOptions& options,
                                   std::size_t group, std::span<const double> powers,
                                   ThreadPool& pool, const Progress& progress, std::size_t memory)
    : powers_(powers.begin(), powers.end()), at_(options.at), pool_(pool) {
  const Split parts = hold_back(all, options, group);
  train_ = parts.train;
  held_back_ = parts.test;
  relevant_ = relevant_interactions(train_, held_back_, {.threshold = options.threshold});
  const CriterionSet criteria = first_criteria(train_.criteria().size());
  const std::size_t neighbours = neighbours_that_fit(train_, memory);
  const ItemGraph graph = neighbours == 0
                              ? build_item_graph(train_, criteria, pool, progress)
                              : build_bounded_graph(train_, criteria, neighbours, pool, progress);
  pick_people(options.seed, links_per_person(train_, graph.pattern));
  weigh_criteria();
  // Lists of neighbouring powers are much alike.
  for (std::size_t s = 0; s < powers_.size(); s += 2) {
    fill_pools(graph.pattern, {graph, powers_[s], pool});
  }
  close_pools();
  for (std::size_t s = 0; s < powers_.size(); ++s) {
    keep_terms(graph.pattern, {graph, powers_[s], pool}, s);
  }
}

void ValidationScores::pick_people(std::uint64_t seed, double cost) {
  std::size_t k = 0;
  for (std::uint32_t user = 0; user < held_back_.users(); ++user) {
    Person person{.user = user, .pool = {}, .relevant = {}, .terms = {}};
    for (std::size_t n = held_back_.of(user).size(); n > 0; --n) {
      person.relevant_items += relevant_[k++];
    }
    if (person.relevant_items > 0 && train_.of(user).size() > 0) people_.push_back(person);
  }
  const auto most = static_cast<std::size_t>(
      std::clamp(max_operations / std::max(1.0, cost), 16.0, double{max_people}));
  if (people_.size() > most) {
    // By a hash of the id: the sample depends on the seed and the ids alone.
    std::sort(people_.begin(), people_.end(), [&](const Person& a, const Person& b) {
      return hash64(train_.user_id(a.user), seed) < hash64(train_.user_id(b.user), seed);
    });
    people_.resize(most);
  }
}

void ValidationScores::weigh_criteria() {
  const std::size_t width = train_.criteria().size();
  for (std::size_t k = 0; k < preferences.size(); ++k) {
    const auto preference = CriteriaPreference::fit(train_, preferences[k]);
    weights_[k].resize(people_.size() * width);
    for (std::size_t p = 0; p < people_.size(); ++p) {
      preference.of(train_.of(people_[p].user), std::span(weights_[k]).subspan(p * width, width));
    }
  }
}

void ValidationScores::fill_pools(const GraphPattern& pattern, const PowerOfGraph& graph) {
  const std::size_t width = train_.criteria().size();
  const auto set = [&](Panel& panel, std::size_t lane, std::size_t p) {
    const UserRatings row = train_.of(people_[p].user);
    for (std::size_t k = 0; k < row.size(); ++k) {
      double x = 0;
      for (std::size_t c = 0; c < width; ++c) {
        x += weights_[0][p * width + c] * static_cast<double>(row.values[k * width + c]);
      }
      panel.set(lane, row.items[k], static_cast<float>(x));
    }
  };
  const auto take = [&](const Panel& panel, std::size_t lane, std::size_t p) {
    const UserRatings row = train_.of(people_[p].user);
    std::vector<std::uint8_t> rated(train_.items(), 0);
    for (std::size_t k = 0; k < row.size(); ++k) rated[row.items[k]] = row.present[k] & 1U;
    std::array<kernels::TopK, 3> best;
    for (kernels::TopK& one : best) one.reset(list_share + at_);
    for (std::uint32_t i = 0; i < rated.size(); ++i) {
      if (rated[i] != 0) continue;
      const float first = panel.first(lane, i);
      const float second = panel.second(lane, i);
      best[0].offer(first, i);
      best[1].offer(second, i);
      best[2].offer(2 * first - second, i);
    }
    for (kernels::TopK& one : best) {
      for (const auto& [score, item] : one.sorted()) people_[p].pool.push_back(item);
    }
  };
  for_panels(pattern, graph, people_.size(), 1, pool_, set, take);
}

void ValidationScores::close_pools() {
  std::vector<std::size_t> held_back(held_back_.users() + 1, 0);
  for (std::uint32_t user = 0; user < held_back_.users(); ++user) {
    held_back[user + 1] = held_back[user] + held_back_.of(user).size();
  }
  for (Person& person : people_) {
    std::sort(person.pool.begin(), person.pool.end());
    person.pool.erase(std::unique(person.pool.begin(), person.pool.end()), person.pool.end());
    person.relevant.assign(person.pool.size(), 0);
    const auto items = held_back_.of(person.user).items;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const auto at = std::lower_bound(person.pool.begin(), person.pool.end(), items[k]);
      if (at != person.pool.end() && *at == items[k]) {
        person.relevant[static_cast<std::size_t>(at - person.pool.begin())] =
            relevant_[held_back[person.user] + k];
      }
    }
    person.terms.resize(powers_.size() * 2 * train_.criteria().size() * person.pool.size());
  }
}

void ValidationScores::keep_terms(const GraphPattern& pattern, const PowerOfGraph& graph,
                                  std::size_t power) {
  const std::size_t width = train_.criteria().size();
  for (std::size_t from = 0; from < width; from += panel_width) {
    const std::size_t lanes = std::min(width - from, panel_width);
    const auto set = [&](Panel& panel, std::size_t lane, std::size_t p) {
      const UserRatings row = train_.of(people_[p].user);
      for (std::size_t k = 0; k < row.size(); ++k) {
        for (std::size_t c = 0; c < lanes; ++c) {
          const float x = row.values[k * width + from + c];
          if (x != 0) panel.set(lane + c, row.items[k], x);
        }
      }
    };
    const auto take = [&](const Panel& panel, std::size_t lane, std::size_t p) {
      Person& person = people_[p];
      const std::size_t size = person.pool.size();
      for (std::size_t c = 0; c < lanes; ++c) {
        float* first = person.terms.data() + (2 * power * width + from + c) * size;
        float* second = first + width * size;
        for (std::size_t n = 0; n < size; ++n) {
          first[n] = panel.first(lane + c, person.pool[n]);
          second[n] = panel.second(lane + c, person.pool[n]);
        }
      }
    };
    for_panels(pattern, graph, people_.size(), lanes, pool_, set, take);
  }
}

Worth ValidationScores::worth(std::span<const Filter> filters,
                              const std::optional<double>& preference) const {
  const std::size_t width = filters.size();
  std::vector<std::size_t> power_of;
  for (const Filter& filter : filters) {
    power_of.push_back(static_cast<std::size_t>(
        std::find(powers_.begin(), powers_.end(), filter.power) - powers_.begin()));
  }
  const std::vector<double>& weights = weights_[static_cast<std::size_t>(
      std::find(preferences.begin(), preferences.end(), preference) - preferences.begin())];
  const Ideal ideal(at_);
  Worth out(people_.size());
  pool_.for_chunks(people_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> scores;
    std::vector<std::uint8_t> hits;
    kernels::TopK top;
    for (std::size_t p = begin; p < end; ++p) {
      const Person& person = people_[p];
      const std::size_t size = person.pool.size();
      scores.assign(size, 0);
      for (std::size_t c = 0; c < width; ++c) {
        const auto weight = static_cast<float>(weights[p * width + c]);
        for (std::size_t order = 0; order < filters[c].coefficients.size(); ++order) {
          const float a = weight * static_cast<float>(filters[c].coefficients[order]);
          if (a == 0) continue;
          const float* term = person.terms.data() + ((2 * power_of[c] + order) * width + c) * size;
          for (std::size_t n = 0; n < size; ++n) scores[n] += a * term[n];
        }
      }
      top.reset(at_);
      for (std::uint32_t n = 0; n < size; ++n) top.offer(scores[n], n);
      hits.clear();
      for (const auto& [score, n] : top.sorted()) hits.push_back(person.relevant[n]);
      double sum = 0;
      for (const std::size_t at : {(at_ + 1) / 2, at_}) {
        const auto some = std::span(hits).first(std::min(at, hits.size()));
        const auto measured = measure_list(some, person.relevant_items, at, ideal);
        sum += measured[0] + measured[3];  // recall, ndcg: list_metric_names
      }
      out[p] = static_cast<float>(sum / 4);
    }
  });
  return out;
}

}  // namespace palate
