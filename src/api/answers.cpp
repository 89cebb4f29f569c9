#include "api/answers.hpp"

#include <algorithm>
#include <cmath>

#include "palate/error.hpp"

namespace palate {
Request::Request(const Advisor::Impl& asked, const RecommendOptions& options)
    : asked_(asked),
      term_weights_(resolve_term_weights(asked.ratings->criteria(), *asked.recommender,
                                         options.term_weights)),
      turned_(resolve_dials(asked, options.weights)),
      boost_(turned_.empty() ? std::vector<float>() : boosts(asked.dials().contrasts, turned_)),
      known_(asked.ratings->known_items()),
      top_(std::min(options.top, asked.ratings->item_indices())),
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
    if (row.items[k / width] >= asked_.learned_items) break;
    if ((signals >> k % width & 1U) != 0 && row.values[k] > 0) return Basis::ratings;
  }
  return Basis::popularity;
}

Recommendations to_public(const RatingsView& ratings, std::string user, Basis basis,
                          std::span<const ScoredItem> list, std::span<const float> boost) {
  Recommendations out{std::move(user), basis, {}, {}};
  out.items.reserve(list.size());
  for (const auto& [item, score] : list) {
    const float raw = boost.empty() ? score : score < 0 ? score * boost[item] : score / boost[item];
    out.items.push_back({item,
                         std::string(ratings.item_id(item)),
                         std::string(ratings.item_title(item)),
                         score,
                         score - raw,
                         {}});
  }
  return out;
}

namespace {

// The list of one person, which has one item more than is wanted if there are so many.
Recommendations list_of(const Request& request, const Asker& who, std::string user, Basis basis,
                        std::span<const ScoredItem> list, const Predictor& predictor) {
  const std::size_t shown = std::min(list.size(), request.top());
  Recommendations out =
      to_public(request.ratings(), std::move(user), basis, list.first(shown), request.boost());
  const std::vector<double> match = matches(request.line(who), list, shown, request.of_all());
  for (std::size_t k = 0; k < shown; ++k) out.items[k].match = match[k];
  if (!predictor.any()) return out;
  const std::vector<float> offsets = predictor.offsets(who.ratings);
  out.predicted.resize(shown * offsets.size());
  for (std::size_t k = 0; k < shown; ++k) {
    predictor.predict(offsets, list[k].item,
                      std::span(out.predicted).subspan(k * offsets.size(), offsets.size()));
  }
  return out;
}

/// Lists of some people: those with ratings from the recommender in one go, the others from the
/// fallback.
std::vector<Recommendations> answer_batch(const Request& request, std::span<const Asker> people,
                                          std::span<const std::string> users, ThreadPool& pool) {
  std::vector<Recommendations> out(people.size());
  const Predictor predictor = request.predictor();
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
    pool.for_chunks(of.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t n = begin; n < end; ++n) {
        out[of[n]] = list_of(request, people[of[n]], users[of[n]], basis, lists[n], predictor);
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

namespace {

// One weight per criterion, 1 where none is named.
std::vector<double> by_criterion(std::span<const Criterion> criteria, const NamedWeights& weights) {
  std::vector<double> out(criteria.size(), 1.0);
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
    out[*c] = weight;
  }
  return out;
}

}  // namespace

std::vector<float> resolve_term_weights(std::span<const Criterion> criteria,
                                        const Recommender& recommender,
                                        const NamedWeights& weights) {
  if (weights.empty()) return {};
  if (!recommender.weighs_criteria()) {
    throw Error(ErrorCode::unsupported, "this model has no term per criterion to weigh", {},
                "leave the weights of terms out, or fit with the method ca-gf");
  }
  const std::vector<double> all = by_criterion(criteria, weights);
  std::vector<float> out(all.begin(), all.end());
  if (std::all_of(out.begin(), out.end(), [](float w) { return w == 0; })) {
    throw Error(ErrorCode::usage, "every term has the weight 0", {}, "leave at least one above 0");
  }
  return out;
}

std::vector<TurnedDial> resolve_dials(const Advisor::Impl& asked, const NamedWeights& weights) {
  if (weights.empty()) return {};
  const std::vector<double> all = by_criterion(asked.ratings->criteria(), weights);
  if (std::all_of(all.begin(), all.end(), [](double w) { return w == 1; })) return {};
  return turn(asked.dials().strengths, all);
}

}  // namespace palate
