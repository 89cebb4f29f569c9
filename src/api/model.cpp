#include "palate/model.hpp"

#include <algorithm>
#include <cmath>

#include "api/model_impl.hpp"
#include "api/profile.hpp"
#include "api/settings_json.hpp"
#include "methods/ca_gf.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

constexpr std::size_t users_per_batch = 32768;

std::uint32_t need_user(const Ratings& ratings, std::string_view id) {
  const auto user = ratings.find_user(id);
  if (!user) {
    throw Error(ErrorCode::not_found, "the user '" + std::string(id) + "' is not known", {},
                "someone new is served from a profile of ratings");
  }
  return *user;
}

std::uint32_t need_item(const Ratings& ratings, std::string_view id) {
  const auto item = ratings.find_item(id);
  if (!item) throw Error(ErrorCode::not_found, "the item '" + std::string(id) + "' is not known");
  return *item;
}

// What stays the same over all queries of one call.
struct Request {
  const Model::Impl& model;
  std::vector<float> weights;
  std::vector<std::uint8_t> allowed;
  std::size_t top;
  bool exclude_seen;

  Request(const Model::Impl& m, const RecommendOptions& options)
      : model(m),
        weights(resolve_weights(m.ratings, *m.recommender, options.weights)),
        top(options.top),
        exclude_seen(options.exclude_seen) {
    if (!options.allow.empty()) {
      allowed.assign(m.ratings.items(), 0);
      bool any = false;
      for (const std::string& id : options.allow) {
        if (const auto item = m.ratings.find_item(id)) {
          allowed[*item] = 1;
          any = true;
        }
      }
      if (!any) throw Error(ErrorCode::not_found, "none of the allowed items is known");
    }
    if (!options.deny.empty()) {
      if (allowed.empty()) allowed.assign(m.ratings.items(), 1);
      for (const std::string& id : options.deny) {
        if (const auto item = m.ratings.find_item(id)) allowed[*item] = 0;
      }
    }
  }

  [[nodiscard]] Query query(const UserRatings& row) const {
    return {row, weights, top, exclude_seen, allowed};
  }
  // Someone none of whose ratings count gets what is popular.
  [[nodiscard]] Basis basis(const UserRatings& row) const {
    const std::size_t width = model.ratings.criteria().size();
    const std::size_t step = model.recommender->weighs_criteria() ? 1 : width;
    for (std::size_t k = 0; k < row.values.size(); k += step) {
      if (row.values[k] > 0) return Basis::ratings;
    }
    return Basis::popularity;
  }
  [[nodiscard]] const Recommender& who_answers(Basis basis) const {
    return basis == Basis::ratings ? *model.recommender : *model.fallback;
  }
};

Recommendations to_public(const Ratings& ratings, std::string user, Basis basis,
                          std::span<const ScoredItem> list) {
  Recommendations out{std::move(user), basis, {}};
  out.items.reserve(list.size());
  for (const ScoredItem& scored : list) {
    out.items.push_back({scored.item, std::string(ratings.item_id(scored.item)),
                         std::string(ratings.item_title(scored.item)), scored.score});
  }
  return out;
}

// Lists of some rows: those with ratings from the recommender in one go, the others from the
// fallback.
std::vector<Recommendations> answer(const Request& request, std::span<const UserRatings> rows,
                                    std::span<const std::string> users, ThreadPool& pool) {
  std::vector<Recommendations> out(rows.size());
  for (const Basis basis : {Basis::ratings, Basis::popularity}) {
    std::vector<Query> queries;
    std::vector<std::size_t> of;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (request.basis(rows[k]) != basis) continue;
      queries.push_back(request.query(rows[k]));
      of.push_back(k);
    }
    if (queries.empty()) continue;
    std::vector<std::vector<ScoredItem>> lists(queries.size());
    request.who_answers(basis).recommend(queries, lists, pool);
    for (std::size_t n = 0; n < of.size(); ++n) {
      out[of[n]] = to_public(request.model.ratings, users[of[n]], basis, lists[n]);
    }
  }
  return out;
}

