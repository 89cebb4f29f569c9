#include "api/answers.hpp"

#include <algorithm>
#include <cmath>

#include "palate/error.hpp"

namespace palate {
Request::Request(const Advisor::Impl& asked, const RecommendOptions& options)
    : asked_(asked),
      weights_(resolve_weights(asked.ratings->criteria(), *asked.recommender, options.weights)),
      known_(asked.ratings->known_items()),
      top_(options.top),
      exclude_seen_(options.exclude_seen) {
  if (!options.allow.empty()) {
    allowed_.assign(ratings().item_indices(), 0);
    bool any = false;
    for (const std::string& id : options.allow) {
      if (const auto item = ratings().find_item(id)) {
        allowed_[*item] = 1;
        any = true;
      }
    }
    if (!any) throw Error(ErrorCode::not_found, "none of the allowed items is known");
  }
  if (!options.deny.empty()) {
    if (allowed_.empty()) allowed_.assign(known_.begin(), known_.end());
    if (allowed_.empty()) allowed_.assign(ratings().item_indices(), 1);
    for (const std::string& id : options.deny) {
      if (const auto item = ratings().find_item(id)) allowed_[*item] = 0;
    }
  }
}

Basis Request::basis(const Asker& who) const {
  const UserRatings& row = who.ratings;
  const std::size_t width = ratings().criteria().size();
  const CriterionSet signals = asked_.recommender->signals();
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    if ((signals >> k % width & 1U) != 0 && row.values[k] > 0) return Basis::ratings;
  }
  return Basis::popularity;
}

Recommendations to_public(const RatingsView& ratings, std::string user, Basis basis,
                          std::span<const ScoredItem> list) {
  Recommendations out{std::move(user), basis, {}};
  out.items.reserve(list.size());
  for (const ScoredItem& scored : list) {
    out.items.push_back({scored.item, std::string(ratings.item_id(scored.item)),
                         std::string(ratings.item_title(scored.item)), scored.score});
  }
  return out;
}

namespace {

/// Lists of some people: those with ratings from the recommender in one go, the others from the
/// fallback.
std::vector<Recommendations> answer_batch(const Request& request, std::span<const Asker> people,
                                          std::span<const std::string> users, ThreadPool& pool) {
  std::vector<Recommendations> out(people.size());
  for (const Basis basis : {Basis::ratings, Basis::popularity}) {
    std::vector<Query> queries;
    std::vector<std::size_t> of;
    for (std::size_t k = 0; k < people.size(); ++k) {
      if (request.basis(people[k]) != basis) continue;
      queries.push_back(request.query(people[k]));
      of.push_back(k);
    }
    if (queries.empty()) continue;
    std::vector<std::vector<ScoredItem>> lists(queries.size());
    request.who_answers(basis).recommend(queries, lists, pool);
    pool.for_chunks(of.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t n = begin; n < end; ++n) {
        out[of[n]] = to_public(request.ratings(), users[of[n]], basis, lists[n]);
      }
    });
  }
  return out;
}

}  // namespace

void answer(const Request& request, std::size_t count, const AskerAt& who,
            const std::function<void(Recommendations&)>& sink, const RunOptions& run) {
  constexpr std::size_t batch = 32768;
  ThreadPool pool(run.threads, run.progress, "recommend");
  std::vector<Asker> people;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count;) {
    people.clear();
    names.clear();
    for (; k < count && people.size() < batch; ++k) {
      auto [person, name] = who(k);
      people.push_back(person);
      names.push_back(std::move(name));
    }
    for (Recommendations& one : answer_batch(request, people, names, pool)) sink(one);
    if (run.progress && !run.progress("recommend", k, count)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
}

std::vector<float> resolve_weights(std::span<const Criterion> criteria,
                                   const Recommender& recommender,
                                   const std::vector<std::pair<std::string, double>>& weights) {
  if (weights.empty()) return {};
  if (!recommender.weighs_criteria()) {
    throw Error(ErrorCode::unsupported, "this model does not weigh criteria", {},
                "leave the weights out, or fit with the method ca-gf");
  }
  std::vector<float> out(criteria.size(), 1.0F);
  for (const auto& [name, weight] : weights) {
    const auto c = find_criterion(criteria, name);
    if (!c) {
      std::string names;
      for (const Criterion& known : criteria) {
        names += (names.empty() ? "" : ", ") + known.name;
      }
      throw Error(ErrorCode::usage, "there is no criterion '" + name + "'", {},
                  "the criteria are " + names);
    }
    if (!(weight >= 0) || !std::isfinite(weight) || weight > 1e6) {
      throw Error(ErrorCode::usage, "the weight of '" + name + "' must be from 0 to 1000000");
    }
    out[*c] = static_cast<float>(weight);
  }
  if (std::all_of(out.begin(), out.end(), [](float w) { return w == 0; })) {
    throw Error(ErrorCode::usage, "every criterion has the weight 0", {},
                "leave at least one above 0");
  }
  return out;
}

}  // namespace palate
