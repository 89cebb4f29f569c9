// palate import: read foreign data, say what was found, write it in a common form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <unordered_map>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

// For each criterion of the store its place in the file, or nothing.
using Places = std::vector<std::optional<std::size_t>>;

// An empty store takes the criteria of the first file; a wider scale in a later one widens its own.
Places match_criteria(RatingStore& store, const Ratings& ratings, const std::string& file) {
  std::vector<Criterion> stored = store.criteria();
  if (stored.empty()) {
    for (const Criterion& found : ratings.criteria()) stored.push_back(usual_scale(found));
    store.set_criteria(stored);
  }
  for (const Criterion& criterion : ratings.criteria()) {
    const auto same = [&](const Criterion& other) { return other.name == criterion.name; };
    if (std::any_of(stored.begin(), stored.end(), same)) continue;
    std::vector<std::string> names;
    for (const Criterion& other : stored) names.push_back(other.name);
    throw Error(
        ErrorCode::bad_input,
        fmt::format("the store has no criterion '{}', only {}", criterion.name, join(names, ", ")),
        {.file = file}, "name the columns that are its criteria with --criteria");
  }
  Places places;
  bool wider = false;
  for (Criterion& criterion : stored) {
    places.push_back(ratings.find_criterion(criterion.name));
    if (!places.back()) continue;
    const Criterion& seen = ratings.criteria()[*places.back()];
    if (seen.max == 0 || (seen.min >= criterion.min && seen.max <= criterion.max)) continue;
    if (criterion.max == 0) {
      criterion = usual_scale(seen);
      wider = wider || criterion.max > 0;
      continue;
    }
    wider = true;
    criterion.min = std::min(criterion.min, seen.min);
    criterion.max = std::max(criterion.max, seen.max);
  }
  if (wider) store.set_criteria(stored);
  return places;
}

class Importer {
 public:
  Importer(Session& session, RatingStore& store, std::string file)
      : session_(session), store_(store), file_(std::move(file)) {}

  void add(const Ratings& ratings, const Places& places, std::string_view stage) {
    const RunOptions run = session_.run();
    std::uint64_t done = 0;
    for (std::uint32_t user = 0; user < ratings.users(); ++user) {
      const UserRatings rated = ratings.of(user);
      for (std::size_t k = 0; k < rated.size(); ++k) put(rating_of(ratings, user, k, places));
      done += rated.size();
      if (run.progress && !run.progress(stage, done, ratings.interactions())) {
        throw Error(ErrorCode::cancelled, "stopped; what was written so far stays in the store", {},
                    "the same command goes on where it stopped");
      }
    }
    flush();
  }

  // Titles of the file; what else the store knows of an item stays.
  void add_titles(const Ratings& ratings) {
    if (!ratings.has_titles()) return;
    constexpr std::size_t page = 10'000;
    std::unordered_map<std::string, StoredItem> known;
    for (std::vector<StoredItem> items = store_.items("", page); !items.empty();
         items = store_.items(items.back().id, page)) {
      for (const StoredItem& item : items) known.emplace(item.id, item);
    }
    for (std::uint32_t k = 0; k < ratings.items(); ++k) {
      const auto id = std::string(ratings.item_id(k));
      const std::string_view title = ratings.item_title(k);
      if (title == id) continue;  // what stands for an item without one
      const auto found = known.find(id);
      StoredItem item = found == known.end() ? StoredItem{.id = id} : found->second;
      if (item.title == title) continue;
      item.title = title;
      put(std::move(item));
    }
    flush();
  }

  [[nodiscard]] std::size_t new_ratings() const noexcept { return new_ratings_; }

