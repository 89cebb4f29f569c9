#include "people.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace palate::cli {
namespace {

constexpr std::size_t people_by_default = 3;
constexpr std::size_t favourites_shown = 5;
constexpr std::size_t candidates_kept = 60;
// A criterion turned up or standing alone may bring up items that the plain list ranks far down.
constexpr std::size_t candidates_per_criterion = 12;
constexpr double most_turned = 8;  // by the dials of the page

std::vector<std::string> busiest_users(const Ratings& ratings) {
  std::vector<std::uint32_t> order(ratings.users());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t wanted = std::min(people_by_default, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const std::size_t na = ratings.of(a).size(), nb = ratings.of(b).size();
                      return na != nb ? na > nb : a < b;
                    });
  std::vector<std::string> ids;
  for (std::size_t k = 0; k < wanted; ++k) {
    if (ratings.of(order[k]).size() > 0) ids.emplace_back(ratings.user_id(order[k]));
  }
  return ids;
}

std::vector<RatedItem> favourites_of(const Ratings& ratings, std::uint32_t user) {
  const UserRatings own = ratings.of(user);
  const std::size_t criteria = ratings.criteria().size();
  const auto sum = [&](std::size_t k) {
    const auto row = own.values.subspan(k * criteria, criteria);
    return std::accumulate(row.begin(), row.end(), 0.0);
  };
  std::vector<std::size_t> order(own.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const float ra = own.values[a * criteria], rb = own.values[b * criteria];
    return ra != rb ? ra > rb : sum(a) > sum(b);
  });
  order.resize(std::min(order.size(), favourites_shown));

  std::vector<RatedItem> out;
  for (const std::size_t k : order) {
    RatedItem rated{std::string(ratings.item_id(own.items[k])),
                    std::string(ratings.item_title(own.items[k])),
                    {}};
    for (std::size_t c = 0; c < criteria; ++c) {
      const bool present = (own.present[k] >> c & 1U) != 0;
      rated.values.push_back(present ? std::optional(own.values[k * criteria + c]) : std::nullopt);
    }
    out.push_back(std::move(rated));
  }
  return out;
}

std::vector<float> to_vector(std::span<const float> row) { return {row.begin(), row.end()}; }

// Fills in parts and baseline. A method that does not know criteria leaves the parts at 0.
void attribute(const Model& model, const std::string& user, std::size_t criteria,
               std::vector<Candidate>& candidates) {
  std::vector<std::string> items;
  for (const Candidate& candidate : candidates) items.push_back(candidate.item);
  std::vector<std::vector<double>> rows;
  try {
    rows = model.attributions(user, items);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
  }
  rows.resize(items.size());
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    Candidate& candidate = candidates[k];
    candidate.parts = std::move(rows[k]);
    candidate.parts.resize(criteria, 0.0);
    double sum = 0;
    for (double& part : candidate.parts) {
      if (!std::isfinite(part)) part = 0;
      sum += part;
    }
    // The score is a float and the parts are doubles: a difference of rounding is no baseline.
    const double rest = candidate.score - sum;
    candidate.baseline = std::abs(rest) > 1e-4 * std::abs(candidate.score) ? rest : 0.0;
    candidate.tilts = model.tilts(candidate.item);
  }
}

bool any_dial_moves(const std::vector<Candidate>& candidates) {
  return std::any_of(candidates.begin(), candidates.end(), [](const Candidate& one) {
    return std::any_of(one.tilts.begin(), one.tilts.end(),
                       [](const Tilt& tilt) { return tilt.up != 0 || tilt.down != 0; });
  });
}

// Adds what is near the top when one criterion is turned up or down as far as the page can.
void widen(const Model& model, const std::string& user, std::span<const Criterion> criteria,
           std::vector<Candidate>& candidates) {
  std::set<std::string> known;
  for (const Candidate& candidate : candidates) known.insert(candidate.item);
  std::vector<Candidate> more;
  const auto take = [&](const RecommendOptions& options) {
    const Recommendations list = model.recommend(user, options);
    for (std::size_t k = 0; k < list.items.size(); ++k) {
      const Recommended& r = list.items[k];
      if (known.insert(r.item).second) {
        more.push_back({r.item, r.title, 0, 0, {}, {}, {}, to_vector(list.predicted_for(k)), {}});
      }
    }
  };
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    for (const double weight : {most_turned, 1 / most_turned}) {
      take({.top = candidates_per_criterion, .weights = {{criteria[c].name, weight}}});
    }
  }
  if (more.empty()) return;
  attribute(model, user, criteria.size(), more);
  for (Candidate& candidate : more) {
    candidate.score = std::accumulate(candidate.parts.begin(), candidate.parts.end(), 0.0);
    candidate.baseline = 0;
  }
  std::stable_sort(more.begin(), more.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  std::move(more.begin(), more.end(), std::back_inserter(candidates));
}

void mark_tested(const Ratings& test, const std::string& user, std::vector<Candidate>& candidates) {
  const std::optional<std::uint32_t> index = test.find_user(user);
  if (!index) return;
  const UserRatings own = test.of(*index);
  const std::size_t criteria = test.criteria().size();
  for (Candidate& candidate : candidates) {
    const auto item = test.find_item(candidate.item);
    if (!item) continue;
    const auto at = std::lower_bound(own.items.begin(), own.items.end(), *item);
    if (at == own.items.end() || *at != *item) continue;
    const auto k = static_cast<std::size_t>(at - own.items.begin());
    if ((own.present[k] & 1U) != 0) candidate.in_test = own.values[k * criteria];
  }
}

std::vector<double> preference_of(const Model& model, const Person& person) {
  if (!model.info().preference || person.candidates.empty()) return {};
  std::vector<double> shares = model.explain(person.id, person.candidates.front().item).preference;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!std::isfinite(sum) || sum <= 0) return {};
  for (double& share : shares) share /= sum;
  return shares;
}

Person ask_about(const ReportInput& input, const std::string& id) {
  const Model& model = *input.model;
  const Ratings& ratings = *input.ratings;
  const auto criteria = ratings.criteria();
  Person person;
  person.id = id;
  person.unrated = ratings.items();
  if (const auto index = ratings.find_user(id)) {
    const UserRatings own = ratings.of(*index);
    person.rated = own.size();
    person.unrated -= static_cast<std::size_t>(std::count_if(
        own.present.begin(), own.present.end(), [](std::uint32_t one) { return (one & 1U) != 0; }));
    person.favourites = favourites_of(ratings, *index);
  }
  const Recommendations list = model.recommend(id, {.top = candidates_kept});
  person.basis = list.basis;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Recommended& r = list.items[k];
    person.candidates.push_back(
        {r.item, r.title, r.score, 0, {}, {}, r.match, to_vector(list.predicted_for(k)), {}});
  }
  attribute(model, id, criteria.size(), person.candidates);
  person.weighable =
      person.basis == Basis::ratings && criteria.size() > 1 && any_dial_moves(person.candidates);
  if (person.weighable) widen(model, id, criteria, person.candidates);
  if (input.test != nullptr) mark_tested(*input.test, id, person.candidates);
  if (person.basis == Basis::ratings) person.preference = preference_of(model, person);
  return person;
}

}  // namespace

std::vector<Person> ask_about_people(const ReportInput& input) {
  const std::vector<std::string> ids =
      input.users.empty() ? busiest_users(*input.ratings) : input.users;
  std::vector<Person> people;
  for (const std::string& id : ids) people.push_back(ask_about(input, id));
  return people;
}

}  // namespace palate::cli
