// The questions that fitted and live models answer alike.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>

#include "api/answers.hpp"
#include "palate/error.hpp"
#include "palate/model.hpp"

namespace palate {
namespace {

// What only some recommenders can do.
template <class Ability>
const Ability& need(const Recommender& recommender, const char* what) {
  const auto* able = dynamic_cast<const Ability*>(&recommender);
  if (able != nullptr) return *able;
  throw Error(ErrorCode::unsupported, std::string("this model cannot ") + what, {},
              "fit with a method that can, such as ca-gf");
}

std::uint32_t need_user(const RatingsView& ratings, std::string_view id) {
  const auto user = ratings.find_user(id);
  if (user) return *user;
  throw Error(ErrorCode::not_found, "the user '" + std::string(id) + "' is not known", {},
              "someone new is served from a profile of ratings");
}

std::uint32_t need_item(const RatingsView& ratings, std::string_view id) {
  const auto item = ratings.find_item(id);
  if (item) return *item;
  throw Error(ErrorCode::not_found, "the item '" + std::string(id) + "' is not known");
}

// The ratings of someone who is not in the data, in the form of a user's row.
struct ProfileRow {
  std::vector<std::uint32_t> items;
  std::vector<float> values;
  std::vector<std::uint32_t> present;

  [[nodiscard]] Asker person() const noexcept { return {{items, values, present, {}}}; }
};

ProfileRow to_row(const Profile& profile, const RatingsView& ratings) {
  const auto criteria = ratings.criteria();
  const std::size_t width = criteria.size();
  std::map<std::uint32_t, const ProfileRating*> by_item;
  for (const ProfileRating& rating : profile) {
    const auto item = ratings.find_item(rating.item);
    if (!item) {
      throw Error(ErrorCode::not_found, "the item '" + rating.item + "' is not known",
                  {.field = "profile"});
    }
    if (!by_item.emplace(*item, &rating).second) {
      throw Error(ErrorCode::bad_input, "the item '" + rating.item + "' is rated twice",
                  {.field = "profile"});
    }
  }
  ProfileRow row;
  for (const auto& [item, rating] : by_item) {
    std::vector<float> values(width, 0.0F);
    std::uint32_t present = 0;
    for (const auto& [name, value] : rating->values) {
      const auto c = find_criterion(criteria, name);
      if (!c) {
        throw Error(ErrorCode::not_found, "there is no criterion '" + name + "'",
                    {.field = "profile"});
      }
      if (!std::isfinite(value) || value < 0) {
        throw Error(ErrorCode::bad_input,
                    "the rating of '" + rating->item + "' on " + name +
                        " must be a finite number that is not negative",
                    {.field = "profile"});
      }
      values[*c] = value;
      present |= 1U << *c;
    }
    if (present == 0) continue;  // named, but not rated
    row.items.push_back(item);
    row.values.insert(row.values.end(), values.begin(), values.end());
    row.present.push_back(present);
  }
  return row;
}

Asker person_of(const Request& request, std::string_view user) {
  const std::uint32_t index = need_user(request.ratings(), user);
  return {request.ratings().of(index), index};
}

Recommendations answer_one(const Request& request, const Asker& who, const std::string& user) {
  Recommendations out;
  answer(
      request, 1, [&](std::size_t) { return std::pair(who, user); },
      [&](Recommendations& one) { out = std::move(one); }, {.threads = 1});
  return out;
}

// "rated 0.6 above what its overall says on service, by 120 people; you turned service up"
std::string why_dialled(const std::string& criterion, const Explanation::Dial& dial) {
  constexpr double hardly = 0.05;  // what a person sees as 0.0 or 0.1
  const std::string people =
      dial.raters == 1 ? "1 person" : std::to_string(dial.raters) + " people";
  const bool overall = dial.criterion == 0;
  const std::string on = overall ? "" : " on " + criterion;
  std::string out;
  if (dial.raters == 0) {
    out = "not rated" + on + " by anyone";
  } else if (std::abs(dial.above) < hardly) {
    out = (overall ? "rated as the average" : "rated as its overall says" + on) + ", by " + people;
  } else {
    std::array<char, 32> size{};
    std::snprintf(size.data(), size.size(), "%.1f", std::abs(dial.above));
    out = std::string("rated ") + size.data() + (dial.above > 0 ? " above " : " below ") +
          (overall ? "the average" : "what its overall says" + on) + ", by " + people;
  }
  return out + "; you turned " + criterion + (dial.weight > 1 ? " up" : " down");
}

// What the dials add to the score of an item, and why.
void add_dials(const Request& request, std::uint32_t item, Explanation& out) {
  if (request.turned().empty()) return;
  const Contrasts& contrasts = request.dials().contrasts;
  const auto criteria = request.ratings().criteria();
  const std::vector<double> parts =
      dial_parts(contrasts, request.turned(), item, out.score, request.boost()[item]);
  const ItemTotal overall = request.ratings().total(item, 0);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const TurnedDial& dial = request.turned()[k];
    const std::size_t c = dial.criterion;
    const ItemTotal rated = request.ratings().total(item, c);
    double above = rated.mean() - contrasts.usual(c);
    if (c > 0) above -= rescaled(overall.mean(), criteria[0], criteria[c]);
    const bool says = rated.count > 0 && overall.count > 0;
    out.dials.push_back({c, dial.weight, parts[k], says ? above : 0.0, rated.count, {}});
    out.dials.back().why = why_dialled(criteria[c].name, out.dials.back());
    out.score += parts[k];
  }
}

// "1.2", "0.03": what is left of a small share after rounding to one digit that counts.
std::string small_share(double share) {
  constexpr double least = 0.001;
  const double per_cent = 100 * share;
  if (per_cent < least) return "less than 0.001";
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), per_cent < 0.01 ? "%.3f" : "%.2f", per_cent);
  return out.data();
}

