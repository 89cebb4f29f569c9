// Many ratings, users or items, one JSON object a line, taken as they arrive.
#include <fmt/format.h>

#include <algorithm>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

constexpr std::size_t batch_size = 1000;
constexpr std::size_t longest_line = std::size_t{2} << 20;
constexpr std::size_t most_errors = 100;
constexpr int most_bulks = 32;  ///< at once
constexpr std::size_t enough_for_a_scale = 100;
constexpr float most_unknown = 1e6F;  ///< on a scale that is not known
constexpr std::size_t most_pending_bytes = std::size_t{4} << 20;

Problem too_many_bulks() {
  return {.code = "overloaded",
          .detail = "too many large bodies at once",
          .headers = {{"Retry-After", "1"}}};
}

/// All members run on the bulk pool, one at a time.
class Bulk : public BodySink, public std::enable_shared_from_this<Bulk> {
 public:
  Bulk(App& app, SharedCall call, RowKind kind)
      : app_(app), call_(std::move(call)), kind_(kind), active_(std::in_place, app.engine.bulk()) {}

  void take(std::string piece, std::function<void(bool)> next) override {
    auto work = [self = shared_from_this(), piece = std::move(piece), next] {
      self->guarded([&] { self->read(piece); });
      next(!self->problem_);
    };
    if (!app_.bulk_pool.submit(std::move(work), call_->who)) {
      overload();
      next(false);
    }
  }

  void finish(Respond respond) override {
    auto work = [self = shared_from_this(), respond] { self->conclude(respond); };
    if (!app_.bulk_pool.submit(std::move(work), call_->who)) {
      overload();
      respond(to_response(*problem_, call_->request->id));
    }
  }

 private:
  struct Row {
    std::int64_t line = 0;
    std::string text;
  };

  void overload() { problem_ = too_many_bulks(); }

  void guarded(const std::function<void()>& work) {
    if (!problem_) problem_ = problem_of(app_, *call_, "a bulk write failed", work);
  }

  void begin() {
    if (begun_) return;
    begun_ = true;
    criteria_ = app_.engine.criteria();
  }

