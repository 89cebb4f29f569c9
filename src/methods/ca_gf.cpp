#include "methods/ca_gf.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "core/panel_filter.hpp"
#include "kernels/panel.hpp"
#include "methods/ca_gf_certified.hpp"
#include "methods/ca_gf_direct.hpp"
#include "methods/select.hpp"

namespace palate {
namespace {

using kernels::panel_width;

// Of the subspace that makes candidates few. More directions cost more than they save.
constexpr std::size_t subspace_rank = 64;
constexpr std::size_t subspace_iterations = 3;

std::vector<float> longest_rows(const std::vector<Subspace>& spaces) {
  std::vector<float> out;
  for (const Subspace& space : spaces) {
    out.push_back(space.lengths.empty()
                      ? 0.0F
                      : *std::max_element(space.lengths.begin(), space.lengths.end()));
  }
  return out;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct CaGfRecommender::Scratch {
  explicit Scratch(std::size_t items) : filter(items), total(items * panel_width) {}

  PanelFilter filter;
  std::vector<float> total;  // the scores: one row of panel_width floats per item
};

std::unique_ptr<CaGfRecommender> CaGfRecommender::fit(const Ratings& train, CaGfPlan plan,
                                                      ThreadPool& pool, const Progress& progress,
                                                      Stages* stages) {
  auto start = std::chrono::steady_clock::now();
  std::vector<ItemGraph> graphs;
  graphs.reserve(plan.graphs.size());
  for (const CriterionSet criteria : plan.graphs) {
    graphs.push_back(build_item_graph(train, criteria, pool, progress));
  }
  if (stages != nullptr) stages->emplace_back("graph", seconds_since(start));
  start = std::chrono::steady_clock::now();
  std::vector<Array<float>> values;
  values.reserve(plan.powers.size());
  for (const auto& [graph, power] : plan.powers) {
    values.push_back(hadamard_power(graphs[graph].values, power, pool));
  }
  CaGfGraphs out;
  out.patterns.reserve(graphs.size());
  for (ItemGraph& graph : graphs) out.patterns.push_back(std::move(graph.pattern));
  out.values = std::move(values);
  out.preference = CriteriaPreference::fit(train, plan.preference);
  out.plan = std::move(plan);
  out.subspaces.resize(out.values.size());
  const Path path = choose_path(out, train);
  for (const Branch& branch : out.plan.branches) {
    Subspace& space = out.subspaces[branch.values];
    if (branch.coefficients.size() == 2 && path != Path::panels && space.lengths.empty()) {
      space =
          leading_subspace(out.patterns[branch.graph], out.values[branch.values],
                           path == Path::certified ? subspace_rank : 0, subspace_iterations, pool);
    }
  }
  out.longest = longest_rows(out.subspaces);
  if (stages != nullptr) stages->emplace_back("filters", seconds_since(start));
  return std::unique_ptr<CaGfRecommender>(new CaGfRecommender(std::move(out), path));
}

CaGfRecommender::Path CaGfRecommender::choose_path(const CaGfGraphs& graphs,
                                                   const Ratings& ratings) {
  // What a certified list costs at least: the estimate of every item, and some tens of exact dots.
  std::size_t order = 1;
  double entries = 0;
  for (const Branch& branch : graphs.plan.branches) {
    order = std::max(order, branch.coefficients.size());
    entries += static_cast<double>(graphs.patterns[branch.graph].entries());
  }
  const auto items = static_cast<double>(std::max<std::size_t>(1, graphs.items()));
  const double certified = items * static_cast<double>(subspace_rank) / 8 + 50 * entries / items;
  if (direct_cost(graphs, ratings) < certified) return Path::direct;
  return order <= 2 ? Path::certified : Path::panels;
}

// Chat[u,c], times the caller's weights; 0 for criteria that do not count.
std::vector<double> CaGfRecommender::preference(const Query& query) const {
  std::vector<double> chat(graphs_.plan.criteria);
  graphs_.preference.of(query.ratings, chat);
  for (std::size_t c = 0; c < chat.size(); ++c) {
    if ((graphs_.plan.signals >> c & 1U) == 0) chat[c] = 0;
    if (!query.weights.empty()) chat[c] *= static_cast<double>(query.weights[c]);
  }
  return chat;
}

Signal CaGfRecommender::signal(const Query& query) const {
  Signal out{.ratings = query.ratings};
  const std::vector<double> chat = preference(query);
  const double share = 1.0 / std::popcount(graphs_.plan.signals);
  for (std::size_t c = 0; c < chat.size(); ++c) out.factor[c] = static_cast<float>(chat[c] * share);
  return out;
}

// total = sum over branches of f(P) x.
void CaGfRecommender::filter_panel(std::span<const Signal> signals, Scratch& scratch) const {
  std::fill(scratch.total.begin(), scratch.total.end(), 0.0F);
  for (const Branch& branch : graphs_.plan.branches) {
    for (std::size_t lane = 0; lane < signals.size(); ++lane) {
      const UserRatings& ratings = signals[lane].ratings;
      for (std::size_t k = 0; k < ratings.size(); ++k) {
        scratch.filter.set(lane, ratings.items[k],
                           signals[lane].at(k, branch.criteria, graphs_.plan.criteria));
      }
    }
    scratch.filter.apply(graphs_.patterns[branch.graph], graphs_.values[branch.values].span(),
                         branch.coefficients.size(), [&](std::size_t k, const float* panel) {
                           const auto a = static_cast<float>(branch.coefficients[k - 1]);
                           if (a != 0) kernels::add_scaled(a, panel, scratch.total.data(), items());
                         });
  }
}

void CaGfRecommender::recommend(std::span<const Query> queries,
                                std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const {
  std::vector<Signal> signals(queries.size());
  pool.for_chunks(queries.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t k = begin; k < end; ++k) signals[k] = signal(queries[k]);
  });
  if (path_ == Path::certified) {
    CertifiedScorer(graphs_).recommend(queries, signals, lists, pool);
  } else if (path_ == Path::panels) {
    recommend_by_panels(queries, signals, lists, pool);
  } else {
    std::vector<std::unique_ptr<DirectScorer>> scorers(pool.size());
    pool.for_chunks(queries.size(), 64, [&](std::size_t begin, std::size_t end, unsigned worker) {
      if (!scorers[worker]) scorers[worker] = std::make_unique<DirectScorer>(graphs_);
      for (std::size_t k = begin; k < end; ++k) {
        lists[k] = scorers[worker]->recommend(queries[k], signals[k]);
      }
    });
  }
}

void CaGfRecommender::recommend_by_panels(std::span<const Query> queries,
                                          std::span<const Signal> signals,
                                          std::span<std::vector<ScoredItem>> lists,
                                          ThreadPool& pool) const {
  std::vector<std::unique_ptr<Scratch>> scratches(pool.size());
  pool.for_chunks(queries.size(), panel_width,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    if (!scratches[worker]) scratches[worker] = std::make_unique<Scratch>(items());
                    Scratch& scratch = *scratches[worker];
                    filter_panel(signals.subspan(begin, end - begin), scratch);
                    std::vector<float> scores(items());
                    for (std::size_t k = begin; k < end; ++k) {
                      for (std::size_t i = 0; i < items(); ++i) {
                        scores[i] = scratch.total[i * panel_width + (k - begin)];
                      }
                      lists[k] = select_top(queries[k], scores);
                    }
                  });
}

void CaGfRecommender::score(const Query& query, std::span<float> scores) const {
  const Signal one = signal(query);
  if (path_ == Path::certified) {
    CertifiedScorer(graphs_).score(one, scores);
  } else if (path_ == Path::direct) {
    DirectScorer(graphs_).score(one, scores);
  } else {
    Scratch scratch(items());
    filter_panel({&one, 1}, scratch);
    for (std::size_t i = 0; i < items(); ++i) scores[i] = scratch.total[i * panel_width];
  }
}

// One lane per criterion.
void CaGfRecommender::score_by_criterion(const Query& query, std::span<float> parts) const {
  const Signal all = signal(query);
  Scratch scratch(items());
  for (std::size_t first = 0; first < graphs_.plan.criteria; first += panel_width) {
    const std::size_t count = std::min(panel_width, graphs_.plan.criteria - first);
    std::vector<Signal> lanes(count, Signal{.ratings = query.ratings});
    for (std::size_t lane = 0; lane < count; ++lane) {
      lanes[lane].factor[first + lane] = all.factor[first + lane];
    }
    filter_panel(lanes, scratch);
    for (std::size_t i = 0; i < items(); ++i) {
      std::copy_n(scratch.total.begin() + static_cast<std::ptrdiff_t>(i * panel_width), count,
                  parts.begin() + static_cast<std::ptrdiff_t>(i * graphs_.plan.criteria + first));
    }
  }
}

// f(P)[j, item] for each j in `at`: a column of the filter, by symmetry a row.
std::vector<double> CaGfRecommender::filter_column(const Branch& branch, std::uint32_t item,
                                                   std::span<const std::uint32_t> at) const {
  const GraphPattern& pattern = graphs_.patterns[branch.graph];
  const Array<float>& values = graphs_.values[branch.values];
  const auto row_dot = [&](std::size_t j, const std::vector<double>& x) {
    double sum = 0;
    for (std::uint64_t k = pattern.offsets[j]; k < pattern.offsets[j + 1]; ++k) {
      sum += static_cast<double>(values[k]) * x[pattern.columns[k]];
    }
    return sum;
  };
  std::vector<double> column(at.size(), 0.0);
  std::vector<double> filtered(items(), 0.0);  // P_f^k e_item
  for (std::uint64_t k = pattern.offsets[item]; k < pattern.offsets[item + 1]; ++k) {
    filtered[pattern.columns[k]] = static_cast<double>(values[k]);
  }
  const std::size_t order = branch.coefficients.size();
  for (std::size_t n = 0; n < at.size(); ++n) column[n] = branch.coefficients[0] * filtered[at[n]];
  for (std::size_t k = 1; k < order; ++k) {
    if (k + 1 == order) {  // the last power is needed at the rated items alone
      for (std::size_t n = 0; n < at.size(); ++n) {
        column[n] += branch.coefficients[k] * row_dot(at[n], filtered);
      }
      break;
    }
    std::vector<double> next(items());
    for (std::size_t j = 0; j < items(); ++j) next[j] = row_dot(j, filtered);
    filtered.swap(next);
    for (std::size_t n = 0; n < at.size(); ++n) {
      column[n] += branch.coefficients[k] * filtered[at[n]];
    }
  }
  return column;
}

Attribution CaGfRecommender::explain(const Query& query, std::uint32_t item) const {
  Attribution out;
  out.preference = preference(query);
  out.by_criterion.assign(graphs_.plan.criteria, 0.0);
  const double share = 1.0 / std::popcount(graphs_.plan.signals);
  for (const Branch& branch : graphs_.plan.branches) {
    const std::vector<double> column = filter_column(branch, item, query.ratings.items);
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      for (CriterionSet rest = branch.criteria; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto rating =
            static_cast<double>(query.ratings.values[k * graphs_.plan.criteria + c]);
        const double value = share * out.preference[c] * rating * column[k];
        if (value == 0) continue;
        out.parts.push_back({query.ratings.items[k], c, value});
        out.by_criterion[c] += value;
      }
    }
  }
  for (const double part : out.by_criterion) out.score += part;
  return out;
}

