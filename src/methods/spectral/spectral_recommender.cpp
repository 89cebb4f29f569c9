#include "methods/spectral/spectral_recommender.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/dense/strip.hpp"
#include "ranking/select.hpp"

namespace palate {

using kernels::panel_width;

// The same in single precision, as panels are multiplied by it.
struct SpectralRecommender::Term {
  std::size_t criterion;
  TermScale scale;
  float factor;
  Polynomial polynomial;
  SparseRows<float> by_user, by_item;
  std::vector<float> before, after;
  std::size_t rank;
  Array<float> left, right;  // items x rank, row by row

  [[nodiscard]] float before_at(std::size_t i) const { return before.empty() ? 1.0F : before[i]; }
  [[nodiscard]] float after_at(std::size_t i) const { return after.empty() ? 1.0F : after[i]; }
};

// Of up to 16 people, side by side.
struct SpectralRecommender::Panels {
  Panels(std::size_t items, std::size_t users)
      : x(items * panel_width),
        before(items * panel_width),
        next(items * panel_width),
        out(items * panel_width),
        sum(items * panel_width),
        people(users * panel_width) {}

  std::vector<float> x, before, next;  // of the polynomial
  std::vector<float> out;              // of one term
  std::vector<float> sum;              // of all
  std::vector<float> people;
  std::vector<float> low;  // rank x 16
};

namespace {

std::vector<float> floats(std::span<const double> x) { return {x.begin(), x.end()}; }

SparseRows<float> floats(const SparseRows<double>& m) {
  return {m.offsets, m.columns, floats(m.values)};
}

Array<float> rows_of(const Eigen::MatrixXd& m) {
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(m.size()));
  for (Eigen::Index r = 0; r < m.rows(); ++r) {
    for (Eigen::Index c = 0; c < m.cols(); ++c) out.push_back(static_cast<float>(m(r, c)));
  }
  return out;
}

float dot(const float* a, const float* b, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return static_cast<float>(sum);
}

float weight_of(const Query& query, std::size_t criterion) {
  return query.term_weights.empty() ? 1.0F : query.term_weights[criterion];
}

}  // namespace

SpectralRecommender::SpectralRecommender(const std::vector<SpectralTerm>& terms,
                                         const GraphInput& input, std::size_t items,
                                         std::size_t criteria)
    : input_(input), items_(items), criteria_(criteria) {
  for (const SpectralTerm& term : terms) {
    terms_.push_back({term.criterion, term.scale, static_cast<float>(term.factor), term.polynomial,
                      floats(term.matrix.by_user), floats(term.matrix.by_item), floats(term.before),
                      floats(term.after), static_cast<std::size_t>(term.left.cols()),
                      rows_of(term.left), rows_of(term.right)});
    users_ = std::max(users_, term.matrix.users());
  }
}

SpectralRecommender::~SpectralRecommender() = default;

std::unique_ptr<const SpectralRecommender> SpectralRecommender::load(
    const Parts& parts, const std::vector<SpectralTerm>& terms, const GraphInput& input,
    const Ratings& train) {
  auto out =
      std::make_unique<SpectralRecommender>(terms, input, train.items(), train.criteria().size());
  for (std::size_t t = 0; t < out->terms_.size(); ++t) {
    Term& term = out->terms_[t];
    const std::string name = "method/term" + std::to_string(t);
    term.left = parts.get<float>(name + "/left");
    term.right = parts.get<float>(name + "/right");
    const auto rank = parts.get<std::uint64_t>(name + "/rank");
    if (rank.size() != 1 || rank[0] > train.items() ||
        term.left.size() != rank[0] * train.items() || term.right.size() != term.left.size()) {
      throw Error(ErrorCode::corrupt, "the directions in the model file are damaged");
    }
    term.rank = rank[0];
  }
  return out;
}

void SpectralRecommender::save(Parts& parts) const {
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const std::string name = "method/term" + std::to_string(t);
    parts.put(name + "/left", terms_[t].left);
    parts.put(name + "/right", terms_[t].right);
    parts.put(name + "/rank", Array<std::uint64_t>(std::vector<std::uint64_t>{terms_[t].rank}));
  }
}

CriterionSet SpectralRecommender::signals() const noexcept {
  CriterionSet out = 0;
  for (const Term& term : terms_) out |= CriterionSet{1} << term.criterion;
  return out;
}

std::size_t SpectralRecommender::bytes() const noexcept {
  std::size_t out = 0;
  for (const Term& term : terms_) {
    out += (term.left.size() + term.right.size() + term.before.size() + term.after.size()) *
           sizeof(float);
    for (const SparseRows<float>* m : {&term.by_user, &term.by_item}) {
      out += m->columns.size() * (sizeof(float) + sizeof(std::uint32_t)) +
             m->offsets.size() * sizeof(std::uint64_t);
    }
  }
  return out;
}

