#include "palate/live.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>

#include "api/answers.hpp"
#include "api/model_impl.hpp"
#include "api/profile.hpp"
#include "live/base.hpp"
#include "live/scorer.hpp"
#include "live/writer.hpp"
#include "methods/ca_gf/ca_gf.hpp"
#include "methods/popularity/popularity.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

using live::State;

class LiveCatalogue final : public Catalogue {
 public:
  explicit LiveCatalogue(const State& state) : state_(state) {}

  [[nodiscard]] std::size_t items() const noexcept override { return state_.items(); }
  [[nodiscard]] std::optional<std::uint32_t> find_item(
      std::string_view id) const noexcept override {
    return state_.find_item(id);
  }
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept override {
    return state_.item_id(item);
  }
  [[nodiscard]] std::string_view item_title(std::uint32_t item) const noexcept override {
    return state_.item_title(item);
  }
  [[nodiscard]] std::span<const Criterion> criteria() const noexcept override {
    return state_.criteria;
  }
  [[nodiscard]] std::span<const std::uint8_t> known() const noexcept override {
    if (state_.item_count == state_.items()) return {};
    return *state_.known_items;
  }

 private:
  const State& state_;
};

// The model that a live one began with.
struct Origin {
  Model model;
  Computation computation;  // as that of the model, exact
};

Computation made_exact(Computation computation) {
  if (!computation.exact) computation.why += "; live answers are exact";
  computation.exact = true;
  if (computation.storage == Storage::whole) {
    computation.why += "; live answers follow the links";
    computation.storage = Storage::dense;
  }
  return computation;
}

const CaGfRecommender& need_ca_gf(const Model& model) {
  const auto* fitted = dynamic_cast<const CaGfRecommender*>(model.impl().recommender.get());
  if (fitted == nullptr) {
    throw Error(
        ErrorCode::unsupported,
        "a model of the method " + model.impl().method.name() + " cannot follow new ratings", {},
        "fit with the method ca-gf");
  }
  return *fitted;
}

Ratings all_ratings(const State& state) {
  std::vector<std::string> names;
  for (const Criterion& criterion : state.criteria) names.push_back(criterion.name);
  RatingsBuilder builder(std::move(names));
  for (std::size_t c = 0; c < state.criteria.size(); ++c) {
    builder.set_scale(c, state.criteria[c].min, state.criteria[c].max);
  }
  for (std::uint32_t item = 0; item < state.items(); ++item) {
    if ((*state.known_items)[item] == 0) continue;
    builder.add_item(state.item_id(item));
    if (state.item_title(item) != state.item_id(item)) {
      builder.set_title(state.item_id(item), state.item_title(item));
    }
  }
  const std::size_t width = state.criteria.size();
  std::vector<float> values(width);
  for (std::uint32_t user = 0; user < state.users.size(); ++user) {
    if (!state.users[user].known) continue;
    builder.add_user(state.user_id(user));
    const UserRatings& row = state.users[user].ratings;
    for (std::size_t k = 0; k < row.size(); ++k) {
      for (std::size_t c = 0; c < width; ++c) {
        values[c] = (row.present[k] >> c & 1U) != 0 ? row.values[k * width + c]
                                                    : std::numeric_limits<float>::quiet_NaN();
      }
      builder.add(state.user_id(user), state.item_id(row.items[k]), values);
    }
  }
  return builder.build();
}

}  // namespace

struct LiveSnapshot::Impl {
  Impl(std::shared_ptr<const State> given, std::shared_ptr<const Origin> from,
       std::shared_ptr<live::Workers> workers)
      : state(std::move(given)),
        origin(std::move(from)),
        recommender(CaGfRecommender::assemble(
            state->base->plan, state->preference,
            PlanScorer{std::make_unique<live::Scorer>(state, std::move(workers)),
                       origin->computation})),
        fallback(std::make_unique<PopularityRecommender>(
            Array<float>{std::span(*state->rater_counts), state->rater_counts},
            state->base->criteria())) {}

