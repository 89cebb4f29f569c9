#include "palate/model.hpp"

#include <algorithm>

#include "api/answers.hpp"
#include "api/model_impl.hpp"
#include "api/profile.hpp"
#include "methods/ca_gf/ca_gf.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

constexpr std::size_t users_per_batch = 32768;

std::uint32_t need_user(const Ratings& ratings, std::string_view id) {
  const auto user = ratings.find_user(id);
  if (!user) throw unknown_user(id);
  return *user;
}

Source source_of(const Model::Impl& model) {
  return {model.catalogue, *model.recommender, *model.fallback};
}

}  // namespace

Model make_model(Ratings ratings, Method method, std::unique_ptr<const Recommender> recommender,
                 std::string version, Stages seconds) {
  auto impl = std::make_shared<Model::Impl>(std::move(ratings));
  impl->fallback = PopularityRecommender::fit(impl->ratings);
  impl->method = std::move(method);
  impl->recommender = std::move(recommender);
  impl->version = std::move(version);
  impl->seconds = std::move(seconds);
  return Model(std::move(impl));
}

const Ratings& Model::ratings() const noexcept { return impl_->ratings; }

ModelInfo describe(const Method& method, const Recommender& recommender) {
  ModelInfo out;
  out.method = method.name();
  out.settings = method.to_json();
  if (const auto* ca_gf = dynamic_cast<const CaGfRecommender*>(&recommender)) {
    out.filters = ca_gf->plan().filters;
    out.preference = ca_gf->plan().preference;
    out.variant = method.get("variant");
    out.solver = ca_gf->computation().exact ? "exact" : "fast";
    out.storage = storage_name(ca_gf->computation().storage);
    out.why = ca_gf->computation().why;
    out.graph_entries = ca_gf->graph_entries();
  }
  return out;
}

ModelInfo Model::info() const {
  const Ratings& ratings = impl_->ratings;
  ModelInfo out = describe(impl_->method, *impl_->recommender);
  out.users = ratings.users();
  out.items = ratings.items();
  out.interactions = ratings.interactions();
  out.criteria.assign(ratings.criteria().begin(), ratings.criteria().end());
  out.bytes = impl_->recommender->bytes() +
              ratings.interactions() * (2 + out.criteria.size()) * sizeof(float);
  out.trained_with = impl_->version;
  out.seconds = impl_->seconds;
  return out;
}

Recommendations Model::recommend(std::string_view user, const RecommendOptions& options) const {
  const std::string id(user);
  return std::move(recommend(std::span(&id, 1), options, {.threads = 1}).front());
}

std::vector<Recommendations> Model::recommend(std::span<const std::string> users,
                                              const RecommendOptions& options,
                                              const RunOptions& run) const {
  const Request request(source_of(*impl_), options);
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
  const Request request(source_of(*impl_), options);
  return answer_one(request, to_row(profile, impl_->catalogue).view(), {});
}

void Model::recommend_all(const RecommendOptions& options,
                          const std::function<void(const Recommendations&)>& sink,
                          const RunOptions& run) const {
  const Ratings& ratings = impl_->ratings;
  const Request request(source_of(*impl_), options);
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
  return similar_to(source_of(*impl_), item, top);
}

Explanation Model::explain(std::string_view user, std::string_view item,
                           const RecommendOptions& options) const {
  const Request request(source_of(*impl_), options);
  const UserRatings row = impl_->ratings.of(need_user(impl_->ratings, user));
  return explain_row(request, row, std::string(user), item);
}

Explanation Model::explain_for(const Profile& profile, std::string_view item,
                               const RecommendOptions& options) const {
  const Request request(source_of(*impl_), options);
  return explain_row(request, to_row(profile, impl_->catalogue).view(), {}, item);
}

std::vector<std::vector<double>> Model::attributions(std::string_view user,
                                                     std::span<const std::string> items,
                                                     const RecommendOptions& options) const {
  const Request request(source_of(*impl_), options);
  return attribute_row(request, impl_->ratings.of(need_user(impl_->ratings, user)), items);
}

}  // namespace palate
