#include "palate/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "core/ratings_data.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

enum Part : std::uint8_t { part_train, part_test, part_validation };

// One hash per interaction, of the seed and the two ids alone. Everything that is chosen at random
// is chosen by comparing these, so that neither the machine nor the order of rows matters.
std::vector<std::uint64_t> pair_keys(const Ratings& ratings, std::uint64_t seed) {
  std::vector<std::uint64_t> item_hash(ratings.items());
  for (std::uint32_t i = 0; i < item_hash.size(); ++i) {
    item_hash[i] = hash64(ratings.item_id(i), mix64(seed));
  }
  std::vector<std::uint64_t> keys;
  keys.reserve(ratings.interactions());
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const std::uint64_t user_hash = hash64(ratings.user_id(u), seed);
    for (const std::uint32_t item : ratings.of(u).items) {
      keys.push_back(mix64(user_hash ^ mix64(item_hash[item])));
    }
  }
  return keys;
}

// How many of `n` go to a part, of which `left` are still free: round(share * n), but at least one
// if there are two, and always leaving one.
std::size_t part_size(double share, std::size_t n, std::size_t left) {
  if (share <= 0 || left < 2) return 0;
  const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(n)));
  return std::clamp<std::size_t>(wanted, 1, left - 1);
}

// leave_last_out counts interactions, not shares.
std::size_t last_size(double number, std::size_t left) {
  if (left < 2) return 0;
  const double wanted = std::max(1.0, std::round(number));
  return wanted >= static_cast<double>(left) ? left - 1 : static_cast<std::size_t>(wanted);
}

void check_share(double share, const char* name) {
  if (!(share >= 0 && share < 1)) {
    throw Error(ErrorCode::usage,
                std::string("the ") + name + " share must be at least 0 and below 1", {},
                "0.2 sets one interaction in five aside");
  }
}

void check(const Ratings& ratings, const SplitOptions& options) {
  if (options.rule == SplitRule::leave_last_out) {
    if (!(options.test >= 0 && std::isfinite(options.test)) ||
        !(options.validation >= 0 && std::isfinite(options.validation))) {
      throw Error(ErrorCode::usage, "the number of interactions to leave out must not be negative",
                  {}, "1 sets every user's newest interaction aside");
    }
  } else {
    check_share(options.test, "test");
    check_share(options.validation, "validation");
    if (options.test + options.validation >= 1) {
      throw Error(ErrorCode::usage, "the test and validation shares leave nothing to train on", {},
                  "their sum must be below 1");
    }
  }
  if (options.rule != SplitRule::random_per_user && ratings.interactions() > 0 &&
      !ratings.has_times()) {
    throw Error(ErrorCode::unsupported, "a split by time needs times, and these ratings have none",
                {}, "split at random per user, or name the column that holds the times");
  }
}

// order holds the interactions in the order in which they leave train.
void assign(std::span<const std::size_t> order, std::size_t test, std::size_t validation,
            std::vector<std::uint8_t>& part) {
  for (std::size_t k = 0; k < test; ++k) part[order[k]] = part_test;
  for (std::size_t k = test; k < test + validation; ++k) part[order[k]] = part_validation;
}

// Interactions compared by (newest first,) key, and by position if even the hashes agree.
struct Leaves {
  const std::vector<std::uint64_t>& keys;
  const Array<std::int64_t>* times;  // null: at random

  bool operator()(std::size_t a, std::size_t b) const {
    if (times != nullptr && (*times)[a] != (*times)[b]) return (*times)[a] > (*times)[b];
    if (keys[a] != keys[b]) return keys[a] < keys[b];
    return a < b;
  }
};

// Hands over the interactions of one user after another, in the order in which they leave.
template <class Take>
void for_each_user(const Ratings& ratings, const Leaves& leaves, const Take& take) {
  const auto& offsets = ratings.data().offsets;
  std::vector<std::size_t> order;
  for (std::size_t u = 0; u < ratings.users(); ++u) {
    order.resize(offsets[u + 1] - offsets[u]);
    std::iota(order.begin(), order.end(), static_cast<std::size_t>(offsets[u]));
    std::sort(order.begin(), order.end(), leaves);
    take(order);
  }
}

