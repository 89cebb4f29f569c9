#include "data.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "json.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {
namespace fs = std::filesystem;
namespace {

/// What the messages of the reader call the options below.
ReadOptionNames option_names() {
  return {.user = "--user-column",
          .item = "--item-column",
          .overall = "--overall-column",
          .criteria = "--criteria",
          .time = "--time-column",
          .title = "--title-column",
          .delimiter = "--delimiter",
          .items_id = "--items-id",
          .items_title = "--items-title",
          .zero_is_a_rating = "--zero rating",
          .missing_word = "--missing-word",
          .highest = "--highest-rating",
          .max_bad_rows = "--max-bad-rows"};
}

bool is_stdin(const fs::path& path) { return path == "-"; }

/// The names beside `path` that are nearest to its own: "did you mean 'data/beers.csv'?", or "".
std::string near_names(const fs::path& path) {
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> found;
  for (const std::string& name : nearest(path.filename().string(), names)) {
    found.push_back(path.has_parent_path() ? (folder / name).string() : name);
  }
  return did_you_mean(found);
}

/// One line for all columns that are not used; none where the person chose the criteria.
std::string set_aside_text(const ImportReport& report) {
  std::vector<std::string> told, texts;
  for (const IgnoredColumn& column : report.ignored_columns) {
    const std::string name = column.name.empty() ? "(no name)" : printable(column.name);
    if (column.reason == "text") {
      texts.push_back(name);
    } else {
      told.push_back(fmt::format("{} ({})", name, printable(column.reason)));
    }
  }
  if (!texts.empty()) told.push_back("text: " + join(texts, ", "));
  return told.empty() ? "" : fmt::format("columns not used: {}\n", join(told, ", "));
}

void require_store(const std::string& where) {
  if (where.find("://") == std::string::npos) require_exists(where);
}

}  // namespace

void add_data_argument(Command& command, fs::path& path) {
  command.option("data", path, "DATA",
                 "A ratings file, '-' for standard input, or a folder of .npz matrices.",
                 Need::required);
}

void add_data_or_model_argument(Command& command, fs::path& path) {
  command.option("data", path, "DATA|MODEL",
                 "A ratings file, '-' for standard input, a folder of .npz matrices, or a model "
                 "file.",
                 Need::required);
}

void add_model_argument(Command& command, fs::path& path) {
  command.option("model", path, "MODEL", "A model file.", Need::required);
}

void add_read_options(Command& command, DataOptions& options) {
  ReadOptions& read = options.read;
  read.names = option_names();
  command.group("Reading");
  command.choice("--format", read.format,
                 {{"auto", Format::automatic},
                  {"csv", Format::csv},
                  {"tsv", Format::tsv},
                  {"inter", Format::inter},
                  {"jsonl", Format::jsonl},
                  {"npz", Format::npz}},
                 "How the data are written; by default this is recognised.");
  command.option("--user-column", read.user, "NAME", "Column of user ids; else guessed.");
  command.option("--item-column", read.item, "NAME", "Column of item ids; else guessed.");
  command.option("--overall-column", read.overall, "NAME",
                 "Column of the overall rating; else guessed.");
  command.list("--criteria", read.criteria, "A,B,C",
               "Columns of the other criteria; else all columns that look like ratings.");
  command.option("--time-column", read.time, "NAME", "Column of times; else guessed.");
  command.option("--title-column", read.title, "NAME", "Column of item titles; else guessed.");
  command.option("--items-file", read.items_file, "FILE", "A second file, with item titles.");
  command.option("--items-id", read.items_id, "NAME", "Its column of item ids.");
  command.option("--items-title", read.items_title, "NAME", "Its column of titles.");
  command.add("--delimiter", "CHAR", "Between fields: one character, or 'tab'.",
              [&read](const std::string& text) {
                if (text == "tab" || text == "\\t") {
                  read.delimiter = '\t';
                } else if (text.size() == 1) {
                  read.delimiter = text[0];
                } else {
                  throw wrong_call("--delimiter needs one character, or 'tab'");
                }
              });
  command.choice("--duplicates", read.duplicates,
                 {{"last", Duplicates::last},
                  {"first", Duplicates::first},
                  {"mean", Duplicates::mean},
                  {"error", Duplicates::error}},
                 "Which row counts if a user rated an item twice; by default the last.");
  command.choice("--zero", read.zero_is_missing, {{"missing", true}, {"rating", false}},
                 "What a 0 means; by default 'not rated'.");
  command
      .add("--missing-word", "WORD", "A further word that means 'not rated'.",
           [&read](const std::string& text) { read.missing_words.push_back(text); })
      .repeatable = true;
  command.option("--highest-rating", read.highest,
                 "The highest rating there can be: a row with a higher one is bad. By default one "
                 "that lies far above all others of its column.");
  command.flag("--strict", read.strict, "Fail on the first bad row.");
  command.option("--max-bad-rows", read.max_bad_rows,
                 "Give up after so many bad rows (1000); up to that they are set aside.");
}