 private:
  static StoredRating rating_of(const Ratings& ratings, std::uint32_t user, std::size_t k,
                                const Places& places) {
    const UserRatings rated = ratings.of(user);
    const std::size_t width = ratings.criteria().size();
    StoredRating rating{std::string(ratings.user_id(user)),
                        std::string(ratings.item_id(rated.items[k]))};
    for (const auto& place : places) {
      const bool there = place && (rated.present[k] >> *place & 1U) != 0;
      rating.values.push_back(there ? rated.values[k * width + *place] : std::nanf(""));
    }
    if (!rated.times.empty()) rating.time = rated.times[k];
    return rating;
  }

  void put(StoreWrite write) {
    constexpr std::size_t batch = 10'000;
    writes_.push_back(std::move(write));
    if (writes_.size() >= batch) flush();
  }
  void flush() {
    if (writes_.empty()) return;
    try {
      const WriteResult result = store_.write(writes_);
      for (std::size_t k = 0; k < writes_.size(); ++k) {
        if (result.effects[k] != WriteEffect::created) continue;
        if (std::holds_alternative<StoredRating>(writes_[k])) ++new_ratings_;
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      // Its line is a place in the batch, which means nothing to whoever has the file.
      throw Error(error.code(), error.message(), {.file = file_, .field = error.where().field},
                  error.hint());
    }
    writes_.clear();
  }

  Session& session_;
  RatingStore& store_;
  std::string file_;
  std::vector<StoreWrite> writes_;
  std::size_t new_ratings_ = 0;
};

struct Done {
  ImportReport report;
  std::size_t test_interactions = 0;
  std::size_t new_ratings = 0;
};

Done import_file(Session& session, RatingStore& store, const std::string& file,
                 const ReadOptions& read_options) {
  DataOptions data{.path = file, .read = read_options};
  Loaded loaded = load_data(session, data);
  const Places places = match_criteria(store, loaded.ratings, file);
  Importer importer(session, store, file);
  importer.add_titles(loaded.ratings);
  importer.add(loaded.ratings, places, "writing to the store");
  Done done{std::move(loaded.report)};
  if (loaded.test) {
    importer.add(*loaded.test, places, "writing the test part");
    done.test_interactions = loaded.test->interactions();
  }
  done.new_ratings = importer.new_ratings();
  return done;
}

void show_bad_rows(Session& session, const ImportReport& report) {
  constexpr std::size_t most = 10;
  std::size_t shown = 0;
  for (const BadRow& row : report.first_bad_rows) {
    if (++shown > most) break;
    const Where where{row.file, row.line, row.column, row.field};
    session.note(fmt::format("  {}: {}\n", printable(where.text()), printable(row.reason)));
  }
  if (report.bad_rows > most) {
    session.note(fmt::format("  and {} more\n", grouped(report.bad_rows - most)));
  }
}

// Reads each file in turn and writes what differs from the store.
void import_into_store(Session& session, const std::string& where,
                       const std::vector<std::string>& files, const ReadOptions& read) {
  for (const std::string& file : files) require_data(session, file);
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw wrong_call("standard input can be read once, so give '-' once");
  }
  const Clock clock;
  const StoreToFill store(where);
  std::size_t new_ratings = 0;
  const std::uint64_t first = store->last_sequence();
  Json reports = Json::array();
  for (const std::string& file : files) {
    const Done done = import_file(session, *store, file, read);
    if (done.test_interactions > 0) {
      session.note(fmt::format("the folder's test part ({}) is in the store too\n",
                               counted(done.test_interactions, "interaction")));
    }
    new_ratings += done.new_ratings;
    show_bad_rows(session, done.report);
    reports.push_back(to_json(done.report));
    reports.back()["test_interactions"] = done.test_interactions;
  }
  const StoreCounts after = store->counts();
  const bool changed = store->last_sequence() != first;
  if (session.json()) {
    print_json(session, {{"files", std::move(reports)},
                         {"changed", changed},
                         {"new_ratings", new_ratings},
                         {"users", after.users},
                         {"items", after.items},
                         {"ratings", after.ratings},
                         {"sequence", store->last_sequence()},
                         {"seconds", clock.seconds()}});
    return;
  }
  session.print(
      fmt::format("{}; the store now has {} of {} and {}\n",
                  changed ? counted(new_ratings, "new rating") : std::string("nothing new"),
                  counted(after.ratings, "rating"), counted(after.users, "user"),
                  counted(after.items, "item")));
}