// out = p(P) x
void SpectralRecommender::filter_panel(const Term& term, Panels& panels) const {
  const std::size_t size = items_ * panel_width;
  const std::vector<double>& c = term.polynomial.coefficients;
  const bool chebyshev = term.polynomial.basis == Polynomial::Basis::chebyshev;
  std::fill_n(panels.out.begin(), size, 0.0F);
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (k > 0) {
      kernels::multiply(term.by_user.offsets, term.by_user.columns, term.by_user.values,
                        panels.x.data(), panels.people.data());
      kernels::multiply(term.by_item.offsets, term.by_item.columns, term.by_item.values,
                        panels.people.data(), panels.next.data());
      for (std::size_t n = 0; chebyshev && n < size; ++n) {
        panels.next[n] = k == 1 ? panels.x[n] - 2 * panels.next[n]
                                : 2 * (panels.x[n] - 2 * panels.next[n]) - panels.before[n];
      }
      std::swap(panels.before, panels.x);
      std::swap(panels.x, panels.next);
    }
    const auto factor = static_cast<float>(c[k]);
    for (std::size_t n = 0; factor != 0 && n < size; ++n) panels.out[n] += factor * panels.x[n];
  }
}

// out = the scores of one term, not yet multiplied by g.
void SpectralRecommender::term_scores(const Term& term, std::span<const Query> queries,
                                      Panels& panels) const {
  panels.low.assign(term.rank * panel_width, 0.0F);
  std::fill(panels.x.begin(), panels.x.end(), 0.0F);
  for (std::size_t lane = 0; lane < queries.size(); ++lane) {
    const UserRatings& row = queries[lane].ratings;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if ((row.present[k] >> term.criterion & 1U) == 0) continue;
      const auto x = static_cast<float>(input_.of(row.values[k * criteria_ + term.criterion]));
      const std::size_t item = row.items[k];
      panels.x[item * panel_width + lane] = x * term.before_at(item);
      const float* left = term.left.data() + item * term.rank;
      for (std::size_t r = 0; r < term.rank; ++r) panels.low[r * panel_width + lane] += x * left[r];
    }
  }
  filter_panel(term, panels);
  for (std::size_t i = 0; i < items_; ++i) {
    float* out = panels.out.data() + i * panel_width;
    const float after = term.after_at(i);
    for (std::size_t lane = 0; lane < panel_width; ++lane) out[lane] *= after;
    if (term.rank > 0) {
      kernels::add_rows(panels.low.data(), term.rank, term.right.data() + i * term.rank, out);
    }
  }
}

// g_t(u), from the scores of the term.
double SpectralRecommender::scale_of(const Term& term, const Query& query, const Panels& panels,
                                     std::size_t lane) const {
  double sum = 0;
  switch (term.scale) {
    case TermScale::one:
      return static_cast<double>(term.factor);
    case TermScale::root:
      for (std::size_t k = 0; k < query.ratings.size(); ++k) {
        if ((query.ratings.present[k] >> term.criterion & 1U) == 0) continue;
        sum += input_.of(query.ratings.values[k * criteria_ + term.criterion]);
      }
      return sum > 0 ? static_cast<double>(term.factor) / std::sqrt(sum) : 0.0;
    case TermScale::sum:
      for (std::size_t i = 0; i < items_; ++i) {
        sum += static_cast<double>(panels.out[i * panel_width + lane]);
      }
      break;
  }
  return sum > 0 ? static_cast<double>(term.factor) / sum : 0.0;
}

void SpectralRecommender::score_panel(std::span<const Query> queries, Panels& panels) const {
  std::fill(panels.sum.begin(), panels.sum.end(), 0.0F);
  for (const Term& term : terms_) {
    term_scores(term, queries, panels);
    float scale[panel_width] = {};
    for (std::size_t lane = 0; lane < queries.size(); ++lane) {
      scale[lane] = static_cast<float>(scale_of(term, queries[lane], panels, lane)) *
                    weight_of(queries[lane], term.criterion);
    }
    for (std::size_t i = 0; i < items_; ++i) {
      for (std::size_t lane = 0; lane < panel_width; ++lane) {
        panels.sum[i * panel_width + lane] += scale[lane] * panels.out[i * panel_width + lane];
      }
    }
  }
}

void SpectralRecommender::score(const Query& query, std::span<float> scores) const {
  const auto panels = scratch_.lend(items_, users_);
  score_panel({&query, 1}, *panels);
  for (std::size_t i = 0; i < items_; ++i) scores[i] = panels->sum[i * panel_width];
}

void SpectralRecommender::recommend(std::span<const Query> queries,
                                    std::span<std::vector<ScoredItem>> lists,
                                    ThreadPool& pool) const {
  pool.for_chunks(queries.size(), panel_width, [&](std::size_t begin, std::size_t end, unsigned) {
    const auto panels = scratch_.lend(items_, users_);
    score_panel(queries.subspan(begin, end - begin), *panels);
    std::vector<float> scores(items_);
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t i = 0; i < items_; ++i) {
        scores[i] = panels->sum[i * panel_width + (k - begin)];
      }
      lists[k] = select_top(queries[k], scores);
    }
  });
}