void require_exists(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return;
  const std::string near = near_names(path);
  throw Error(ErrorCode::io,
              error && error != std::errc::no_such_file_or_directory ? error.message()
                                                                     : "there is no such file",
              {.file = path.string()}, near.empty() ? "check the name and the folder" : near);
}

void require_data(Session& session, const fs::path& path) {
  if (!is_stdin(path)) {
    require_exists(path);
  } else if (isatty(STDIN_FILENO) != 0) {
    session.note("reading ratings from the terminal; Ctrl-D ends them\n");
  }
}

bool is_model(const fs::path& path) {
  if (is_stdin(path)) return false;
  require_exists(path);
  return fs::is_regular_file(path) && Model::is_model_file(path);
}

std::unique_ptr<RatingStore> open_existing_store(const std::string& where) {
  require_store(where);
  return open_store(where);
}

std::unique_ptr<ApiKeys> open_existing_keys(const std::string& where) {
  require_store(where);
  return open_keys(where);
}

std::unique_ptr<AuditLog> open_existing_audit_log(const std::string& where) {
  require_store(where);
  return open_audit_log(where);
}

Actor this_account(const std::string& command) {
  const uid_t id = ::geteuid();
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16'384> text{};
  ::getpwuid_r(id, &entry, text.data(), text.size(), &found);
  return {found != nullptr ? std::string(found->pw_name) : fmt::format("user {}", id),
          "palate " + command};
}

StoreToFill::StoreToFill(std::string where)
    : where_(std::move(where)),
      is_new_(where_.find("://") == std::string::npos && !fs::exists(where_)),
      store_(open_store(where_)) {}

StoreToFill::~StoreToFill() {
  if (!is_new_) return;
  try {
    const StoreCounts counts = store_->counts();
    store_.reset();
    if (counts.users + counts.items + counts.ratings > 0) return;
    for (const char* part : {"", "-wal", "-shm"}) fs::remove(where_ + part);
  } catch (const std::exception&) {
    return;  // what is wrong has been said already
  }
}

Loaded load_data(Session& session, const DataOptions& options) {
  if (is_model(options.path)) {
    throw Error(ErrorCode::usage, "this is a model, and ratings are needed here",
                {.file = options.path.string()}, "palate info shows what the model was fitted on");
  }
  if (!options.read.items_file.empty()) require_exists(options.read.items_file);
  require_data(session, options.path);
  session.stage("reading");
  const Clock clock;
  Import import = read(options.path, options.read, session.run());
  Loaded out{std::move(import.ratings), std::move(import.test), std::move(import.report), 0};
  out.seconds = clock.seconds();
  const ImportReport& report = out.report;
  if (report.guessed && !report.user_column.empty()) {
    std::vector<std::string> criteria;
    for (const std::string& name : report.criterion_columns) criteria.push_back(printable(name));
    session.note(fmt::format("columns guessed: user {}, item {}, ratings {}\n",
                             printable(report.user_column), printable(report.item_column),
                             join(criteria, ", ")));
    if (options.read.criteria.empty()) session.note(set_aside_text(report));
  }
  if (report.bad_rows > 0) {
    const BadRow& first = report.first_bad_rows.front();
    const Where where{{}, first.line, first.column, first.field};
    session.note(
        fmt::format("{} of {} rows set aside as bad, the first in {}: {} ('palate import' "
                    "lists them)\n",
                    grouped(report.bad_rows), grouped(report.rows), printable(where.text()),
                    printable(first.reason)));
  }
  for (const std::string& advice : report.advice) session.note(printable(advice) + "\n");
  return out;
}

Model load_model(Session& session, const fs::path& path) {
  require_exists(path);
  if (fs::is_directory(path)) {
    throw Error(ErrorCode::usage, "this is a folder, and a model file is needed here",
                {.file = path.string()},
                fmt::format("palate fit '{}' --out m.palate makes one", path.string()));
  }
  session.stage("loading the model");
  try {
    return Model::load(path);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt || Model::is_model_file(path)) throw;
    throw Error(ErrorCode::corrupt, error.message(), error.where(),
                "if this is a file of ratings, make a model of it first: palate fit FILE --out "
                "m.palate");
  }
}

