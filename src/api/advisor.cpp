// The questions that fitted and live models answer alike.
#include <algorithm>
#include <iterator>
#include <limits>

#include "api/answers.hpp"
#include "api/profile.hpp"
#include "palate/error.hpp"
#include "palate/model.hpp"

namespace palate {
namespace {

Person person_of(const Request& request, std::string_view user) {
  const std::uint32_t index = need_user(request.ratings(), user);
  return {request.ratings().of(index), index};
}

}  // namespace

Advisor::Advisor(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

ModelInfo Advisor::info() const {
  ModelInfo out = describe(impl_->origin->method, *impl_->recommender);
  out.users = users();
  out.items = items();
  out.interactions = interactions();
  out.criteria.assign(criteria().begin(), criteria().end());
  out.bytes = impl_->recommender->bytes() + impl_->ratings->bytes();
  out.trained_with = impl_->origin->version;
  out.seconds = impl_->origin->seconds;
  return out;
}

std::size_t Advisor::users() const noexcept { return impl_->ratings->counts().users; }
std::size_t Advisor::items() const noexcept { return impl_->ratings->counts().items; }
std::size_t Advisor::interactions() const noexcept { return impl_->ratings->counts().interactions; }
std::span<const Criterion> Advisor::criteria() const noexcept { return impl_->ratings->criteria(); }
bool Advisor::knows_user(std::string_view id) const noexcept {
  return impl_->ratings->find_user(id).has_value();
}
bool Advisor::knows_item(std::string_view id) const noexcept {
  return impl_->ratings->find_item(id).has_value();
}
std::string_view Advisor::item_id(std::uint32_t item) const noexcept {
  return impl_->ratings->item_id(item);
}

ItemSummary Advisor::summary(std::string_view item) const {
  const RatingsView& ratings = *impl_->ratings;
  const std::uint32_t index = need_item(ratings, item);
  ItemSummary out{ratings.total(index, 0).count, {}};
  for (std::size_t c = 0; c < criteria().size(); ++c) {
    const auto [sum, count] = ratings.total(index, c);
    out.means.push_back(count > 0 ? sum / static_cast<double>(count)
                                  : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

Recommendations Advisor::recommend(std::string_view user, const RecommendOptions& options) const {
  const Request request(*impl_, options);
  return answer_one(request, person_of(request, user), std::string(user));
}

std::vector<Recommendations> Advisor::recommend(std::span<const std::string> users,
                                                const RecommendOptions& options,
                                                const RunOptions& run) const {
  const Request request(*impl_, options);
  std::vector<Person> people;
  people.reserve(users.size());
  for (const std::string& user : users) people.push_back(person_of(request, user));
  ThreadPool pool(run.threads, run.progress, "recommend");
  std::vector<Recommendations> out;
  out.reserve(users.size());
  for (std::size_t first = 0; first < people.size(); first += users_per_batch) {
    const std::size_t count = std::min(users_per_batch, people.size() - first);
    auto batch =
        answer(request, std::span(people).subspan(first, count), users.subspan(first, count), pool);
    std::move(batch.begin(), batch.end(), std::back_inserter(out));
    say_recommended(run, first + count, people.size());
  }
  return out;
}

Recommendations Advisor::recommend_for(const Profile& profile,
                                       const RecommendOptions& options) const {
  const Request request(*impl_, options);
  const ProfileRow row = to_row(profile, request.ratings());
  return answer_one(request, {row.view()}, {});
}

std::vector<Recommended> Advisor::similar(std::string_view item, std::size_t top) const {
  return similar_to(*impl_, item, top);
}

Explanation Advisor::explain(std::string_view user, std::string_view item,
                             const RecommendOptions& options) const {
  const Request request(*impl_, options);
  return explain_to(request, person_of(request, user), std::string(user), item);
}

Explanation Advisor::explain_for(const Profile& profile, std::string_view item,
                                 const RecommendOptions& options) const {
  const Request request(*impl_, options);
  const ProfileRow row = to_row(profile, request.ratings());
  return explain_to(request, {row.view()}, {}, item);
}

std::vector<std::vector<double>> Advisor::attributions(std::string_view user,
                                                       std::span<const std::string> items,
                                                       const RecommendOptions& options) const {
  const Request request(*impl_, options);
  return attribute_to(request, person_of(request, user), items);
}

std::vector<std::vector<double>> Advisor::attributions_for(const Profile& profile,
                                                           std::span<const std::string> items,
                                                           const RecommendOptions& options) const {
  const Request request(*impl_, options);
  const ProfileRow row = to_row(profile, request.ratings());
  return attribute_to(request, {row.view()}, items);
}

}  // namespace palate