  void read(std::string_view piece) {
    begin();
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      rest_ += piece.substr(0, std::min(end, piece.size()));
      if (rest_.size() > longest_line) {
        throw Problem{.code = "too_large", .detail = "the line is too long", .line = lines_ + 1};
      }
      if (end == std::string_view::npos) return;
      piece.remove_prefix(end + 1);
      line();
    }
  }

  void line() {
    const std::string text = std::exchange(rest_, {});
    ++lines_;
    if (text.find_first_not_of(" \t\r") == std::string::npos) return;
    ++rows_;
    pending_bytes_ += text.size();
    pending_.push_back({lines_, text});
    if (pending_.size() >= batch_size || pending_bytes_ >= most_pending_bytes) flush();
  }

  void refuse(std::int64_t line, const Problem& problem) {
    ++refused_;
    if (errors_.size() >= most_errors) return;
    Json error = {{"line", line}, {"code", problem.code}, {"detail", problem.detail}};
    if (!problem.field.empty()) error["field"] = problem.field;
    errors_.push_back(std::move(error));
  }

  // The first lines of the first import say which criteria there are: overall, then the others as
  // they appear. And on which scale, if many have rated.
  void learn_criteria() {
    std::vector<Criterion> found = {{"overall", 0, 0}};
    std::vector<std::size_t> given = {0};
    for (const Row& row : pending_) {
      const Json line = parsed(row.text);
      if (!line.is_object() || !line.contains("values") || !line["values"].is_object()) continue;
      for (const auto& [name, value] : line["values"].items()) {
        const auto same = [&key = name](const Criterion& c) { return c.name == key; };
        auto place = std::find_if(found.begin(), found.end(), same);
        if (place == found.end() && found.size() == max_criteria) continue;
        if (place == found.end()) {
          place = found.insert(found.end(), {name, 0, 0});
          given.push_back(0);
        }
        if (!value.is_number()) continue;
        const auto number = static_cast<float>(value.get<double>());
        if (!(number >= 0 && number <= most_unknown)) continue;
        const bool first = given[static_cast<std::size_t>(place - found.begin())]++ == 0;
        place->min = first ? number : std::min(place->min, number);
        place->max = std::max(place->max, number);
      }
    }
    if (found.size() == 1 && given[0] == 0) return;
    for (std::size_t c = 0; c < found.size(); ++c) {
      const bool enough = given[c] >= enough_for_a_scale;
      found[c] = enough ? usual_scale(std::move(found[c])) : Criterion{found[c].name, 0, 0};
    }
    app_.engine.set_criteria(found);
    criteria_ = app_.engine.criteria();
    for (const Criterion& criterion : criteria_) criteria_set_.push_back(criterion.name);
    app_.activity.note("criteria set", call_->actor(), criteria_json(criteria_));
  }

  /// Null if it cannot be taken.
  [[nodiscard]] static Json parsed(const std::string& text) {
    try {
      return parse_json(text);
    } catch (const Problem&) {
      return nullptr;
    }
  }

  void flush() {
    if (pending_.empty()) return;
    if (kind_ == RowKind::rating && criteria_.empty()) learn_criteria();
    std::vector<StoreWrite> writes;
    for (Row& row : pending_) {
      try {
        StoreWrite write = write_of(row.text, kind_, criteria_);
        writes.push_back(std::move(write));
      } catch (const Problem& problem) {
        refuse(row.line, problem);
      } catch (const Error& error) {
        refuse(row.line, to_problem(error));
      }
    }
    pending_.clear();
    pending_bytes_ = 0;
    if (writes.empty()) return;
    sequence_ = app_.engine.store().write(writes).sequence;
    accepted_ += writes.size();
  }

  [[nodiscard]] Json report() const {
    return {
        {"lines", rows_},      {"accepted", accepted_},
        {"refused", refused_}, {"sequence", sequence_ == 0 ? app_.engine.sequence() : sequence_},
        {"errors", errors_},   {"criteria_set", criteria_set_}};
  }

  void conclude(const Respond& respond) {
    guarded([&] {
      begin();
      if (!rest_.empty()) line();
      flush();
    });
    if (!problem_ && rows_ == 0) {
      problem_ = Problem::usage("the body has no lines", {}, "send one JSON object a line");
    }
    if (!problem_ && accepted_ == 0 && refused_ > 0) {
      problem_ = Problem::bad_input(fmt::format("none of the {} lines could be used", rows_), {},
                                    errors_.empty() ? "" : errors_[0]["detail"].get<std::string>());
      problem_->line = errors_.empty() ? 0 : errors_[0]["line"].get<std::int64_t>();
    }
    if (problem_) {
      if (begun_) problem_->extra = "\"report\":" + dump(report());
      respond(to_response(*problem_, call_->request->id));
      return;
    }
    active_.reset();
    if (sequence_ > 0) guarded([&] { app_.engine.catch_up(); });
    app_.engine.when_counted(sequence_,
                             [respond, text = report()] { respond(json_response(text)); });
  }

  App& app_;
  const SharedCall call_;
  const RowKind kind_;
  std::optional<Engine::Counted> active_;
  std::vector<Criterion> criteria_;
  bool begun_ = false;
  std::string rest_;
  std::vector<Row> pending_;
  std::size_t pending_bytes_ = 0;
  std::int64_t lines_ = 0;
  std::size_t rows_ = 0, accepted_ = 0, refused_ = 0;
  std::uint64_t sequence_ = 0;
  Json errors_ = Json::array();
  Json criteria_set_ = Json::array();
  std::optional<Problem> problem_;
};

// Each holds a group of lines.
std::shared_ptr<BodySink> begin_bulk(App& app, const SharedCall& call, RowKind kind) {
  if (app.engine.bulk() < most_bulks) return std::make_shared<Bulk>(app, call, kind);
  throw too_many_bulks();
}

}  // namespace

std::shared_ptr<BodySink> bulk_ratings(App& app, const SharedCall& call) {
  return begin_bulk(app, call, RowKind::rating);
}

std::shared_ptr<BodySink> bulk_users(App& app, const SharedCall& call) {
  return begin_bulk(app, call, RowKind::user);
}

std::shared_ptr<BodySink> bulk_items(App& app, const SharedCall& call) {
  return begin_bulk(app, call, RowKind::item);
}

}  // namespace palate::server
