// palate import: read foreign data, say what was found, write it in a common form.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "server/service/importer.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct Done {
  ImportReport report;
  std::size_t test_interactions = 0;
  std::size_t new_ratings = 0;
};

Done import_file(Session& session, RatingStore& store, const std::string& file,
                 const ReadOptions& read_options) {
  DataOptions data{.path = file, .read = read_options};
  Loaded loaded = load_data(session, data);
  const server::MatchedCriteria matched = server::match_criteria(
      store.criteria(), loaded.ratings, file, "--criteria", server::Scales::widen);
  if (matched.changed) store.set_criteria(matched.criteria);
  server::Importer importer(store, file);
  importer.add_titles(loaded.ratings);
  importer.add(loaded.ratings, matched, "writing to the store", session.run());
  Done done{std::move(loaded.report)};
  if (loaded.test) {
    importer.add(*loaded.test, matched, "writing the test part", session.run());
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

// What has come into the store is noted, whether or not all of it has.
Done import_and_note(Session& session, const std::string& where, RatingStore& store,
                     const std::string& file, const ReadOptions& read) {
  const std::uint64_t before = store.last_sequence();
  const auto note = [&](const Json& detail) {
    if (store.last_sequence() == before) return;
    open_audit_log(where)->note("import", this_account("import"), dump(detail, -1));
  };
  try {
    Done done = import_file(session, store, file, read);
    note({{"file", file}, {"new_ratings", done.new_ratings}, {"bad_rows", done.report.bad_rows}});
    return done;
  } catch (...) {
    note({{"file", file}, {"stopped", true}});
    throw;
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
    const Done done = import_and_note(session, where, *store, file, read);
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
  auto [command, options] = tree.add<ImportArguments>(
      "import", "Read ratings, report what was found, write them anew.", run_import);
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
