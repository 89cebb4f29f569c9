#include "methods/ca_gf_certified.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/sparse_vector.hpp"
#include "methods/dense_strip.hpp"
#include "methods/select.hpp"

namespace palate {
namespace {

using kernels::strip_width;

constexpr double batch_bytes = 1.2e9;
// Fewer people than this do not pay for laying out strips of the graph.
constexpr std::size_t people_for_strips = 64;
constexpr std::size_t people_per_chunk = 64;
constexpr float never = -std::numeric_limits<float>::infinity();

}  // namespace

// Rows of one batch of people, each of `stride` floats. Nothing is initialised.
struct CertifiedScorer::Batch {
  Batch(std::size_t people, std::size_t row_size, std::size_t branches)
      : stride(row_size), first(allocate(people)), z(branches) {
    if (branches > 0) estimate = allocate(people);
    for (std::size_t n = 0; n < branches; ++n) y.push_back(allocate(people));
  }

  [[nodiscard]] std::unique_ptr<float[]> allocate(std::size_t people) const {
    return std::make_unique_for_overwrite<float[]>(people * stride);
  }
  [[nodiscard]] float* first_of(std::size_t person) const noexcept {
    return first.get() + person * stride;
  }
  [[nodiscard]] float* estimate_of(std::size_t person) const noexcept {
    return estimate.get() + person * stride;
  }
  [[nodiscard]] float* y_of(std::size_t n, std::size_t person) const noexcept {
    return y[n].get() + person * stride;
  }

