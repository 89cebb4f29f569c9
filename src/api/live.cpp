#include "palate/live.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>

#include "api/model_impl.hpp"
#include "live/answering.hpp"
#include "live/base.hpp"
#include "live/writer.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

using live::State;

class LiveRatings final : public RatingsView {
 public:
  explicit LiveRatings(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  [[nodiscard]] Counts counts() const noexcept override {
    return {state_->user_count, state_->item_count, state_->interactions};
  }
  [[nodiscard]] std::span<const Criterion> criteria() const noexcept override {
    return state_->criteria;
  }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return state_->interactions * (2 + state_->criteria.size()) * sizeof(float);
  }
  [[nodiscard]] std::optional<std::uint32_t> find_user(
      std::string_view id) const noexcept override {
    return state_->find_user(id);
  }
  [[nodiscard]] UserRatings of(std::uint32_t user) const noexcept override {
    return state_->users[user].ratings;
  }
  [[nodiscard]] std::optional<std::uint32_t> find_item(
      std::string_view id) const noexcept override {
    return state_->find_item(id);
  }
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept override {
    return state_->item_id(item);
  }
  [[nodiscard]] std::string_view item_title(std::uint32_t item) const noexcept override {
    return state_->item_title(item);
  }
  [[nodiscard]] ItemTotal total(std::uint32_t item, std::size_t criterion) const override {
    const live::Total& total = state_->total(item, criterion);
    return {total.sum, total.count};
  }
  [[nodiscard]] std::size_t item_indices() const noexcept override { return state_->items(); }
  [[nodiscard]] std::span<const std::uint8_t> known_items() const noexcept override {
    if (state_->item_count == state_->items()) return {};
    return *state_->known_items;
  }

 private:
  const std::shared_ptr<const State> state_;
};

// What stands behind a model, kept alive by a copy of it.
std::shared_ptr<const Recommender> recommender_of(const Model& model) {
  const auto owner = std::make_shared<const Model>(model);
  return {owner, Inside::of(model).recommender.get()};
}

// With the strength of dials and how ratings are predicted, so that they stay the same for all
// states.
std::shared_ptr<const Origin> origin_of(const Model& model) {
  const Model::Impl& fitted = Inside::of(model);
  Origin out = *fitted.origin;
  out.dials = fitted.dials().strengths;
  const auto rules = fitted.predictions();
  out.predictions.assign(rules.begin(), rules.end());
  return std::make_shared<const Origin>(std::move(out));
}

const Model& servable(const Model& model) {
  const std::string& method = Inside::of(model).origin->method.name();
  if (describe_method(method).can.serve_newcomers) return model;
  throw Error(ErrorCode::unsupported,
              "a model of the method " + method + " cannot take in new ratings", {},
              "fit with a method that serves newcomers, such as adaptive");
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

struct LiveSnapshot::Impl : Advisor::Impl {
  Impl(std::shared_ptr<const State> given, const live::Answering& answering,
       std::shared_ptr<const Origin> from)
      : state(std::move(given)) {
    ratings = std::make_unique<LiveRatings>(state);
    recommender = answering.from(state);
    fallback = live::by_popularity(*state);
    if (state->base->foundation == live::Foundation::fit)
      learned_items = state->base->ratings.items();
    origin = std::move(from);
  }

  const std::shared_ptr<const State> state;
};

LiveSnapshot::LiveSnapshot(std::shared_ptr<const Impl> impl) noexcept : Advisor(std::move(impl)) {}

std::uint64_t LiveSnapshot::version() const noexcept { return Inside::of(*this).state->version; }
std::uint64_t LiveSnapshot::graph_version() const noexcept {
  return Inside::of(*this).state->graph_version;
}
std::uint64_t LiveSnapshot::user_version(std::string_view id) const noexcept {
  const State& state = *Inside::of(*this).state;
  const auto user = state.find_user(id);
  return user ? state.users[*user].changed : 0;
}
std::size_t LiveSnapshot::behind() const noexcept { return Inside::of(*this).state->behind; }
std::optional<std::chrono::steady_clock::time_point> LiveSnapshot::behind_since() const noexcept {
  const State& state = *Inside::of(*this).state;
  return state.behind > 0 ? std::optional(state.behind_since) : std::nullopt;
}

struct LiveModel::Impl {
  Impl(const Model& model, const RunOptions& run)
      : origin(origin_of(servable(model))),
        writer(live::first_state(live::make_base(model.ratings(), *Inside::of(model).recommender))),
        answering(live::make_answering(*writer.state()->base, recommender_of(model))) {
    if (writer.state()->base->foundation == live::Foundation::links) {
      graphs.emplace(*writer.state(), run);
      writer.give(graphs->links(), 0);
    }
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
    std::shared_ptr<const live::Links> links;
    try {
      links = graphs->follow(*seen, waiting);
    } catch (...) {
      const std::lock_guard lock(mutex);
      writer.put_back(std::move(waiting));
      throw;
    }
    const std::lock_guard lock(mutex);
    writer.give(std::move(links), seen->version);
    publish();
    return true;
  }

  void publish() {
    auto next = std::make_shared<const LiveSnapshot::Impl>(writer.state(), *answering, origin);
    const std::lock_guard lock(newest_mutex);
    newest.swap(next);
  }
  [[nodiscard]] std::shared_ptr<const LiveSnapshot::Impl> take_newest() const {
    const std::lock_guard lock(newest_mutex);
    return newest;
  }

  const std::shared_ptr<const Origin> origin;
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::mutex mutex;  // of the writer; those who read never take it
  live::Writer writer;
  const std::unique_ptr<const live::Answering> answering;
  std::mutex graph_mutex;                   // of the graph writer; taken before the other
  std::optional<live::GraphWriter> graphs;  // where lists rest on links
  std::atomic<std::size_t> changes{0};
  mutable std::mutex newest_mutex;  // held while a pointer is copied, never during work
  std::shared_ptr<const LiveSnapshot::Impl> newest;
};

LiveModel::LiveModel(const Model& model, const RunOptions& run)
    : impl_(std::make_unique<Impl>(model, run)) {}
LiveModel::~LiveModel() = default;

LiveSnapshot LiveModel::snapshot() const {
  return Inside::make<LiveSnapshot>(impl_->take_newest());
}

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
bool LiveModel::follows() const noexcept {
  return impl_->take_newest()->state->base->foundation != live::Foundation::fit;
}

Model LiveModel::refit(const RunOptions& run) const {
  const std::shared_ptr<const LiveSnapshot::Impl> newest = impl_->take_newest();
  return fit(all_ratings(*newest->state), newest->origin->method, run);
}

double LiveModel::graph_age() const noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - impl_->start).count();
}
std::size_t LiveModel::changes_since_fit() const noexcept { return impl_->changes.load(); }

}  // namespace palate