std::vector<std::uint8_t> assign_per_user(const Ratings& ratings, const SplitOptions& options,
                                          const Leaves& leaves) {
  std::vector<std::uint8_t> part(ratings.interactions(), part_train);
  for_each_user(ratings, leaves, [&](std::span<const std::size_t> order) {
    const std::size_t n = order.size();
    std::size_t test = 0;
    std::size_t validation = 0;
    if (options.rule == SplitRule::leave_last_out) {
      test = last_size(options.test, n);
      if (options.validation > 0) validation = last_size(options.validation, n - test);
    } else {
      test = part_size(options.test, n, n);
      validation = part_size(options.validation, n, n - test);
    }
    assign(order, test, validation, part);
  });
  return part;
}

std::vector<std::uint8_t> assign_globally(const Ratings& ratings, const SplitOptions& options,
                                          const Leaves& leaves) {
  const std::size_t n = ratings.interactions();
  std::vector<std::uint8_t> part(n, part_train);
  const std::size_t test = part_size(options.test, n, n);
  const std::size_t validation = part_size(options.validation, n, n - test);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto at = [&](std::size_t k) { return order.begin() + static_cast<std::ptrdiff_t>(k); };
  // Only who is in which part matters, not the order within.
  if (test > 0) std::nth_element(order.begin(), at(test - 1), order.end(), leaves);
  if (validation > 0) std::nth_element(at(test), at(test + validation - 1), order.end(), leaves);
  assign(order, test, validation, part);
  return part;
}

Ratings take(const Ratings& ratings, const std::vector<std::uint8_t>& part, std::uint8_t which) {
  std::vector<std::uint8_t> keep(part.size());
  std::transform(part.begin(), part.end(), keep.begin(),
                 [which](std::uint8_t p) { return static_cast<std::uint8_t>(p == which); });
  return subset(ratings, keep);
}

}  // namespace

Split split(const Ratings& ratings, const SplitOptions& options) {
  check(ratings, options);
  const std::vector<std::uint64_t> keys = pair_keys(ratings, options.seed);
  const bool by_time = options.rule != SplitRule::random_per_user;
  const Leaves leaves{keys, by_time ? &ratings.data().times : nullptr};
  const std::vector<std::uint8_t> part = options.rule == SplitRule::global_time
                                             ? assign_globally(ratings, options, leaves)
                                             : assign_per_user(ratings, options, leaves);
  Split out;
  out.train = take(ratings, part, part_train);
  out.test = take(ratings, part, part_test);
  if (options.validation > 0) out.validation = take(ratings, part, part_validation);
  return out;
}

std::vector<Split> folds(const Ratings& ratings, std::size_t k, std::uint64_t seed) {
  if (k < 2) {
    throw Error(ErrorCode::usage, "there must be at least 2 folds", {}, "5 and 10 are common");
  }
  if (k > ratings.interactions()) {
    throw Error(ErrorCode::usage,
                std::to_string(k) + " folds are more than the " +
                    std::to_string(ratings.interactions()) + " interactions can fill",
                {}, "ask for fewer folds");
  }
  const std::vector<std::uint64_t> keys = pair_keys(ratings, seed);
  const Leaves leaves{keys, nullptr};
  std::vector<std::size_t> fold(ratings.interactions());
  // Dealt like cards, going on where the last user stopped: within a user and over all, no fold has
  // more than one interaction more than another.
  std::size_t next = 0;
  for_each_user(ratings, leaves, [&](std::span<const std::size_t> order) {
    for (const std::size_t position : order) {
      fold[position] = next;
      next = next + 1 == k ? 0 : next + 1;
    }
  });
  std::vector<Split> out(k);
  std::vector<std::uint8_t> keep(fold.size());
  for (std::size_t f = 0; f < k; ++f) {
    std::transform(fold.begin(), fold.end(), keep.begin(),
                   [f](std::size_t g) { return static_cast<std::uint8_t>(g == f); });
    out[f].test = subset(ratings, keep);
    for (std::uint8_t& flag : keep) flag ^= 1;
    out[f].train = subset(ratings, keep);
  }
  return out;
}

}  // namespace palate
