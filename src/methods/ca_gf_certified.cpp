#include "methods/ca_gf_certified.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/dense_panel.hpp"
#include "kernels/sparse_vector.hpp"
#include "methods/select.hpp"

namespace palate {
namespace {

using kernels::strip_width;

constexpr double batch_bytes = 800e6;
// Fewer people than this do not pay for laying out strips of the graph.
constexpr std::size_t people_for_strips = 64;

}  // namespace

// Rows of one batch of people; every row has `stride` floats.
struct CertifiedScorer::Batch {
  Batch(std::size_t people, std::size_t stride, std::size_t branches)
      : row(stride),
        first(people * stride, 0.0F),
        estimate(branches == 0 ? 0 : people * stride, 0.0F),
        y(branches, std::vector<float>(people * stride, 0.0F)),
        z(branches) {}

  std::size_t row;
  std::vector<float> first;           // sum_f a_1 x_f P_f
  std::vector<float> estimate;        // first + sum_f a_2 (y_f Z)(Z^T p_i)
  std::vector<std::vector<float>> y;  // per second-order branch: x_f P_f
  std::vector<std::vector<float>> z;  // per second-order branch: a_2 x_f W_f
};

CertifiedScorer::CertifiedScorer(const CaGfGraphs& graphs)
    : graphs_(graphs), stride_((graphs.items() + strip_width - 1) / strip_width * strip_width) {
  for (std::size_t b = 0; b < graphs.plan.branches.size(); ++b) {
    if (graphs.plan.branches[b].coefficients.size() == 2) second_.push_back(b);
  }
}

// z = a_2 x W, for the estimate.
void CertifiedScorer::project(const Signal& signal, std::size_t person, Batch& batch) const {
  for (std::size_t n = 0; n < second_.size(); ++n) {
    const Branch& branch = graphs_.plan.branches[second_[n]];
    const Subspace& space = graphs_.subspaces[branch.values];
    float* z = batch.z[n].data() + person * space.rank;
    std::fill_n(z, space.rank, 0.0F);
    const auto a = static_cast<float>(branch.coefficients[1]);
    for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
      const float x = a * signal.at(k, branch.criteria, graphs_.plan.criteria);
      const float* w = space.coordinates.data() + signal.ratings.items[k] * space.rank;
      for (std::size_t m = 0; m < space.rank; ++m) z[m] += x * w[m];
    }
  }
}

// Strip by strip: a strip of each P_f is laid out densely and serves all people while it is in
// cache.
void CertifiedScorer::first_order_by_strips(std::span<const Signal> signals, Batch& batch,
                                            ThreadPool& pool) const {
  const CaGfPlan& plan = graphs_.plan;
  const std::size_t items = graphs_.items();
  std::vector<std::vector<std::vector<float>>> x(
      plan.branches.size());  // branch, person, rated item
  for (std::size_t b = 0; b < plan.branches.size(); ++b) {
    for (const Signal& signal : signals) {
      std::vector<float> one(signal.ratings.size());
      for (std::size_t k = 0; k < one.size(); ++k) {
        one[k] = signal.at(k, plan.branches[b].criteria, plan.criteria);
      }
      x[b].push_back(std::move(one));
    }
  }
  struct Scratch {
    std::vector<float> strip, coordinates;
  };
  std::vector<Scratch> scratches(pool.size());
  pool.for_chunks(stride_ / strip_width, 1, [&](std::size_t begin, std::size_t, unsigned worker) {
    Scratch& my = scratches[worker];
    my.strip.resize(items * strip_width);
    const std::size_t from = begin * strip_width;
    const std::size_t to = std::min(items, from + strip_width);
    std::size_t n = 0;  // counts second-order branches
    for (std::size_t b = 0; b < plan.branches.size(); ++b) {
      const Branch& branch = plan.branches[b];
      std::fill(my.strip.begin(), my.strip.end(), 0.0F);
      for (std::size_t i = from; i < to; ++i) {  // P is symmetric: its columns are its rows
        const auto columns = graphs_.columns(branch, i);
        const float* row = graphs_.row(branch, i);
        float* column = my.strip.data() + (i - from);
        for (std::size_t k = 0; k < columns.size(); ++k) column[columns[k] * strip_width] = row[k];
      }
      const bool second = branch.coefficients.size() > 1;
      const auto a = static_cast<float>(branch.coefficients[0]);
      std::array<float, strip_width> sums{};
      for (std::size_t person = 0; person < signals.size(); ++person) {
        float* out = second ? batch.y[n].data() + person * batch.row + from : sums.data();
        kernels::combine_rows(my.strip.data(), signals[person].ratings.items, x[b][person].data(),
                              out);
        float* first = batch.first.data() + person * batch.row + from;
        for (std::size_t c = 0; c < strip_width; ++c) first[c] += a * out[c];
      }
      n += second ? 1 : 0;
    }
    if (second_.empty()) return;
    for (std::size_t person = 0; person < signals.size(); ++person) {
      std::copy_n(batch.first.data() + person * batch.row + from, strip_width,
                  batch.estimate.data() + person * batch.row + from);
    }
    for (n = 0; n < second_.size(); ++n) {
      const Subspace& space = graphs_.subspaces[plan.branches[second_[n]].values];
      my.coordinates.assign(space.rank * strip_width, 0.0F);
      for (std::size_t i = from; i < to; ++i) {
        for (std::size_t m = 0; m < space.rank; ++m) {
          my.coordinates[m * strip_width + (i - from)] = space.coordinates[i * space.rank + m];
        }
      }
      for (std::size_t person = 0; person < signals.size(); ++person) {
        kernels::add_all_rows(my.coordinates.data(), space.rank,
                              batch.z[n].data() + person * space.rank,
                              batch.estimate.data() + person * batch.row + from);
      }
    }
  });
}