void add_part_options(Command& command, PartOptions& options) {
  command.choice("--split", options.rule,
                 {{"random", SplitRule::random_per_user},
                  {"last", SplitRule::leave_last_out},
                  {"time", SplitRule::global_time}},
                 "How the test part is taken: a random share of each user's ratings (the default), "
                 "each user's newest, or the newest of all.");
  command.option("--test-share", options.test_share,
                 "Share that goes to the test part (0.2); with --split last the number per user "
                 "(1).");
  command.option("--seed", options.seed, "Seed of random choices (1).");
}

void add_test_options(Command& command, PartOptions& options) {
  command.group("Parts");
  command.option("--test", options.test, "FILE", "Test ratings in a file of their own.");
  add_part_options(command, options);
}

SplitOptions split_options(const PartOptions& options) {
  SplitOptions out;
  out.rule = options.rule.value_or(SplitRule::random_per_user);
  const bool last = out.rule == SplitRule::leave_last_out;
  out.test = options.test_share.value_or(last ? 1.0 : 0.2);
  out.seed = options.seed;
  if (last ? out.test < 1 : !(out.test > 0 && out.test < 1)) {
    throw wrong_call(last ? "--test-share must be at least 1 with --split last"
                          : "--test-share must lie between 0 and 1");
  }
  return out;
}

Import load_test(Session& session, const Ratings& like, const DataOptions& source,
                 const fs::path& test) {
  if (is_stdin(test) && is_stdin(source.path)) {
    throw wrong_call("standard input can be read once: as the ratings or as --test");
  }
  require_data(session, test);
  return read_like(like, test, source.read, session.run());
}

Split take_parts(Session& session, const Loaded& data, const DataOptions& source,
                 const PartOptions& options) {
  const bool asked = options.rule || options.test_share;
  if (!options.test.empty()) {
    if (asked) {
      throw wrong_call("--test gives the test part, so --split cannot be used with it");
    }
    Import import = load_test(session, data.ratings, source, options.test);
    for (const std::string& note : import.report.notes) {
      session.note(fmt::format("{}: {}\n", options.test.string(), printable(note)));
    }
    return {data.ratings, std::move(import.ratings), std::nullopt};
  }
  if (data.test) {
    if (asked) {
      throw Error(ErrorCode::usage, "the folder has its own test part, so it is not split again",
                  {.file = source.path.string()}, "leave --split and --test-share out");
    }
    return {data.ratings, *data.test, std::nullopt};
  }
  session.stage("splitting");
  Split parts = split(data.ratings, split_options(options));
  if (parts.test.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "the split leaves nothing to test on",
                {.file = source.path.string()}, "raise --test-share, or bring more ratings");
  }
  return parts;
}

std::string read_text(const fs::path& path) {
  require_exists(path);
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file || fs::is_directory(path)) {
    throw Error(ErrorCode::io, fmt::format("cannot be read: {}", std::strerror(errno)),
                {.file = path.string()});
  }
  return std::move(text).str();
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> lines;
  for (std::string& line : split_list(read_text(path), '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

Written written_format(const fs::path& path, std::string_view option) {
  const fs::path name = path.extension() == ".gz" ? path.stem() : path.filename();
  if (name.extension() == ".csv") return Written::csv;
  if (name.extension() == ".inter") return Written::inter;
  throw Error(
      ErrorCode::usage,
      fmt::format("{}: the name '{}' does not say the format", option, printable(path.string())),
      {}, "end it in .csv or .inter, with .gz to compress");
}

void write_ratings(const Ratings& ratings, const fs::path& path) {
  if (written_format(path, "--out") == Written::csv) {
    write_csv(ratings, path);
  } else {
    write_inter(ratings, path);
  }
}

void print_copy(Session& session, const std::filesystem::path& written, const StoreCounts& counts,
                double seconds) {
  if (session.json()) {
    print_json(session, {{"output", written.string()},
                         {"users", counts.users},
                         {"items", counts.items},
                         {"ratings", counts.ratings},
                         {"seconds", seconds}});
    return;
  }
  session.print(fmt::format("wrote {}: {}, {}, {}\n", printable(written.string()),
                            counted(counts.ratings, "rating"), counted(counts.users, "user"),
                            counted(counts.items, "item")));
}

}  // namespace palate::cli
