#include "methods/ca_gf.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "core/panel_filter.hpp"
#include "kernels/panel.hpp"
#include "methods/select.hpp"

namespace palate {
namespace {

using kernels::panel_width;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct CaGfRecommender::Scratch {
  explicit Scratch(std::size_t items) : filter(items), total(items * panel_width) {}

  PanelFilter filter;
  std::vector<float> total;  // the scores: one row of panel_width floats per item
};

CaGfRecommender::CaGfRecommender(CaGfPlan plan, std::vector<GraphPattern> patterns,
                                 std::vector<Array<float>> values, CriteriaPreference preference)
    : plan_(std::move(plan)),
      patterns_(std::move(patterns)),
      values_(std::move(values)),
      preference_(std::move(preference)) {}

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
  std::vector<GraphPattern> patterns;
  patterns.reserve(graphs.size());
  for (ItemGraph& graph : graphs) patterns.push_back(std::move(graph.pattern));
  auto preference = CriteriaPreference::fit(train, plan.preference);
  if (stages != nullptr) stages->emplace_back("filters", seconds_since(start));
  return std::unique_ptr<CaGfRecommender>(new CaGfRecommender(
      std::move(plan), std::move(patterns), std::move(values), std::move(preference)));
}

// Chat[u,c], times the caller's weights; 0 for criteria that do not count.
std::vector<double> CaGfRecommender::preference(const Query& query) const {
  std::vector<double> chat(plan_.criteria);
  preference_.of(query.ratings, chat);
  for (std::size_t c = 0; c < chat.size(); ++c) {
    if ((plan_.signals >> c & 1U) == 0) chat[c] = 0;
    if (!query.weights.empty()) chat[c] *= static_cast<double>(query.weights[c]);
  }
  return chat;
}

CaGfRecommender::Signal CaGfRecommender::signal(const Query& query) const {
  Signal out{.ratings = query.ratings};
  const std::vector<double> chat = preference(query);
  const double share = 1.0 / std::popcount(plan_.signals);
  for (std::size_t c = 0; c < chat.size(); ++c) out.factor[c] = static_cast<float>(chat[c] * share);
  return out;
}

// total += f(P) x for the signals x of the branch's criteria.
void CaGfRecommender::filter_branch(const Branch& branch, std::span<const Signal> signals,
                                    Scratch& scratch) const {
  for (std::size_t lane = 0; lane < signals.size(); ++lane) {
    const auto& [ratings, factor] = signals[lane];
    for (std::size_t k = 0; k < ratings.size(); ++k) {
      const float* values = ratings.values.data() + k * plan_.criteria;
      float x = 0;
      for (CriterionSet rest = branch.criteria; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<std::size_t>(std::countr_zero(rest));
        x += factor[c] * values[c];
      }
      scratch.filter.set(lane, ratings.items[k], x);
    }
  }
  scratch.filter.apply(patterns_[branch.graph], values_[branch.values].span(),
                       branch.coefficients.size(), [&](std::size_t k, const float* panel) {
                         const auto a = static_cast<float>(branch.coefficients[k - 1]);
                         if (a != 0) kernels::add_scaled(a, panel, scratch.total.data(), items());
                       });
}

void CaGfRecommender::filter_panel(std::span<const Signal> signals, Scratch& scratch) const {
  std::fill(scratch.total.begin(), scratch.total.end(), 0.0F);
  for (const Branch& branch : plan_.branches) filter_branch(branch, signals, scratch);
}

void CaGfRecommender::recommend(std::span<const Query> queries,
                                std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const {
  std::vector<std::unique_ptr<Scratch>> scratches(pool.size());
  pool.for_chunks(queries.size(), panel_width,
                  [&](std::size_t begin, std::size_t end, unsigned worker) {
                    if (!scratches[worker]) scratches[worker] = std::make_unique<Scratch>(items());
                    Scratch& scratch = *scratches[worker];
                    std::vector<Signal> signals;
                    for (std::size_t k = begin; k < end; ++k) signals.push_back(signal(queries[k]));
                    filter_panel(signals, scratch);
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
  Scratch scratch(items());
  const Signal one = signal(query);
  filter_panel({&one, 1}, scratch);
  for (std::size_t i = 0; i < items(); ++i) scores[i] = scratch.total[i * panel_width];
}

// One lane per criterion.
void CaGfRecommender::score_by_criterion(const Query& query, std::span<float> parts) const {
  const Signal all = signal(query);
  Scratch scratch(items());
  for (std::size_t first = 0; first < plan_.criteria; first += panel_width) {
    const std::size_t count = std::min(panel_width, plan_.criteria - first);
    std::vector<Signal> lanes(count, Signal{.ratings = query.ratings});
    for (std::size_t lane = 0; lane < count; ++lane) {
      lanes[lane].factor[first + lane] = all.factor[first + lane];
    }
    filter_panel(lanes, scratch);
    for (std::size_t i = 0; i < items(); ++i) {
      std::copy_n(scratch.total.begin() + static_cast<std::ptrdiff_t>(i * panel_width), count,
                  parts.begin() + static_cast<std::ptrdiff_t>(i * plan_.criteria + first));
    }
  }
}

// f(P)[j, item] for each j in `at`: a column of the filter, by symmetry a row.
std::vector<double> CaGfRecommender::filter_column(const Branch& branch, std::uint32_t item,
                                                   std::span<const std::uint32_t> at) const {
  const GraphPattern& pattern = patterns_[branch.graph];
  const Array<float>& values = values_[branch.values];
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
  out.by_criterion.assign(plan_.criteria, 0.0);
  const double share = 1.0 / std::popcount(plan_.signals);
  for (const Branch& branch : plan_.branches) {
    const std::vector<double> column = filter_column(branch, item, query.ratings.items);
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      for (CriterionSet rest = branch.criteria; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto rating = static_cast<double>(query.ratings.values[k * plan_.criteria + c]);
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
  for (std::size_t g = 0; g < patterns_.size(); ++g) {
    // Any adjusted copy will do: its entries are P^s, so P is their power 1/s.
    const auto copy = std::find_if(plan_.powers.begin(), plan_.powers.end(),
                                   [g](const CaGfPlan::Adjusted& a) { return a.graph == g; });
    const auto& values = values_[static_cast<std::size_t>(copy - plan_.powers.begin())];
    for (std::uint64_t k = patterns_[g].offsets[item]; k < patterns_[g].offsets[item + 1]; ++k) {
      sums[patterns_[g].columns[k]] += std::pow(static_cast<double>(values[k]), 1.0 / copy->power);
    }
  }
  kernels::TopK best;
  best.reset(std::min(top, items()));
  for (std::uint32_t j = 0; j < items(); ++j) {
    if (j != item && sums[j] > 0) {
      best.offer(static_cast<float>(sums[j] / static_cast<double>(patterns_.size())), j);
    }
  }
  return to_list(best);
}

void CaGfRecommender::save(Parts& parts) const {
  for (std::size_t g = 0; g < patterns_.size(); ++g) {
    patterns_[g].save(parts, "method/graph" + std::to_string(g));
  }
  for (std::size_t v = 0; v < values_.size(); ++v) {
    parts.put("method/values" + std::to_string(v), values_[v]);
  }
  parts.put("method/preference", preference_.adjusted());
}

std::unique_ptr<CaGfRecommender> CaGfRecommender::load(const Parts& parts, CaGfPlan plan,
                                                       std::size_t items) {
  std::vector<GraphPattern> patterns;
  for (std::size_t g = 0; g < plan.graphs.size(); ++g) {
    patterns.push_back(GraphPattern::load(parts, "method/graph" + std::to_string(g), items));
  }
  std::vector<Array<float>> values;
  for (std::size_t v = 0; v < plan.powers.size(); ++v) {
    values.push_back(parts.get<float>("method/values" + std::to_string(v)));
    if (values.back().size() != patterns[plan.powers[v].graph].entries()) {
      throw Error(ErrorCode::corrupt, "the item graph in the model file is damaged");
    }
  }
  auto adjusted = parts.get<double>("method/preference");
  if (adjusted.size() != (plan.preference ? plan.criteria * plan.criteria : 0)) {
    throw Error(ErrorCode::corrupt, "the criteria preference in the model file is damaged");
  }
  CriteriaPreference preference(plan.criteria, std::move(adjusted));
  return std::unique_ptr<CaGfRecommender>(new CaGfRecommender(
      std::move(plan), std::move(patterns), std::move(values), std::move(preference)));
}

std::size_t CaGfRecommender::graph_entries() const noexcept {
  std::size_t entries = 0;
  for (const GraphPattern& pattern : patterns_) entries += pattern.entries();
  return entries;
}

std::size_t CaGfRecommender::bytes() const noexcept {
  std::size_t total = graph_entries() * sizeof(std::uint32_t);
  for (const Array<float>& values : values_) total += values.size() * sizeof(float);
  for (const GraphPattern& pattern : patterns_) {
    total += pattern.offsets.size() * sizeof(std::uint64_t);
  }
  return total;
}

}  // namespace palate