// w_ji for all j: what a rating of 1 of item j adds to the term's score of `item`, without g.
std::vector<float> SpectralRecommender::column(const Term& term, std::uint32_t item,
                                               Panels& panels) const {
  std::fill(panels.x.begin(), panels.x.end(), 0.0F);
  panels.x[item * panel_width] = term.after_at(item);
  filter_panel(term, panels);  // p(P) is symmetric
  std::vector<float> out(items_);
  const float* right = term.right.data() + item * term.rank;
  for (std::size_t j = 0; j < items_; ++j) {
    out[j] = panels.out[j * panel_width] * term.before_at(j) +
             dot(term.left.data() + j * term.rank, right, term.rank);
  }
  return out;
}

// sum_i w_ji for all j.
std::vector<float> SpectralRecommender::row_sums(const Term& term, Panels& panels) const {
  std::fill(panels.x.begin(), panels.x.end(), 0.0F);
  std::vector<float> all(term.rank, 0.0F);
  for (std::size_t i = 0; i < items_; ++i) {
    panels.x[i * panel_width] = term.after_at(i);
    for (std::size_t r = 0; r < term.rank; ++r) all[r] += term.right[i * term.rank + r];
  }
  filter_panel(term, panels);
  std::vector<float> out(items_);
  for (std::size_t j = 0; j < items_; ++j) {
    out[j] = panels.out[j * panel_width] * term.before_at(j) +
             dot(term.left.data() + j * term.rank, all.data(), term.rank);
  }
  return out;
}

Attribution SpectralRecommender::explain(const Query& query, std::uint32_t item) const {
  Attribution out;
  out.by_criterion.assign(criteria_, 0.0);
  out.preference.assign(criteria_, 0.0);
  std::vector<double> values(query.ratings.size() * criteria_, 0.0);
  const auto panels = scratch_.lend(items_, users_);
  for (const Term& term : terms_) {
    const std::size_t c = term.criterion;
    term_scores(term, {&query, 1}, *panels);
    const double scale =
        scale_of(term, query, *panels, 0) * static_cast<double>(weight_of(query, c));
    const std::vector<float> weights = column(term, item, *panels);
    out.preference[c] = static_cast<double>(weight_of(query, c));
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      if ((query.ratings.present[k] >> c & 1U) == 0) continue;
      values[k * criteria_ + c] += scale * input_.of(query.ratings.values[k * criteria_ + c]) *
                                   static_cast<double>(weights[query.ratings.items[k]]);
    }
  }
  for (std::size_t c = 0; c < criteria_; ++c) {
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      const double value = values[k * criteria_ + c];
      if (value == 0) continue;
      out.parts.push_back({query.ratings.items[k], static_cast<std::uint32_t>(c), value});
      out.by_criterion[c] += value;
    }
    out.score += out.by_criterion[c];
  }
  return out;
}

void SpectralRecommender::score_by_criterion(const Query& query,
                                             std::span<const std::uint32_t> items,
                                             std::span<float> parts) const {
  std::fill(parts.begin(), parts.end(), 0.0F);
  const auto panels = scratch_.lend(items_, users_);
  for (const Term& term : terms_) {
    term_scores(term, {&query, 1}, *panels);
    const auto scale =
        static_cast<float>(scale_of(term, query, *panels, 0)) * weight_of(query, term.criterion);
    for (std::size_t n = 0; n < items.size(); ++n) {
      parts[n * criteria_ + term.criterion] += scale * panels->out[items[n] * panel_width];
    }
  }
}

std::vector<ScoredItem> SpectralRecommender::similar(std::uint32_t item, std::size_t top) const {
  // What is smaller is rounding of sums in which the strongest takes part.
  constexpr float least_share = 1e-6F;
  const auto panels = scratch_.lend(items_, users_);
  std::vector<float> all(items_, 0.0F);
  for (const Term& term : terms_) {
    const std::vector<float> weights = column(term, item, *panels);
    const std::vector<float> sums =
        term.scale == TermScale::sum ? row_sums(term, *panels) : std::vector(items_, 1.0F);
    for (std::size_t j = 0; j < items_; ++j) {
      if (sums[j] > 0) all[j] += term.factor * weights[j] / sums[j];
    }
  }
  float most = 0;
  for (std::size_t j = 0; j < items_; ++j) most = std::max(most, j == item ? 0.0F : all[j]);
  kernels::TopK best;
  best.reset(std::min(top, items_));
  for (std::uint32_t j = 0; j < items_; ++j) {
    if (j != item && all[j] > least_share * most) best.offer(all[j], j);
  }
  return to_list(best);
}

}  // namespace palate