// Criteria that the person weighs, and whose part is lost on the way through the filters.
void note_what_vanishes(Explanation& out) {
  constexpr double weighed = 0.05;
  constexpr double lost = 0.005;
  const auto sum = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0,
                           [](double all, double one) { return all + std::abs(one); });
  };
  const double preference = sum(out.preference);
  const double parts = sum(out.by_criterion);
  if (!(preference > 0) || !std::isfinite(preference) || !(parts > 0)) return;
  for (std::size_t c = 0; c < out.by_criterion.size(); ++c) {
    const double weight = out.preference[c] / preference;
    const double share = std::abs(out.by_criterion[c]) / parts;
    if (weight < weighed || share == 0 || share > lost) continue;
    std::array<char, 32> per_cent{};
    std::snprintf(per_cent.data(), per_cent.size(), "%.0f", 100 * weight);
    out.notes.push_back("this person weighs " + out.criteria[c] + " " + per_cent.data() +
                        " %, but its filter passes almost nothing on to this item: it adds " +
                        small_share(share) + " % of the score");
  }
}

Explanation explain_to(const Request& request, const Asker& who, std::string user,
                       std::string_view id) {
  const RatingsView& ratings = request.ratings();
  const UserRatings& row = who.ratings;
  const std::size_t width = ratings.criteria().size();
  const std::uint32_t item = need_item(ratings, id);
  Explanation out;
  out.user = std::move(user);
  out.item = ratings.item_id(item);
  out.title = ratings.item_title(item);
  out.basis = request.basis(who);
  const auto& explainer = need<Explains>(request.who_answers(out.basis), "explain its scores");
  Attribution why = explainer.explain(request.query(who), item);
  out.score = why.score;
  out.baseline = why.baseline;
  out.by_criterion = std::move(why.by_criterion);
  out.preference = std::move(why.preference);
  add_dials(request, item, out);
  for (const Criterion& c : ratings.criteria()) out.criteria.push_back(c.name);
  note_what_vanishes(out);
  out.match = match_of(request.line(who), item);
  const Predictor predictor = request.predictor();
  if (predictor.any()) {
    out.predicted.resize(ratings.criteria().size());
    predictor.predict(predictor.offsets(row), item, out.predicted);
  }
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

std::vector<std::vector<double>> attribute_to(const Request& request, const Asker& who,
                                              std::span<const std::string> items) {
  const RatingsView& ratings = request.ratings();
  const std::size_t width = ratings.criteria().size();
  std::vector<std::uint32_t> at;
  at.reserve(items.size());
  for (const std::string& id : items) at.push_back(need_item(ratings, id));
  std::vector<float> parts(at.size() * width);
  need<Explains>(request.who_answers(request.basis(who)), "explain its scores")
      .score_by_criterion(request.query(who), at, parts);
  std::vector<std::vector<double>> out;
  out.reserve(at.size());
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto from = parts.begin() + static_cast<std::ptrdiff_t>(k * width);
    out.emplace_back(from, from + static_cast<std::ptrdiff_t>(width));
  }
  return out;
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

std::optional<Choice> Advisor::choice() const { return impl_->origin->choice; }

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

std::vector<Tilt> Advisor::tilts(std::string_view item) const {
  const std::uint32_t index = need_item(*impl_->ratings, item);
  const Dials& dials = impl_->dials();
  std::vector<Tilt> out;
  for (std::size_t c = 0; c < criteria().size(); ++c) {
    const auto z = static_cast<double>(dials.contrasts.of(c)[index]);
    out.push_back({static_cast<double>(dials.strengths[c].up) * z,
                   -static_cast<double>(dials.strengths[c].down) * z});
  }
  return out;
}

std::size_t Advisor::ratings_by(std::string_view user) const {
  const RatingsView& ratings = *impl_->ratings;
  return ratings.of(need_user(ratings, user)).size();
}

Recommendations Advisor::recommend(std::string_view user, const RecommendOptions& options) const {
  const Request request(*impl_, options);
  return answer_one(request, person_of(request, user), std::string(user));
}

std::vector<Recommendations> Advisor::recommend(std::span<const std::string> users,
                                                const RecommendOptions& options,
                                                const RunOptions& run) const {
  const Request request(*impl_, options);
  std::vector<Asker> people;
  people.reserve(users.size());
  for (const std::string& user : users) people.push_back(person_of(request, user));
  std::vector<Recommendations> out;
  out.reserve(users.size());
  answer(
      request, users.size(), [&](std::size_t k) { return std::pair(people[k], users[k]); },
      [&](Recommendations& one) { out.push_back(std::move(one)); }, run);
  return out;
}

Recommendations Advisor::recommend_for(const Profile& profile,
                                       const RecommendOptions& options) const {
  const Request request(*impl_, options);
  const ProfileRow row = to_row(profile, request.ratings());
  return answer_one(request, row.person(), {});
}

std::vector<Recommended> Advisor::similar(std::string_view item, std::size_t top) const {
  const auto& finder = need<FindsSimilar>(*impl_->recommender, "find similar items");
  const auto list = finder.similar(need_item(*impl_->ratings, item), top);
  return to_public(*impl_->ratings, {}, Basis::ratings, list).items;
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
  return explain_to(request, row.person(), {}, item);
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
  return attribute_to(request, row.person(), items);
}

}  // namespace palate