  [[nodiscard]] Source source() const { return {catalogue, *recommender, *fallback}; }
  [[nodiscard]] const UserRatings& row_of(std::string_view user) const {
    const auto index = state->find_user(user);
    if (!index) throw unknown_user(user);
    return state->users[*index].ratings;
  }

  const std::shared_ptr<const State> state;
  const std::shared_ptr<const Origin> origin;
  const LiveCatalogue catalogue{*state};
  const std::unique_ptr<const Recommender> recommender;
  const std::unique_ptr<const Recommender> fallback;
};

std::uint64_t LiveSnapshot::version() const noexcept { return impl_->state->version; }
std::uint64_t LiveSnapshot::graph_version() const noexcept { return impl_->state->graph_version; }
std::uint64_t LiveSnapshot::user_version(std::string_view id) const noexcept {
  const auto user = impl_->state->find_user(id);
  return user ? impl_->state->users[*user].changed : 0;
}
std::size_t LiveSnapshot::users() const noexcept { return impl_->state->user_count; }
std::size_t LiveSnapshot::items() const noexcept { return impl_->state->item_count; }
std::size_t LiveSnapshot::interactions() const noexcept { return impl_->state->interactions; }
bool LiveSnapshot::knows_user(std::string_view id) const noexcept {
  return impl_->state->find_user(id).has_value();
}
bool LiveSnapshot::knows_item(std::string_view id) const noexcept {
  return impl_->state->find_item(id).has_value();
}
std::string_view LiveSnapshot::item_id(std::uint32_t item) const noexcept {
  return impl_->state->item_id(item);
}

ModelInfo LiveSnapshot::info() const {
  const State& state = *impl_->state;
  const Model::Impl& model = impl_->origin->model.impl();
  ModelInfo out = describe(model.method, *impl_->recommender);
  out.users = state.user_count;
  out.items = state.item_count;
  out.interactions = state.interactions;
  out.criteria = state.criteria;
  out.bytes = impl_->recommender->bytes();
  out.trained_with = model.version;
  return out;
}