Explanation explain_row(const Request& request, const UserRatings& row, std::string user,
                        std::uint32_t item) {
  const Ratings& ratings = request.model.ratings;
  const std::size_t width = ratings.criteria().size();
  Explanation out;
  out.user = std::move(user);
  out.item = ratings.item_id(item);
  out.title = ratings.item_title(item);
  out.basis = request.basis(row);
  Attribution why = request.who_answers(out.basis).explain(request.query(row), item);
  out.score = why.score;
  out.baseline = why.baseline;
  out.by_criterion = std::move(why.by_criterion);
  out.preference = std::move(why.preference);
  for (const Criterion& c : ratings.criteria()) out.criteria.push_back(c.name);
  std::stable_sort(why.parts.begin(), why.parts.end(), [](const auto& a, const auto& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  for (const Attribution::Part& part : why.parts) {
    const auto at = std::lower_bound(row.items.begin(), row.items.end(), part.item);
    const auto k = static_cast<std::size_t>(at - row.items.begin());
    out.parts.push_back({part.item, std::string(ratings.item_id(part.item)),
                         std::string(ratings.item_title(part.item)), part.criterion,
                         static_cast<double>(row.values[k * width + part.criterion]), part.value});
  }
  return out;
}

}  // namespace

Model make_model(Ratings ratings, Method method, std::unique_ptr<const Recommender> recommender,
                 std::string version) {
  auto impl = std::make_shared<Model::Impl>();
  impl->fallback = PopularityRecommender::fit(ratings);
  impl->ratings = std::move(ratings);
  impl->method = std::move(method);
  impl->recommender = std::move(recommender);
  impl->version = std::move(version);
  return Model(std::move(impl));
}

std::vector<float> resolve_weights(const Ratings& ratings, const Recommender& recommender,
                                   const std::vector<std::pair<std::string, double>>& weights) {
  if (weights.empty()) return {};
  if (!recommender.weighs_criteria()) {
    throw Error(ErrorCode::unsupported, "this model does not weigh criteria", {},
                "leave the weights out, or fit with the method ca-gf");
  }
  std::vector<float> out(ratings.criteria().size(), 1.0F);
  for (const auto& [name, weight] : weights) {
    const auto c = ratings.find_criterion(name);
    if (!c) {
      std::string names;
      for (const Criterion& known : ratings.criteria()) {
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

const Ratings& Model::ratings() const noexcept { return impl_->ratings; }

ModelInfo Model::info() const {
  const Ratings& ratings = impl_->ratings;
  ModelInfo out;
  out.method = method_name(impl_->method);
  out.settings = settings_to_json(impl_->method);
  out.users = ratings.users();
  out.items = ratings.items();
  out.interactions = ratings.interactions();
  out.criteria.assign(ratings.criteria().begin(), ratings.criteria().end());
  out.bytes = impl_->recommender->bytes() +
              ratings.interactions() * (2 + out.criteria.size()) * sizeof(float);
  out.trained_with = impl_->version;
  if (const auto* ca_gf = dynamic_cast<const CaGfRecommender*>(impl_->recommender.get())) {
    out.filters = ca_gf->plan().filters;
    out.preference = ca_gf->plan().preference;
    out.variant = variant_name(std::get<CaGf>(impl_->method).variant);
    out.solver = solver_name(ca_gf->engine().exact ? Solver::exact : Solver::fast);
    out.storage = storage_name(ca_gf->engine().storage);
    out.why = ca_gf->engine().why;
    out.graph_entries = ca_gf->graph_entries();
  }
  return out;
}

Recommendations Model::recommend(std::string_view user, const RecommendOptions& options) const {
  const std::string id(user);
  return std::move(recommend(std::span(&id, 1), options, {.threads = 1}).front());
}

std::vector<Recommendations> Model::recommend(std::span<const std::string> users,
                                              const RecommendOptions& options,
                                              const RunOptions& run) const {
  const Request request(*impl_, options);
  std::vector<UserRatings> rows;
  rows.reserve(users.size());
  for (const std::string& user : users) {
    rows.push_back(impl_->ratings.of(need_user(impl_->ratings, user)));
  }
  ThreadPool pool(run.threads, run.progress, "recommend");
  std::vector<Recommendations> out;
  out.reserve(users.size());
  for (std::size_t first = 0; first < rows.size(); first += users_per_batch) {
    const std::size_t count = std::min(users_per_batch, rows.size() - first);
    auto batch =
        answer(request, std::span(rows).subspan(first, count), users.subspan(first, count), pool);
    std::move(batch.begin(), batch.end(), std::back_inserter(out));
    if (run.progress && !run.progress("recommend", first + count, rows.size())) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  return out;
}

Recommendations Model::recommend_for(const Profile& profile,
                                     const RecommendOptions& options) const {
  const Request request(*impl_, options);
  const ProfileRow row = to_row(profile, impl_->ratings);
  const UserRatings view = row.view();
  const std::string nobody;
  ThreadPool here(1);
  return std::move(answer(request, {&view, 1}, {&nobody, 1}, here).front());
}

void Model::recommend_all(const RecommendOptions& options,
                          const std::function<void(const Recommendations&)>& sink,
                          const RunOptions& run) const {
  const Ratings& ratings = impl_->ratings;
  const Request request(*impl_, options);
  ThreadPool pool(run.threads, run.progress, "recommend");
  for (std::size_t first = 0; first < ratings.users(); first += users_per_batch) {
    const std::size_t count = std::min(users_per_batch, ratings.users() - first);
    std::vector<UserRatings> rows;
    std::vector<std::string> users;
    for (std::size_t k = first; k < first + count; ++k) {
      rows.push_back(ratings.of(static_cast<std::uint32_t>(k)));
      users.emplace_back(ratings.user_id(static_cast<std::uint32_t>(k)));
    }
    for (const Recommendations& one : answer(request, rows, users, pool)) sink(one);
    if (run.progress && !run.progress("recommend", first + count, ratings.users())) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
}

std::vector<Recommended> Model::similar(std::string_view item, std::size_t top) const {
  const auto list = impl_->recommender->similar(need_item(impl_->ratings, item), top);
  return to_public(impl_->ratings, {}, Basis::ratings, list).items;
}

Explanation Model::explain(std::string_view user, std::string_view item,
                           const RecommendOptions& options) const {
  const Request request(*impl_, options);
  const UserRatings row = impl_->ratings.of(need_user(impl_->ratings, user));
  return explain_row(request, row, std::string(user), need_item(impl_->ratings, item));
}

Explanation Model::explain_for(const Profile& profile, std::string_view item,
                               const RecommendOptions& options) const {
  const Request request(*impl_, options);
  const ProfileRow row = to_row(profile, impl_->ratings);
  return explain_row(request, row.view(), {}, need_item(impl_->ratings, item));
}

std::vector<std::vector<double>> Model::attributions(std::string_view user,
                                                     std::span<const std::string> items,
                                                     const RecommendOptions& options) const {
  const Ratings& ratings = impl_->ratings;
  const Request request(*impl_, options);
  const UserRatings row = ratings.of(need_user(ratings, user));
  const std::size_t width = ratings.criteria().size();
  std::vector<float> parts(ratings.items() * width);
  request.who_answers(request.basis(row)).score_by_criterion(request.query(row), parts);
  std::vector<std::vector<double>> out;
  out.reserve(items.size());
  for (const std::string& id : items) {
    const auto at = parts.begin() + static_cast<std::ptrdiff_t>(need_item(ratings, id) * width);
    out.emplace_back(at, at + static_cast<std::ptrdiff_t>(width));
  }
  return out;
}

}  // namespace palate