// The same for one person, from the sparse rows.
void CertifiedScorer::first_order_by_rows(const Signal& signal, std::size_t person,
                                          Batch& batch) const {
  const CaGfPlan& plan = graphs_.plan;
  float* first = batch.first.data() + person * batch.row;
  std::vector<float> buffer(stride_);
  std::size_t n = 0;
  for (const Branch& branch : plan.branches) {
    const bool second = branch.coefficients.size() > 1;
    float* y = second ? batch.y[n].data() + person * batch.row : buffer.data();
    if (!second) std::fill(buffer.begin(), buffer.end(), 0.0F);
    for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
      const std::uint32_t j = signal.ratings.items[k];
      kernels::scatter_add(graphs_.columns(branch, j), graphs_.row(branch, j),
                           signal.at(k, branch.criteria, plan.criteria), y);
    }
    const auto a = static_cast<float>(branch.coefficients[0]);
    for (std::size_t i = 0; i < stride_; ++i) first[i] += a * y[i];
    n += second ? 1 : 0;
  }
  if (second_.empty()) return;
  float* estimate = batch.estimate.data() + person * batch.row;
  std::copy_n(first, stride_, estimate);
  for (n = 0; n < second_.size(); ++n) {
    const Subspace& space = graphs_.subspaces[plan.branches[second_[n]].values];
    const float* z = batch.z[n].data() + person * space.rank;
    for (std::size_t i = 0; i < graphs_.items(); ++i) {
      const float* w = space.coordinates.data() + i * space.rank;
      float sum = 0;
      for (std::size_t m = 0; m < space.rank; ++m) sum += z[m] * w[m];
      estimate[i] += sum;
    }
  }
}

float CertifiedScorer::exact(std::size_t person, std::size_t item, const Batch& batch) const {
  float score = batch.first[person * batch.row + item];
  for (std::size_t n = 0; n < second_.size(); ++n) {
    const Branch& branch = graphs_.plan.branches[second_[n]];
    const auto a = static_cast<float>(branch.coefficients[1]);
    score += a * kernels::sparse_dot(graphs_.columns(branch, item), graphs_.row(branch, item),
                                     batch.y[n].data() + person * batch.row);
  }
  return score;
}