std::vector<ScoredItem> CaGfRecommender::similar(std::uint32_t item, std::size_t top) const {
  std::vector<double> sums(items(), 0.0);
  for (std::size_t g = 0; g < graphs_.patterns.size(); ++g) {
    // Any adjusted copy will do: its entries are P^s, so P is their power 1/s.
    const auto copy = std::find_if(graphs_.plan.powers.begin(), graphs_.plan.powers.end(),
                                   [g](const CaGfPlan::Adjusted& a) { return a.graph == g; });
    const auto& values =
        graphs_.values[static_cast<std::size_t>(copy - graphs_.plan.powers.begin())];
    for (std::uint64_t k = graphs_.patterns[g].offsets[item];
         k < graphs_.patterns[g].offsets[item + 1]; ++k) {
      sums[graphs_.patterns[g].columns[k]] +=
          std::pow(static_cast<double>(values[k]), 1.0 / copy->power);
    }
  }
  kernels::TopK best;
  best.reset(std::min(top, items()));
  for (std::uint32_t j = 0; j < items(); ++j) {
    if (j != item && sums[j] > 0) {
      best.offer(static_cast<float>(sums[j] / static_cast<double>(graphs_.patterns.size())), j);
    }
  }
  return to_list(best);
}

void CaGfRecommender::save(Parts& parts) const {
  for (std::size_t g = 0; g < graphs_.patterns.size(); ++g) {
    graphs_.patterns[g].save(parts, "method/graph" + std::to_string(g));
  }
  for (std::size_t v = 0; v < graphs_.values.size(); ++v) {
    parts.put("method/values" + std::to_string(v), graphs_.values[v]);
    if (!graphs_.subspaces[v].lengths.empty()) {
      graphs_.subspaces[v].save(parts, "method/subspace" + std::to_string(v));
    }
  }
  parts.put("method/preference", graphs_.preference.adjusted());
  parts.put("method/path", Array<std::uint32_t>({static_cast<std::uint32_t>(path_)}));
}

