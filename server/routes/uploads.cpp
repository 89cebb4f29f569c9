// A file of ratings, read as `palate import` reads it: looked at, or written into the store.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "server/routes/app.hpp"
#include "server/service/importer.hpp"
#include "server/service/scratch.hpp"

namespace palate::server {
namespace {

constexpr int most_uploads = 2;
constexpr std::size_t longest_name = 1000;

// Of the name that the client gave only what says the format; the reader looks at the rest.
std::string stored_name(const std::string& given) {
  std::string name = fold_case(given);
  std::string end;
  if (name.ends_with(".gz")) {
    end = ".gz";
    name.resize(name.size() - end.size());
  }
  for (const std::string_view known : {".csv", ".tsv", ".inter", ".jsonl", ".ndjson"}) {
    if (name.ends_with(known)) return "upload" + std::string(known) + end;
  }
  return "upload" + end;
}

double highest_of(const std::string& text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || !(value > 0 && value < 1e30)) {
    throw Problem::usage("it has to be a number above 0", "highest");
  }
  return value;
}

template <class Value>
Value choice_of(const Query& query, std::string_view name,
                std::initializer_list<std::pair<std::string_view, Value>> known) {
  const std::optional<std::string> text = query.text(name);
  if (!text) return known.begin()->second;
  std::string all;
  for (const auto& [word, value] : known) {
    if (*text == word) return value;
    all.append(all.empty() ? "" : ", ").append(word);
  }
  throw Problem::usage(fmt::format("there is no '{}'", *text), name, "one of " + all);
}

ReadOptions options_of(const Query& query, std::size_t max_bytes) {
  ReadOptions out;
  const auto column = [&](std::string_view name) { return query.text(name).value_or(""); };
  out.user = column("user");
  out.item = column("item");
  out.overall = column("overall");
  out.time = column("time");
  out.title = column("title");
  for (const std::string_view raw : query.raw("criteria")) {
    out.criteria.push_back(Query::decoded("criteria", raw));
  }
  if (out.criteria.size() >= max_criteria) {
    throw Problem::usage(fmt::format("at most {}, beside the overall rating", max_criteria - 1),
                         "criteria");
  }
  out.delimiter = choice_of<char>(
      query, "delimiter",
      {{"auto", '\0'}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}});
  out.duplicates = choice_of<Duplicates>(query, "duplicates",
                                         {{"last", Duplicates::last},
                                          {"first", Duplicates::first},
                                          {"mean", Duplicates::mean},
                                          {"error", Duplicates::error}});
  out.zero_is_missing = choice_of<bool>(query, "zeros", {{"missing", true}, {"ratings", false}});
  constexpr std::size_t most_words = 20;
  for (const std::string_view raw : query.raw("missing")) {
    out.missing_words.push_back(Query::decoded("missing", raw));
  }
  if (query.raw("missing").size() > most_words) {
    throw Problem::usage(fmt::format("at most {} words", most_words), "missing");
  }
  if (const auto highest = query.text("highest")) out.highest = highest_of(*highest);
  out.max_bytes = max_bytes;
  out.names = {.user = "the parameter user",
               .item = "the parameter item",
               .overall = "the parameter overall",
               .criteria = "the parameter criteria",
               .time = "the parameter time",
               .title = "the parameter title",
               .delimiter = "the parameter delimiter",
               .items_id = "the parameter id",
               .items_title = "the parameter title",
               .zero_is_a_rating = "zeros=ratings",
               .missing_word = "the parameter missing",
               .highest = "the parameter highest",
               .max_bad_rows = "a corrected file"};
  return out;
}

/// All members run on the bulk pool, one at a time.
class Upload : public BodySink, public std::enable_shared_from_this<Upload> {
 public:
  Upload(App& app, SharedCall call) : app_(app), call_(std::move(call)) {}

  void take(std::string piece, std::function<void(bool)> next) override {
    auto work = [self = shared_from_this(), piece = std::move(piece), next] {
      self->guarded([&] { self->keep(piece); });
      next(!self->problem_);
    };
    if (app_.bulk_pool.submit(std::move(work), call_->who)) return;
    problem_ = overloaded();
    next(false);
  }