LiveSnapshot::ItemSummary LiveSnapshot::summary(std::string_view item) const {
  const State& state = *impl_->state;
  const std::uint32_t index = need_item(impl_->catalogue, item);
  ItemSummary out{state.total(index, 0).count, {}};
  for (std::size_t c = 0; c < state.criteria.size(); ++c) {
    const auto& [sum, count] = state.total(index, c);
    out.means.push_back(count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

Recommendations LiveSnapshot::recommend(std::string_view user,
                                        const RecommendOptions& options) const {
  const Request request(impl_->source(), options);
  return answer_one(request, impl_->row_of(user), std::string(user));
}

Recommendations LiveSnapshot::recommend_for(const Profile& profile,
                                            const RecommendOptions& options) const {
  const Request request(impl_->source(), options);
  return answer_one(request, to_row(profile, impl_->catalogue).view(), {});
}

std::vector<Recommended> LiveSnapshot::similar(std::string_view item, std::size_t top) const {
  return similar_to(impl_->source(), item, top);
}

Explanation LiveSnapshot::explain(std::string_view user, std::string_view item,
                                  const RecommendOptions& options) const {
  const Request request(impl_->source(), options);
  return explain_row(request, impl_->row_of(user), std::string(user), item);
}

Explanation LiveSnapshot::explain_for(const Profile& profile, std::string_view item,
                                      const RecommendOptions& options) const {
  const Request request(impl_->source(), options);
  return explain_row(request, to_row(profile, impl_->catalogue).view(), {}, item);
}

std::vector<std::vector<double>> LiveSnapshot::attributions(std::string_view user,
                                                            std::span<const std::string> items,
                                                            const RecommendOptions& options) const {
  const Request request(impl_->source(), options);
  return attribute_row(request, impl_->row_of(user), items);
}

std::vector<std::vector<double>> LiveSnapshot::attributions_for(
    const Profile& profile, std::span<const std::string> items,
    const RecommendOptions& options) const {
  const Request request(impl_->source(), options);
  return attribute_row(request, to_row(profile, impl_->catalogue).view(), items);
}

struct LiveModel::Impl {
  explicit Impl(const Model& model)
      : origin(std::make_shared<const Origin>(
            Origin{model, made_exact(need_ca_gf(model).computation())})),
        writer(live::first_state(live::make_base(model.ratings(), need_ca_gf(model)))),
        graphs(*writer.state()) {
    writer.give(graphs.links(), 0);
    publish();
  }

  // Runs one change of people and ratings at a time.
  template <class Work>
  void change(const Work& work, std::size_t count, Follow when) {
    {
      const std::lock_guard lock(mutex);
      const std::uint64_t before = writer.state()->version;
      work(writer);
      if (writer.state()->version == before) return;
      changes += count;
      if (when == Follow::later || !writer.anything_waits()) {
        publish();
        return;
      }
    }
    follow();
  }

  // The links are made while others go on to change ratings.
  bool follow() {
    const std::lock_guard one_at_a_time(graph_mutex);
    std::shared_ptr<const State> seen;
    live::Waiting waiting;
    {
      const std::lock_guard lock(mutex);
      if (!writer.anything_waits()) return false;
      seen = writer.state();
      waiting = writer.take_waiting();
    }
    auto links = graphs.follow(*seen, waiting);
    const std::lock_guard lock(mutex);
    writer.give(std::move(links), seen->version);
    publish();
    return true;
  }

  void publish() {
    auto next = std::make_shared<const LiveSnapshot::Impl>(writer.state(), origin, workers);
    const std::lock_guard lock(newest_mutex);
    newest.swap(next);
  }
  [[nodiscard]] std::shared_ptr<const LiveSnapshot::Impl> take_newest() const {
    const std::lock_guard lock(newest_mutex);
    return newest;
  }

  const std::shared_ptr<const Origin> origin;
  const std::shared_ptr<live::Workers> workers = std::make_shared<live::Workers>();
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::mutex mutex;  // of the writer; those who read never take it
  live::Writer writer;
  std::mutex graph_mutex;  // of the graph writer; taken before the other
  live::GraphWriter graphs;
  std::atomic<std::size_t> changes{0};
  mutable std::mutex newest_mutex;  // held while a pointer is copied, never during work
  std::shared_ptr<const LiveSnapshot::Impl> newest;
};

LiveModel::LiveModel(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
LiveModel::~LiveModel() = default;

LiveSnapshot LiveModel::snapshot() const { return LiveSnapshot(impl_->take_newest()); }

void LiveModel::apply(std::span<const RatingChange> changes, Follow when) {
  if (changes.empty()) return;
  impl_->change([&](live::Writer& writer) { writer.apply(changes); }, changes.size(), when);
}
void LiveModel::add_user(std::string_view id) {
  impl_->change([&](live::Writer& writer) { writer.add_user(id); }, 1, Follow::later);
}
void LiveModel::add_item(std::string_view id, std::string_view title) {
  impl_->change([&](live::Writer& writer) { writer.add_item(id, title); }, 1, Follow::later);
}
void LiveModel::remove_user(std::string_view id, Follow when) {
  impl_->change([&](live::Writer& writer) { writer.remove_user(id); }, 1, when);
}
void LiveModel::remove_item(std::string_view id, Follow when) {
  impl_->change([&](live::Writer& writer) { writer.remove_item(id); }, 1, when);
}
bool LiveModel::follow() { return impl_->follow(); }

Model LiveModel::refit(const RunOptions& run) const {
  const std::shared_ptr<const LiveSnapshot::Impl> newest = impl_->take_newest();
  return fit(all_ratings(*newest->state), impl_->origin->model.impl().method, run);
}

double LiveModel::graph_age() const noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - impl_->start).count();
}
std::size_t LiveModel::changes_since_fit() const noexcept { return impl_->changes.load(); }

}  // namespace palate