std::unique_ptr<CaGfRecommender> CaGfRecommender::load(const Parts& parts, CaGfPlan plan,
                                                       const Ratings& train) {
  CaGfGraphs out;
  for (std::size_t g = 0; g < plan.graphs.size(); ++g) {
    const std::string name = "method/graph" + std::to_string(g);
    out.patterns.push_back(GraphPattern::load(parts, name, train.items()));
  }
  out.subspaces.resize(plan.powers.size());
  for (std::size_t v = 0; v < plan.powers.size(); ++v) {
    out.values.push_back(parts.get<float>("method/values" + std::to_string(v)));
    if (out.values.back().size() != out.patterns[plan.powers[v].graph].entries()) {
      throw Error(ErrorCode::corrupt, "the item graph in the model file is damaged");
    }
    const std::string name = "method/subspace" + std::to_string(v);
    if (parts.has(name + "/coordinates")) {
      out.subspaces[v] = Subspace::load(parts, name, train.items());
    }
  }
  auto adjusted = parts.get<double>("method/preference");
  if (adjusted.size() != (plan.preference ? plan.criteria * plan.criteria : 0)) {
    throw Error(ErrorCode::corrupt, "the criteria preference in the model file is damaged");
  }
  out.preference = CriteriaPreference(plan.criteria, std::move(adjusted));
  out.plan = std::move(plan);
  out.longest = longest_rows(out.subspaces);
  const auto stored = parts.get<std::uint32_t>("method/path");
  if (stored.size() != 1 || stored[0] > static_cast<std::uint32_t>(Path::panels)) {
    throw Error(ErrorCode::corrupt, "the model file does not say how it scores");
  }
  const auto path = static_cast<Path>(stored[0]);
  for (const Branch& branch : out.plan.branches) {
    const Subspace& space = out.subspaces[branch.values];
    const bool needed = path != Path::panels && branch.coefficients.size() == 2;
    if ((needed && space.lengths.empty()) ||
        (needed && path == Path::certified && space.rank == 0) ||
        (path == Path::certified && branch.coefficients.size() > 2)) {
      throw Error(ErrorCode::corrupt, "the model file lacks the subspace of its graph");
    }
  }
  return std::unique_ptr<CaGfRecommender>(new CaGfRecommender(std::move(out), path));
}

std::size_t CaGfRecommender::graph_entries() const noexcept {
  std::size_t entries = 0;
  for (const GraphPattern& pattern : graphs_.patterns) entries += pattern.entries();
  return entries;
}

std::size_t CaGfRecommender::bytes() const noexcept {
  std::size_t total = graph_entries() * sizeof(std::uint32_t);
  for (const Array<float>& values : graphs_.values) total += values.size() * sizeof(float);
  for (const GraphPattern& pattern : graphs_.patterns) {
    total += pattern.offsets.size() * sizeof(std::uint64_t);
  }
  return total;
}

}  // namespace palate