  void finish(Respond respond) override {
    auto work = [self = shared_from_this(), respond] { self->conclude(respond); };
    if (app_.bulk_pool.submit(std::move(work), call_->who)) return;
    respond(to_response(overloaded(), call_->request->id));
  }

 private:
  static Problem overloaded() {
    return {.code = "overloaded",
            .detail = "too many files at once",
            .headers = {{"Retry-After", "5"}}};
  }

  void guarded(const std::function<void()>& work) {
    if (!problem_) problem_ = problem_of(app_, *call_, "an import failed", work);
  }

  void begin() {
    if (scratch_) return;
    options_ = options_of(call_->query, app_.options.bulk_bytes);
    name_ = call_->query.text("name").value_or("the file");
    if (name_.size() > longest_name) throw Problem::usage("it is too long", "name");
    preview_ = call_->query.flag("preview");
    active_.emplace(app_.uploads);
    if (app_.uploads > most_uploads) throw overloaded();
    scratch_.emplace();
    path_ = scratch_->path() / stored_name(name_);
    file_.open(path_, std::ios::binary);
  }

  void keep(std::string_view piece) {
    begin();
    file_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (!file_) throw Error(ErrorCode::io, "an upload could not be kept", {.file = path_.string()});
  }

  [[nodiscard]] RunOptions run_options() const {
    return {.threads = 1, .progress = [this](std::string_view, std::uint64_t, std::uint64_t) {
              return !app_.stopping;
            }};
  }

  // Nothing of where it lay meanwhile is for the client.
  [[nodiscard]] Import read_file() const {
    Import import = read(path_, options_, run_options());
    import.report.files = {name_};
    for (BadRow& row : import.report.first_bad_rows) row.file = name_;
    return import;
  }

  void write(const Import& import, const MatchedCriteria& matched) {
    const Engine::Counted busy(app_.engine.bulk());
    if (matched.changed) app_.engine.set_criteria(matched.criteria);
    Importer importer(app_.engine.store(), name_);
    importer.add_titles(import.ratings);
    importer.add(import.ratings, matched, "writing to the store", run_options());
    sequence_ = app_.engine.store().last_sequence();
    written_ = {{"new_ratings", importer.new_ratings()},
                {"changed_ratings", importer.changed_ratings()},
                {"sequence", sequence_}};
    app_.activity.note("import", call_->actor(),
                       {{"file", name_},
                        {"new_ratings", importer.new_ratings()},
                        {"changed_ratings", importer.changed_ratings()},
                        {"bad_rows", import.report.bad_rows}});
  }

  void conclude(const Respond& respond) {
    Json body;
    guarded([&] {
      begin();
      file_.close();
      const Import import = read_file();
      const MatchedCriteria matched = match_criteria(app_.engine.criteria(), import.ratings, name_,
                                                     options_.names.criteria, Scales::keep);
      if (!preview_) write(import, matched);
      body = {{"preview", preview_},
              {"report", to_json(import.report)},
              {"data", to_json(import.ratings)},
              {"written", written_}};
    });
    scratch_.reset();
    active_.reset();
    if (problem_) {
      respond(to_response(*problem_, call_->request->id));
      return;
    }
    if (preview_) {
      respond(json_response(body));
      return;
    }
    guarded([&] { app_.engine.catch_up(); });
    app_.engine.when_counted(sequence_, [respond, body] { respond(json_response(body)); });
  }

  App& app_;
  const SharedCall call_;
  std::optional<Engine::Counted> active_;
  std::optional<Scratch> scratch_;
  std::filesystem::path path_;
  std::ofstream file_;
  ReadOptions options_;
  std::string name_;
  bool preview_ = false;
  std::uint64_t sequence_ = 0;
  Json written_ = nullptr;
  std::optional<Problem> problem_;
};

}  // namespace

std::shared_ptr<BodySink> import_file(App& app, const SharedCall& call) {
  return std::make_shared<Upload>(app, call);
}

}  // namespace palate::server
