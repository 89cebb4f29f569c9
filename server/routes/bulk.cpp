// Many ratings, users or items, one JSON object a line, taken as they arrive.
#include <fmt/format.h>

#include <algorithm>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

constexpr std::size_t batch_size = 1000;
constexpr std::size_t longest_line = std::size_t{2} << 20;
constexpr std::size_t most_errors = 100;

enum class Kind { rating, user, item };

/// All members run on the bulk pool, one at a time.
class Bulk : public BodySink, public std::enable_shared_from_this<Bulk> {
 public:
  Bulk(App& app, SharedCall call, Kind kind)
      : app_(app), call_(std::move(call)), kind_(kind), active_(std::in_place, app.engine.bulk()) {}

  void take(std::string piece, std::function<void(bool)> next) override {
    auto work = [self = shared_from_this(), piece = std::move(piece), next] {
      self->guarded([&] { self->read(piece); });
      next(!self->problem_);
    };
    if (!app_.bulk_pool.submit(std::move(work))) {
      overload();
      next(false);
    }
  }

  void finish(Respond respond) override {
    auto work = [self = shared_from_this(), respond] { self->conclude(respond); };
    if (!app_.bulk_pool.submit(std::move(work))) {
      overload();
      respond(to_response(*problem_, call_->request->id));
    }
  }

 private:
  struct Row {
    std::int64_t line = 0;
    std::string text;
    StoreWrite write;
  };

  void overload() {
    problem_ = Problem{.code = "overloaded",
                       .detail = "too many large bodies at once",
                       .headers = {{"Retry-After", "1"}}};
  }

  void guarded(const std::function<void()>& work) {
    if (!problem_) problem_ = problem_of(app_, *call_, "a bulk write failed", work);
  }

  void begin() {
    if (begun_) return;
    begun_ = true;
    require_allowed(app_, *call_);
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
    pending_.push_back({lines_, text, {}});
    if (pending_.size() >= batch_size) flush();
  }

  void refuse(std::int64_t line, const Problem& problem) {
    ++refused_;
    if (errors_.size() >= most_errors) return;
    Json error = {{"line", line}, {"code", problem.code}, {"detail", problem.detail}};
    if (!problem.field.empty()) error["field"] = problem.field;
    errors_.push_back(std::move(error));
  }

  [[nodiscard]] static Json object_of(const std::string& text) {
    Json row = parse_json(text);
    if (!row.is_object()) throw Problem::bad_input("the line is no JSON object");
    return row;
  }

  [[nodiscard]] static std::string id_of(const Json& row, std::string_view field) {
    if (!row.contains(field)) throw Problem::bad_input("it has to be given", field);
    std::string id = text_of(row[std::string(field)], field);
    check_id(id, field);
    return id;
  }

  [[nodiscard]] StoreWrite parse(const std::string& text) const {
    const Json row = object_of(text);
    if (kind_ == Kind::user) {
      require_known(row, {"id", "attributes"});
      return StoredUser{id_of(row, "id"), attributes_of(row)};
    }
    if (kind_ == Kind::item) {
      require_known(row, {"id", "title", "attributes"});
      return StoredItem{id_of(row, "id"),
                        row.contains("title") ? text_of(row["title"], "title") : "",
                        attributes_of(row)};
    }
    require_known(row, {"user", "item", "values", "time", "delete"});
    if (flag_of(row, "delete")) return RatingKey{id_of(row, "user"), id_of(row, "item")};
    return StoredRating{id_of(row, "user"), id_of(row, "item"), values_of(row, criteria_),
                        time_of(row)};
  }

  // The first lines of the first import say which criteria there are: overall, then the others as
  // they appear.
  void learn_criteria() {
    std::vector<Criterion> found = {{"overall", 0, 0}};
    for (const Row& row : pending_) {
      const Json line = Json::parse(row.text, nullptr, false);
      if (!line.is_object() || !line.contains("values") || !line["values"].is_object()) continue;
      for (const auto& [name, value] : line["values"].items()) {
        const auto same = [&key = name](const Criterion& c) { return c.name == key; };
        auto place = std::find_if(found.begin(), found.end(), same);
        if (place == found.end()) place = found.insert(found.end(), {name, 0, 0});
        if (!value.is_number()) continue;
        const auto number = static_cast<float>(value.get<double>());
        if (!(number >= 0 && number < 1e30F)) continue;
        const bool first = place->min == 0 && place->max == 0;
        place->min = first ? number : std::min(place->min, number);
        place->max = std::max(place->max, number);
      }
    }
    if (found.size() == 1 && found[0].max == 0) return;
    app_.engine.set_criteria(found);
    criteria_ = app_.engine.criteria();
    for (const Criterion& criterion : criteria_) criteria_set_.push_back(criterion.name);
  }

  void flush() {
    if (pending_.empty()) return;
    if (kind_ == Kind::rating && criteria_.empty()) learn_criteria();
    std::vector<StoreWrite> writes;
    for (Row& row : pending_) {
      try {
        StoreWrite write = parse(row.text);
        check_write(write, criteria_);
        writes.push_back(std::move(write));
      } catch (const Problem& problem) {
        refuse(row.line, problem);
      } catch (const Error& error) {
        refuse(row.line, to_problem(error));
      }
    }
    pending_.clear();
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
    if (!problem_ && accepted_ == 0 && refused_ > 0) {
      problem_ = Problem::bad_input(fmt::format("none of the {} lines could be used", rows_), {},
                                    errors_.empty() ? "" : errors_[0]["detail"].get<std::string>());
      problem_->line = errors_.empty() ? 0 : errors_[0]["line"].get<std::int64_t>();
    }
    if (problem_) {
      if (begun_ && problem_->code != "unauthorized" && problem_->code != "forbidden") {
        problem_->extra = "\"report\":" + dump(report());
      }
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
  const Kind kind_;
  std::optional<Engine::Counted> active_;
  std::vector<Criterion> criteria_;
  bool begun_ = false;
  std::string rest_;
  std::vector<Row> pending_;
  std::int64_t lines_ = 0;
  std::size_t rows_ = 0, accepted_ = 0, refused_ = 0;
  std::uint64_t sequence_ = 0;
  Json errors_ = Json::array();
  Json criteria_set_ = Json::array();
  std::optional<Problem> problem_;
};

}  // namespace

std::shared_ptr<BodySink> bulk_ratings(App& app, const SharedCall& call) {
  return std::make_shared<Bulk>(app, call, Kind::rating);
}

std::shared_ptr<BodySink> bulk_users(App& app, const SharedCall& call) {
  return std::make_shared<Bulk>(app, call, Kind::user);
}

std::shared_ptr<BodySink> bulk_items(App& app, const SharedCall& call) {
  return std::make_shared<Bulk>(app, call, Kind::item);
}

}  // namespace palate::server