  std::size_t stride;
  std::unique_ptr<float[]> first;           // sum_f a_1 x_f P_f
  std::unique_ptr<float[]> estimate;        // first + sum_f a_2 (y_f Z)(Z^T p_i)
  std::vector<std::unique_ptr<float[]>> y;  // per second-order branch: x_f P_f
  std::vector<std::vector<float>> z;        // per second-order branch: a_2 x_f W_f
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

void CertifiedScorer::first_orders_by_strips(std::span<const Signal> signals, Batch& batch,
                                             ThreadPool& pool) const {
  const CaGfPlan& plan = graphs_.plan;
  std::vector<std::vector<std::vector<float>>> x(plan.branches.size());  // branch, person, item
  for (std::size_t b = 0; b < plan.branches.size(); ++b) {
    x[b].resize(signals.size());
    for (std::size_t person = 0; person < signals.size(); ++person) {
      for (std::size_t k = 0; k < signals[person].ratings.size(); ++k) {
        x[b][person].push_back(signals[person].at(k, plan.branches[b].criteria, plan.criteria));
      }
    }
  }
  DenseStrip strip(graphs_.items());
  std::vector<float> coordinates;
  const auto for_people = [&](const auto& body) {
    pool.for_chunks(signals.size(), people_per_chunk,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (std::size_t person = begin; person < end; ++person) body(person);
                    });
  };
  for (std::size_t from = 0; from < stride_; from += strip_width) {
    std::size_t n = 0;  // counts second-order branches
    for (std::size_t b = 0; b < plan.branches.size(); ++b) {
      const Branch& branch = plan.branches[b];
      strip.lay_out(graphs_, branch, from, pool);
      const bool second = branch.coefficients.size() == 2;
      const auto a = static_cast<float>(branch.coefficients[0]);
      for_people([&](std::size_t person) {
        std::array<float, strip_width> sums{};
        float* out = second ? batch.y_of(n, person) + from : sums.data();
        kernels::combine_rows(strip.data(), signals[person].ratings.items, x[b][person].data(),
                              out);
        float* first = batch.first_of(person) + from;
        if (b == 0) std::fill_n(first, strip_width, 0.0F);
        for (std::size_t c = 0; c < strip_width; ++c) first[c] += a * out[c];
      });
      n += second ? 1 : 0;
    }
    for (n = 0; n < second_.size(); ++n) {
      const Subspace& space = graphs_.subspaces[plan.branches[second_[n]].values];
      coordinates.assign(space.rank * strip_width, 0.0F);
      for (std::size_t i = from; i < std::min(graphs_.items(), from + strip_width); ++i) {
        for (std::size_t m = 0; m < space.rank; ++m) {
          coordinates[m * strip_width + (i - from)] = space.coordinates[i * space.rank + m];
        }
      }
      for_people([&](std::size_t person) {
        float* estimate = batch.estimate_of(person) + from;
        if (n == 0) std::copy_n(batch.first_of(person) + from, strip_width, estimate);
        kernels::add_all_rows(coordinates.data(), space.rank,
                              batch.z[n].data() + person * space.rank, estimate);
      });
    }
  }
}

void CertifiedScorer::second_orders_by_strips(std::span<std::vector<Candidate>> candidates,
                                              const Batch& batch, ThreadPool& pool) const {
  DenseStrip strip(graphs_.items());
  for (std::size_t n = 0; n < second_.size(); ++n) {
    const Branch& branch = graphs_.plan.branches[second_[n]];
    const double a = branch.coefficients[1];
    for (std::size_t from = 0; from < stride_; from += strip_width) {
      strip.lay_out(graphs_, branch, from, pool);
      pool.for_chunks(candidates.size(), people_per_chunk,
                      [&](std::size_t begin, std::size_t end, unsigned) {
                        for (std::size_t person = begin; person < end; ++person) {
                          const float* y = batch.y_of(n, person) + from;
                          for (Candidate& one : candidates[person]) {
                            one.second += a * kernels::strip_dot(strip.row(one.item), y);
                          }
                        }
                      });
    }
  }
}

void CertifiedScorer::first_orders_by_rows(const Signal& signal, std::size_t person,
                                           Batch& batch) const {
  const CaGfPlan& plan = graphs_.plan;
  float* first = batch.first_of(person);
  std::fill_n(first, stride_, 0.0F);
  std::vector<float> buffer(stride_);
  std::size_t n = 0;
  for (const Branch& branch : plan.branches) {
    const bool second = branch.coefficients.size() == 2;
    float* y = second ? batch.y_of(n, person) : buffer.data();
    std::fill_n(y, stride_, 0.0F);
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
  float* estimate = batch.estimate_of(person);
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

double CertifiedScorer::second_order(std::size_t person, std::size_t item,
                                     const Batch& batch) const {
  double total = 0;
  for (std::size_t n = 0; n < second_.size(); ++n) {
    const Branch& branch = graphs_.plan.branches[second_[n]];
    total += branch.coefficients[1] * kernels::sparse_dot(graphs_.columns(branch, item),
                                                          graphs_.row(branch, item),
                                                          batch.y_of(n, person));
  }
  return total;
}

std::vector<CertifiedScorer::Candidate> CertifiedScorer::candidates(
    const Query& query, std::size_t person, Batch& batch, std::vector<float>& radius) const {
  const std::size_t items = graphs_.items();
  const float* first = batch.first_of(person);
  const std::span<float> estimate(batch.estimate_of(person), items);
  radius.assign(items, 0.0F);
  for (std::size_t n = 0; n < second_.size(); ++n) {
    const Branch& branch = graphs_.plan.branches[second_[n]];
    const Subspace& space = graphs_.subspaces[branch.values];
    const double a = std::abs(branch.coefficients[1]);
    if (a == 0) continue;
    const double whole = kernels::square_sum({batch.y_of(n, person), items});
    const double inside =
        kernels::square_sum({batch.z[n].data() + person * space.rank, space.rank}) / (a * a);
    // |y'| |p_i'|, and room for the rounding of Z, W and the estimate.
    const auto outside =
        static_cast<float>(a * std::sqrt(std::max(0.0, whole - inside) + 1e-10 * whole));
    const auto slack = static_cast<float>(3e-6 * a * std::sqrt(whole));
    const float* q = space.outside.data();
    const float* p = space.lengths.data();
    for (std::size_t i = 0; i < items; ++i) radius[i] += outside * q[i] + slack * p[i];
  }
  mask_ineligible(query, items, [&](std::size_t i) -> float& { return estimate[i]; });
  kernels::TopK lower;
  lower.reset(std::min(query.top, items));
  for (std::size_t i = 0; i < items; ++i) {
    if (estimate[i] == never) continue;
    radius[i] += 2e-6F * (std::abs(first[i]) + std::abs(estimate[i] - first[i]));
    lower.offer(estimate[i] - radius[i], static_cast<std::uint32_t>(i));
  }
  std::vector<Candidate> out;
  const auto best = lower.sorted();
  if (best.empty()) return out;
  const float reach = best.back().first;
  for (std::size_t i = 0; i < items; ++i) {
    if (estimate[i] != never && estimate[i] + radius[i] >= reach) {
      out.push_back({static_cast<std::uint32_t>(i), estimate[i] + radius[i]});
    }
  }
  std::sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound > b.bound || (a.bound == b.bound && a.item < b.item);
  });
  return out;
}

void CertifiedScorer::recommend(std::span<const Query> queries, std::span<const Signal> signals,
                                std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const {
  const double row_bytes = static_cast<double>(stride_) * sizeof(float) *
                           static_cast<double>(second_.empty() ? 1 : 2 + second_.size());
  const std::size_t most =
      std::min(queries.size(), static_cast<std::size_t>(std::max(16.0, batch_bytes / row_bytes)));
  Batch batch(most, stride_, second_.size());
  for (std::size_t n = 0; n < second_.size(); ++n) {
    batch.z[n].resize(most * graphs_.subspaces[graphs_.plan.branches[second_[n]].values].rank);
  }
  for (std::size_t begin = 0; begin < queries.size(); begin += most) {
    const std::size_t people = std::min(most, queries.size() - begin);
    const auto mine = signals.subspan(begin, people);
    const bool by_strips = people >= people_for_strips;
    pool.for_chunks(people, 16, [&](std::size_t from, std::size_t to, unsigned) {
      for (std::size_t person = from; person < to; ++person) {
        project(mine[person], person, batch);
        if (!by_strips) first_orders_by_rows(mine[person], person, batch);
      }
    });
    if (by_strips) first_orders_by_strips(mine, batch, pool);
    const std::size_t items = graphs_.items();
    if (second_.empty()) {
      pool.for_chunks(people, 16, [&](std::size_t from, std::size_t to, unsigned) {
        for (std::size_t person = from; person < to; ++person) {
          lists[begin + person] =
              select_top(queries[begin + person], {batch.first_of(person), items});
        }
      });
      continue;
    }
    std::vector<std::vector<Candidate>> found(people);
    pool.for_chunks(people, 16, [&](std::size_t from, std::size_t to, unsigned) {
      std::vector<float> radius;
      for (std::size_t person = from; person < to; ++person) {
        found[person] = candidates(queries[begin + person], person, batch, radius);
      }
    });
    if (by_strips) second_orders_by_strips(found, batch, pool);
    pool.for_chunks(people, 16, [&](std::size_t from, std::size_t to, unsigned) {
      kernels::TopK top;
      for (std::size_t person = from; person < to; ++person) {
        top.reset(std::min(queries[begin + person].top, items));
        for (const Candidate& one : found[person]) {
          if (top.full() && one.bound < top.worst()) break;
          const double second = by_strips ? one.second : second_order(person, one.item, batch);
          top.offer(rounded(batch.first_of(person)[one.item], second), one.item);
        }
        lists[begin + person] = to_list(top);
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
  first_orders_by_rows(signal, 0, batch);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = rounded(batch.first_of(0)[i], second_order(0, i, batch));
  }
}

}  // namespace palate