struct ImportArguments {
  std::vector<std::string> files;
  DataOptions data;
  std::string store;
  std::filesystem::path out, test_out;
};

// Text that came from the file may stand in the report: keep the line breaks, tame the rest.
std::string safe_lines(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += printable(line) + "\n";
  return out;
}

void run_import(ImportArguments& options, Session& session) {
  if (!options.store.empty()) {
    if (!options.out.empty() || !options.test_out.empty()) {
      throw wrong_call("--store does not go with --out and --test-out",
                       "import into the store and write files with two commands");
    }
    import_into_store(session, options.store, options.files, options.data.read);
    return;
  }
  if (options.files.size() > 1) {
    throw wrong_call("several files can be imported only into a store",
                     "name it with --store, or import one file at a time");
  }
  options.data.path = options.files.front();
  if (!options.out.empty()) static_cast<void>(written_format(options.out, "--out"));
  if (!options.test_out.empty()) static_cast<void>(written_format(options.test_out, "--test-out"));
  require_data(session, options.data.path);
  const Clock clock;
  const Import import = read(options.data.path, options.data.read, session.run());
  if (!options.test_out.empty() && !import.test) {
    throw Error(ErrorCode::usage, "--test-out: the data have no test part of their own",
                {.file = options.data.path.string()}, "palate split makes one");
  }
  session.stage("writing");
  if (!options.out.empty()) write_ratings(import.ratings, options.out);
  if (!options.test_out.empty()) write_ratings(*import.test, options.test_out);
  if (session.json()) {
    Json document = to_json(import.report);
    document["data"] = to_json(import.ratings);
    if (import.test) document["test_interactions"] = import.test->interactions();
    document["out"] = options.out.empty() ? Json(nullptr) : Json(options.out.string());
    document["seconds"] = clock.seconds();
    print_json(session, document);
    return;
  }
  std::string text = safe_lines(import.report.text());
  if (!options.out.empty()) {
    text += fmt::format("wrote {} ({})\n", printable(options.out.string()),
                        counted(import.ratings.interactions(), "interaction"));
  }
  if (!options.test_out.empty()) {
    text += fmt::format("wrote {} ({})\n", printable(options.test_out.string()),
                        counted(import.test->interactions(), "interaction"));
  } else if (import.test && !options.out.empty()) {
    text += fmt::format("the test part ({}) is not in it; --test-out writes that\n",
                        counted(import.test->interactions(), "interaction"));
  }
  session.print(text);
}

}  // namespace

void add_import(Tree& tree) {
  Command& command = tree.add("import", "Read ratings, report what was found, write them anew.");
  auto& options = command.runs<ImportArguments>(run_import);
  command.repeatable("data", options.files, "DATA",
                     "A ratings file, '-' for standard input, or a folder of .npz matrices; with "
                     "--store several.",
                     Need::required);
  command.option("--store", options.store, "STORE",
                 "Write into this store: a file, made if it is not there, or postgresql://...");
  command.option("-o,--out", options.out, "FILE",
                 "Where to write: .csv or .inter, with .gz to compress. Without it, only report.");
  command.option("--test-out", options.test_out, "FILE",
                 "Where to write the test part of a folder that has one.");
  add_read_options(command, options.data);
  command.example("palate import beers.tsv.gz --out beers.csv", "Convert, with a report.");
  command.example("palate import beers.csv --user-column who --item-column beer --strict",
                  "Check a file, failing on the first bad row.");
  command.example("zcat beers.csv.gz | palate import - --out beers.inter",
                  "Read what another program writes.");
  command.example("palate import --store beers.db january.csv february.csv",
                  "Put the ratings of two files into a store; doing it twice changes nothing.");
}

}  // namespace palate::cli