std::vector<ScoredItem> CertifiedScorer::select(const Query& query, std::size_t person,
                                                Batch& batch, std::vector<float>& upper) const {
  const std::size_t items = graphs_.items();
  const std::span<float> first(batch.first.data() + person * batch.row, items);
  if (second_.empty()) return select_top(query, first);

  // |y'| with room for rounding, and |y|, per branch.
  struct Length {
    const Subspace* space;
    float outside, slack;
  };
  std::vector<Length> lengths;
  for (std::size_t n = 0; n < second_.size(); ++n) {
    const Branch& branch = graphs_.plan.branches[second_[n]];
    const Subspace& space = graphs_.subspaces[branch.values];
    const double a = std::abs(branch.coefficients[1]);
    if (a == 0) continue;
    const double whole = kernels::square_sum({batch.y[n].data() + person * batch.row, items});
    const double inside =
        kernels::square_sum({batch.z[n].data() + person * space.rank, space.rank}) / (a * a);
    lengths.push_back(
        {&space, static_cast<float>(a * std::sqrt(std::max(0.0, whole - inside) + 1e-10 * whole)),
         static_cast<float>(3e-6 * a * std::sqrt(whole))});
  }
  const std::span<float> estimate(batch.estimate.data() + person * batch.row, items);
  mask_ineligible(query, items, [&](std::size_t i) -> float& { return estimate[i]; });
  constexpr float never = -std::numeric_limits<float>::infinity();
  upper.assign(items, 0.0F);
  for (const auto& [space, outside, slack] : lengths) {
    const float* q = space->outside.data();
    const float* p = space->lengths.data();
    for (std::size_t i = 0; i < items; ++i) upper[i] += outside * q[i] + slack * p[i];
  }
  // `upper` holds the radius; now the K-th best lower bound, then the upper bounds that reach it.
  const std::size_t wanted = std::min(query.top, items);
  kernels::TopK lower;
  lower.reset(wanted);
  for (std::size_t i = 0; i < items; ++i) {
    if (estimate[i] == never) continue;
    const float rounding = 2e-6F * (std::abs(first[i]) + std::abs(estimate[i] - first[i]));
    upper[i] += rounding;
    lower.offer(estimate[i] - upper[i], static_cast<std::uint32_t>(i));
  }
  const auto best = lower.sorted();
  if (best.empty()) return {};
  const float reach = best.back().first;
  std::vector<kernels::TopK::Entry> candidates;
  for (std::size_t i = 0; i < items; ++i) {
    if (estimate[i] != never && estimate[i] + upper[i] >= reach) {
      candidates.emplace_back(estimate[i] + upper[i], static_cast<std::uint32_t>(i));
    }
  }
  std::sort(candidates.begin(), candidates.end(), kernels::TopK::better);
  kernels::TopK top;
  top.reset(wanted);
  for (const auto& [bound, item] : candidates) {
    if (top.full() && bound < top.worst()) break;
    top.offer(exact(person, item, batch), item);
  }
  return to_list(top);
}

void CertifiedScorer::recommend(std::span<const Query> queries, std::span<const Signal> signals,
                                std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const {
  const double row_bytes = static_cast<double>(stride_) * sizeof(float) *
                           static_cast<double>(second_.empty() ? 1 : 2 + second_.size());
  const auto most = static_cast<std::size_t>(std::max(16.0, batch_bytes / row_bytes));
  for (std::size_t begin = 0; begin < queries.size(); begin += most) {
    const std::size_t people = std::min(most, queries.size() - begin);
    const auto mine = signals.subspan(begin, people);
    Batch batch(people, stride_, second_.size());
    for (std::size_t n = 0; n < second_.size(); ++n) {
      const Branch& branch = graphs_.plan.branches[second_[n]];
      batch.z[n].resize(people * graphs_.subspaces[branch.values].rank);
    }
    pool.for_chunks(people, 16, [&](std::size_t from, std::size_t to, unsigned) {
      for (std::size_t person = from; person < to; ++person) project(mine[person], person, batch);
    });
    if (people >= people_for_strips) {
      first_order_by_strips(mine, batch, pool);
    } else {
      pool.for_chunks(people, 1, [&](std::size_t person, std::size_t, unsigned) {
        first_order_by_rows(mine[person], person, batch);
      });
    }
    pool.for_chunks(people, 16, [&](std::size_t from, std::size_t to, unsigned) {
      std::vector<float> upper;
      for (std::size_t person = from; person < to; ++person) {
        lists[begin + person] = select(queries[begin + person], person, batch, upper);
      }
    });
  }
}

void CertifiedScorer::score(const Signal& signal, std::span<float> scores) const {
  Batch batch(1, stride_, second_.size());
  for (std::size_t n = 0; n < second_.size(); ++n) {
    batch.z[n].resize(graphs_.subspaces[graphs_.plan.branches[second_[n]].values].rank);
  }
  project(signal, 0, batch);
  first_order_by_rows(signal, 0, batch);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = exact(0, i, batch);
}

}  // namespace palate
