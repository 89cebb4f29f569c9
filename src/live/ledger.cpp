#include "live/ledger.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "graph/tolerances.hpp"

namespace palate::live {
namespace {

std::optional<float> value_of(const UserRatings& ratings, std::size_t k, std::size_t criterion,
                              std::size_t width) {
  if (k >= ratings.size() || (ratings.present[k] >> criterion & 1U) == 0) return std::nullopt;
  return ratings.values[k * width + criterion];
}

}  // namespace

std::size_t position_of(const UserRatings& ratings, std::uint32_t item) noexcept {
  const auto at = std::lower_bound(ratings.items.begin(), ratings.items.end(), item);
  const bool there = at != ratings.items.end() && *at == item;
  return there ? static_cast<std::size_t>(at - ratings.items.begin()) : ratings.size();
}

Ledger::Ledger(State& next) : width_(next.base->criteria()) {
  std::vector<std::vector<std::uint32_t>> raters(next.items());
  std::vector<Total> totals(next.items() * width_);
  next.interactions = 0;
  for (std::uint32_t user = 0; user < next.users.size(); ++user) {
    const UserRatings& all = next.users[user].ratings;
    next.interactions += all.size();
    for (const std::uint32_t item : all.items) raters[item].push_back(user);
    const UserRatings row = next.users[user].for_others();
    for (std::size_t k = 0; k < row.size(); ++k) {
      for (std::size_t c = 0; c < width_; ++c) {
        const auto value = value_of(row, k, c, width_);
        if (!value) continue;
        Total& total = totals[row.items[k] * width_ + c];
        total.sum += static_cast<double>(*value);
        ++total.count;
      }
    }
  }
  next.totals = {};
  for (const Total& total : totals) next.totals.push_back(total, next.version);
  next.raters = {};
  for (auto& of_item : raters) {
    next.raters.push_back(std::make_shared<const std::vector<std::uint32_t>>(std::move(of_item)),
                          next.version);
  }
  sum_shares(next);
  std::vector<std::uint32_t> all(next.items());
  std::iota(all.begin(), all.end(), 0U);
  next.rater_counts = std::make_shared<const std::vector<float>>();
  publish(next, all);
}

void Ledger::grow(State& next) {
  while (next.raters.size() < next.items()) {
    next.raters.push_back(std::make_shared<const std::vector<std::uint32_t>>(), next.version);
  }
  while (next.totals.size() < next.items() * width_) next.totals.push_back({}, next.version);
  auto counts = std::make_shared<std::vector<float>>(*next.rater_counts);
  counts->resize(next.items(), 0.0F);
  next.rater_counts = std::move(counts);
}

// T += sign * x^T x, x being the shares of someone's rating sums.
void Ledger::add_shares(const UserRatings& ratings, double sign) {
  std::array<double, max_criteria> buffer{};
  const std::span<double> share = std::span(buffer).first(width_);
  CriteriaPreference::shares(ratings, share);
  for (std::size_t a = 0; a < width_; ++a) {
    for (std::size_t b = 0; b < width_; ++b) t_[a * width_ + b] += sign * share[a] * share[b];
  }
}

void Ledger::sum_shares(const State& state) {
  t_.assign(width_ * width_, 0.0);
  for (std::size_t user = 0; user < state.users.size(); ++user) {
    add_shares(state.users[user].for_others(), 1.0);
  }
}

void Ledger::publish(State& next, std::span<const std::uint32_t> items) const {
  auto counts = std::make_shared<std::vector<float>>(*next.rater_counts);
  counts->resize(next.items());
  for (const std::uint32_t item : items) {
    (*counts)[item] = static_cast<float>(next.total(item, 0).count);
  }
  next.rater_counts = std::move(counts);
  const FilterPlan* plan = next.base->plan.get();
  next.preference = plan != nullptr && plan->preference
                        ? CriteriaPreference::from_sums(width_, t_, *plan->preference)
                        : CriteriaPreference(width_);
}

void Ledger::change_total(State& next, std::uint32_t item, std::size_t criterion,
                          std::optional<float> before, std::optional<float> after) {
  Total& total = next.totals.edit(item * width_ + criterion, next.version);
  const double old = total.sum;
  if (before) {
    --total.count;
    total.sum -= static_cast<double>(*before);
  }
  if (after) {
    ++total.count;
    total.sum += static_cast<double>(*after);
  }
  if (total.count == 0) total.sum = 0;
  if (total.count == 0 || total.sum >= tolerance::small_total * old) return;
  total.sum = 0;
  for (const std::uint32_t user : *next.raters[item]) {
    const UserRatings row = next.users[user].for_others();
    if (const auto value = value_of(row, position_of(row, item), criterion, width_)) {
      total.sum += static_cast<double>(*value);
    }
  }
}

void Ledger::change_raters(State& next, std::uint32_t item, std::uint32_t user, bool rates) {
  auto raters = std::make_shared<std::vector<std::uint32_t>>(*next.raters[item]);
  const auto place = std::lower_bound(raters->begin(), raters->end(), user);
  if (rates) {
    raters->insert(place, user);
  } else {
    raters->erase(place);
  }
  next.raters.edit(item, next.version) = std::move(raters);
}

void Ledger::change(State& next, std::uint32_t user, std::shared_ptr<const OwnedRatings> row,
                    std::vector<std::uint32_t>& items) {
  const User old = next.users[user];
  User& now = next.users.edit(user, next.version);
  now.changed = next.version;
  now.ratings = row->view();
  now.owner = std::move(row);
  now.learned = next.learned_of(now.ratings);
  const UserRatings rated = now.ratings;
  next.interactions += rated.size();
  next.interactions -= old.ratings.size();
  const UserRatings before = old.for_others();
  const UserRatings after = now.for_others();

  std::vector<std::uint32_t> both;
  std::set_union(old.ratings.items.begin(), old.ratings.items.end(), rated.items.begin(),
                 rated.items.end(), std::back_inserter(both));
  for (const std::uint32_t item : both) {
    if (position_of(old.ratings, item) == old.ratings.size()) {
      change_raters(next, item, user, true);
    }
    if (position_of(rated, item) == rated.size()) change_raters(next, item, user, false);
    const std::size_t from = position_of(before, item);
    const std::size_t to = position_of(after, item);
    bool changed = false;
    for (std::size_t c = 0; c < width_; ++c) {
      const auto less = value_of(before, from, c, width_);
      const auto more = value_of(after, to, c, width_);
      if (less == more) continue;
      change_total(next, item, c, less, more);
      changed = true;
    }
    if (changed) items.push_back(item);
  }

  const std::vector<double> t = t_;
  add_shares(before, -1.0);
  add_shares(after, 1.0);
  for (std::size_t k = 0; k < t_.size(); ++k) {
    if (t_[k] < tolerance::small_total * t[k] || t_[k] < 0) {
      sum_shares(next);
      break;
    }
  }
}

}  // namespace palate::live
