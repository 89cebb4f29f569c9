#include "live/earlier_fit.hpp"

#include <algorithm>

#include "live/ledger.hpp"
#include "palate/error.hpp"
#include "ranking/select.hpp"

namespace palate::live {
namespace {

template <class Ability>
const Ability& need(const Recommender& fitted, const char* what) {
  const auto* able = dynamic_cast<const Ability*>(&fitted);
  if (able != nullptr) return *able;
  throw Error(ErrorCode::unsupported, std::string("this model cannot ") + what);
}

}  // namespace

// Items that came later have the higher indices, so what the fit knows comes first everywhere.
Query EarlierFit::as_fitted(const Query& query) const {
  const UserRatings& all = query.ratings;
  const auto end = std::lower_bound(all.items.begin(), all.items.end(), fitted_->items());
  const auto known = static_cast<std::size_t>(end - all.items.begin());
  Query out = query;
  out.ratings = {
      all.items.first(known), all.values.first(known * criteria()), all.present.first(known), {}};
  if (!query.allowed.empty()) out.allowed = query.allowed.first(fitted_->items());
  if (!query.boost.empty()) out.boost = query.boost.first(fitted_->items());
  out.user.reset();
  return out;
}

// With score 0 they stand behind what is 0 already, and before what is below.
void EarlierFit::add_later_items(const Query& query, std::vector<ScoredItem>& list) const {
  const auto place =
      std::find_if(list.begin(), list.end(), [](const ScoredItem& one) { return one.score < 0; });
  const auto room = query.top - static_cast<std::size_t>(place - list.begin());
  std::vector<ScoredItem> later;
  for (auto item = static_cast<std::uint32_t>(fitted_->items());
       item < items() && later.size() < room; ++item) {
    const std::size_t at = position_of(query.ratings, item);
    const bool seen = at < query.ratings.size() && (query.ratings.present[at] & 1U) != 0;
    if (allowed(query, item) && !(query.exclude_seen && seen)) later.push_back({item, 0.0F});
  }
  list.insert(place, later.begin(), later.end());
  list.resize(std::min(query.top, list.size()));
}

void EarlierFit::recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                           ThreadPool& pool) const {
  std::vector<Query> asked;
  asked.reserve(queries.size());
  for (const Query& query : queries) asked.push_back(as_fitted(query));
  fitted_->recommend(asked, lists, pool);
  if (items() == fitted_->items()) return;
  for (std::size_t k = 0; k < queries.size(); ++k) add_later_items(queries[k], lists[k]);
}

void EarlierFit::score(const Query& query, std::span<float> scores) const {
  const auto known = static_cast<std::ptrdiff_t>(fitted_->items());
  fitted_->score(as_fitted(query), scores.first(fitted_->items()));
  std::fill(scores.begin() + known, scores.end(), 0.0F);
}

Attribution EarlierFit::explain(const Query& query, std::uint32_t item) const {
  const auto& explainer = need<Explains>(*fitted_, "explain its scores");
  if (item < fitted_->items()) return explainer.explain(as_fitted(query), item);
  Attribution nothing;
  nothing.by_criterion.assign(criteria(), 0.0);
  nothing.preference.assign(criteria(), 0.0);
  return nothing;
}

void EarlierFit::score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                                    std::span<float> parts) const {
  const auto& explainer = need<Explains>(*fitted_, "explain its scores");
  std::vector<std::uint32_t> known;
  std::copy_if(items.begin(), items.end(), std::back_inserter(known),
               [&](std::uint32_t item) { return item < fitted_->items(); });
  std::vector<float> theirs(known.size() * criteria());
  explainer.score_by_criterion(as_fitted(query), known, theirs);
  auto from = theirs.begin();
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto to = parts.begin() + static_cast<std::ptrdiff_t>(k * criteria());
    const auto width = static_cast<std::ptrdiff_t>(criteria());
    if (items[k] < fitted_->items()) {
      std::copy_n(from, width, to);
      from += width;
    } else {
      std::fill_n(to, width, 0.0F);
    }
  }
}

// What is gone still has its weights.
std::vector<ScoredItem> EarlierFit::similar(std::uint32_t item, std::size_t top) const {
  const auto& finder = need<FindsSimilar>(*fitted_, "find similar items");
  if (item >= fitted_->items()) return {};
  const std::size_t gone = state_->items() - state_->item_count;
  std::vector<ScoredItem> list = finder.similar(item, top + gone);
  std::erase_if(list, [&](const ScoredItem& one) { return (*state_->known_items)[one.item] == 0; });
  list.resize(std::min(top, list.size()));
  return list;
}

void EarlierFit::save(Parts& /*parts*/) const {
  throw Error(ErrorCode::unsupported, "a state of a live model is not saved", {},
              "fit a model on its ratings and save that");
}

}  // namespace palate::live
