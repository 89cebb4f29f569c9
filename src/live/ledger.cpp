#include "live/ledger.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace palate::live {
namespace {

// A sum that falls below this share of what it was is added up anew.
constexpr double small_share = 1e-6;

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

Ledger::Ledger(State& next) : width_(next.base->criteria()), raters_(next.items()) {
  std::vector<Total> totals(next.items() * width_);
  next.interactions = 0;
  for (std::uint32_t user = 0; user < next.users.size(); ++user) {
    const UserRatings& row = next.users[user].ratings;
    next.interactions += row.size();
    for (std::size_t k = 0; k < row.size(); ++k) {
      raters_[row.items[k]].push_back(user);
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
  sum_shares(next);
  std::vector<std::uint32_t> all(next.items());
  std::iota(all.begin(), all.end(), 0U);
  next.raters = std::make_shared<const std::vector<float>>();
  publish(next, all);
}

void Ledger::grow(State& next) {
  raters_.resize(next.items());
  while (next.totals.size() < next.items() * width_) next.totals.push_back({}, next.version);
  auto raters = std::make_shared<std::vector<float>>(*next.raters);
  raters->resize(next.items(), 0.0F);
  next.raters = std::move(raters);
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
    add_shares(state.users[user].ratings, 1.0);
  }
}

void Ledger::publish(State& next, std::span<const std::uint32_t> items) const {
  auto raters = std::make_shared<std::vector<float>>(*next.raters);
  raters->resize(next.items());
  for (const std::uint32_t item : items) {
    (*raters)[item] = static_cast<float>(next.total(item, 0).count);
  }
  next.raters = std::move(raters);
  const auto power = next.base->plan->preference;
  next.preference =
      power ? CriteriaPreference::from_sums(width_, t_, *power) : CriteriaPreference(width_);
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
  if (total.count == 0 || total.sum >= small_share * old) return;
  total.sum = 0;
  for (const std::uint32_t user : raters_[item]) {
    const UserRatings& row = next.users[user].ratings;
    if (const auto value = value_of(row, position_of(row, item), criterion, width_)) {
      total.sum += static_cast<double>(*value);
    }
  }
}

void Ledger::change(State& next, std::uint32_t user, std::shared_ptr<const OwnedRatings> row,
                    std::vector<std::uint32_t>& items) {
  const User old = next.users[user];
  const UserRatings& before = old.ratings;
  User& now = next.users.edit(user, next.version);
  now.ratings = row->view();
  now.owner = std::move(row);
  const UserRatings after = now.ratings;
  next.interactions += after.size();
  next.interactions -= before.size();

  std::vector<std::uint32_t> both;
  std::set_union(before.items.begin(), before.items.end(), after.items.begin(), after.items.end(),
                 std::back_inserter(both));
  for (const std::uint32_t item : both) {
    const std::size_t from = position_of(before, item);
    const std::size_t to = position_of(after, item);
    std::vector<std::uint32_t>& raters = raters_[item];
    const auto place = std::lower_bound(raters.begin(), raters.end(), user);
    if (from == before.size()) raters.insert(place, user);
    if (to == after.size()) raters.erase(place);
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
    if (t_[k] < small_share * t[k] || t_[k] < 0) {
      sum_shares(next);
      break;
    }
  }
}

PairSum Ledger::pair_sum(const State& state, CriterionSet criteria, std::uint32_t a,
                         std::uint32_t b) const {
  PairSum out;
  std::vector<std::uint32_t> users;
  std::set_intersection(raters_[a].begin(), raters_[a].end(), raters_[b].begin(), raters_[b].end(),
                        std::back_inserter(users));
  for (const std::uint32_t user : users) {
    const UserRatings& row = state.users[user].ratings;
    const std::size_t at_a = position_of(row, a);
    const std::size_t at_b = position_of(row, b);
    double sum = 0;
    for (CriterionSet rest = criteria; rest != 0; rest &= rest - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(rest));
      double whole = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        whole += static_cast<double>(row.values[k * width_ + c]);
      }
      if (whole > 0) {
        sum += static_cast<double>(row.values[at_a * width_ + c]) *
               static_cast<double>(row.values[at_b * width_ + c]) / whole;
      }
    }
    if (sum <= 0) continue;
    out.sum += sum;
    ++out.users;
  }
  return out;
}

}  // namespace palate::live
