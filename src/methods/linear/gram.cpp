#include "methods/linear/gram.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/ratings_data.hpp"
#include "methods/linear/spd_inverse.hpp"

namespace palate {
namespace {

// Who rated an item, and where that stands among their ratings.
struct Rater {
  std::uint32_t user, place;
};
struct RatersByItem {
  std::vector<std::uint64_t> offsets;
  std::vector<Rater> raters;
};

RatersByItem index_by_item(const Ratings& train) {
  RatersByItem out;
  out.offsets.assign(train.items() + 1, 0);
  for (const std::uint32_t item : train.data().items) ++out.offsets[item + 1];
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  out.raters.resize(train.interactions());
  std::vector<std::uint64_t> next(out.offsets.begin(), out.offsets.end() - 1);
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    const UserRatings row = train.of(user);
    for (std::uint32_t k = 0; k < row.size(); ++k) out.raters[next[row.items[k]]++] = {user, k};
  }
  return out;
}

}  // namespace

double gram_bytes(const Ratings& train) {
  const auto items = static_cast<double>(train.items());
  return items * items * sizeof(double) + static_cast<double>(train.interactions()) * sizeof(Rater);
}

std::vector<double> gram(const Ratings& train, const LinearSignal& signal,
                         std::span<const double> people, const FitResources& resources) {
  const std::size_t items = train.items();
  const std::size_t width = train.criteria().size();
  const RatersByItem index = index_by_item(train);
  std::vector<double> out(items * items, 0.0);
  const auto column = [&](std::size_t j) {
    double* sums = out.data() + j * items;
    for (std::uint64_t n = index.offsets[j]; n < index.offsets[j + 1]; ++n) {
      const auto [user, place] = index.raters[n];
      const UserRatings row = train.of(user);
      const double weight = people.empty() ? 1.0 : people[user];
      for (std::size_t k = place; k < row.size(); ++k) {
        for (CriterionSet rest = signal.criteria; rest != 0; rest &= rest - 1) {
          const auto c = static_cast<std::size_t>(std::countr_zero(rest));
          sums[row.items[k]] += weight * static_cast<double>(signal.of(row, place, c, width)) *
                                static_cast<double>(signal.of(row, k, c, width));
        }
      }
    }
  };
  resources.pool.for_chunks(items, 16, "graph", resources.progress,
                            [&](std::size_t begin, std::size_t end, unsigned) {
                              for (std::size_t j = begin; j < end; ++j) column(j);
                            });
  return out;
}

std::vector<float> ridge_weights(std::vector<double> gram, std::size_t items,
                                 const FitResources& resources) {
  invert_spd(gram, items, resources);
  std::vector<float> out(items * items);
  resources.pool.for_chunks(items, 16, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < items; ++i) {
        const double both = gram[std::min(i, j) * items + std::max(i, j)];
        out[j * items + i] = i == j ? 0.0F : static_cast<float>(-both / gram[i * items + i]);
      }
    }
  });
  return out;
}

SignalSums signal_sums(const Ratings& train, const LinearSignal& signal) {
  SignalSums out{std::vector(train.users(), 0.0), std::vector(train.items(), 0.0)};
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    const UserRatings row = train.of(user);
    for (std::size_t k = 0; k < row.size(); ++k) {
      for (CriterionSet rest = signal.criteria; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<std::size_t>(std::countr_zero(rest));
        const auto x = static_cast<double>(signal.of(row, k, c, train.criteria().size()));
        out.users[user] += x;
        out.items[row.items[k]] += x;
      }
    }
  }
  return out;
}

}  // namespace palate
