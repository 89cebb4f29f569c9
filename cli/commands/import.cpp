// palate import: read foreign data, say what was found, write it in a common form.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "store_import.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct ImportArguments {
  std::vector<std::string> files;
  DataOptions data;
  std::string store;
  std::filesystem::path out, test_out;
};

// Text that came from the file may stand in the report: keep the line breaks, tame the rest.
std::string safe_lines(const std::string& text) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += printable(std::string_view(text).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

void run_store_import(const ImportArguments& options, Session& session) {
  if (!options.out.empty() || !options.test_out.empty()) {
    throw wrong_call("--store does not go with --out and --test-out",
                     "import into the store and write files with two commands");
  }
  import_into_store(session, options.store, options.files, options.data.read);
}

void run_import(ImportArguments& options, Session& session) {
  if (!options.store.empty()) return run_store_import(options, session);
  if (options.files.size() > 1) {
    throw wrong_call("several files can be imported only into a store",
                     "name it with --store, or import one file at a time");
  }
  options.data.path = options.files.front();
  if (!options.out.empty()) static_cast<void>(written_format(options.out, "--out"));
  if (!options.test_out.empty()) static_cast<void>(written_format(options.test_out, "--test-out"));
  require_exists(options.data.path);
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
    text += fmt::format("wrote {} ({} interactions)\n", printable(options.out.string()),
                        grouped(import.ratings.interactions()));
  }
  if (!options.test_out.empty()) {
    text += fmt::format("wrote {} ({} interactions)\n", printable(options.test_out.string()),
                        grouped(import.test->interactions()));
  } else if (import.test && !options.out.empty()) {
    text += fmt::format("the test part ({} interactions) is not in it; --test-out writes that\n",
                        grouped(import.test->interactions()));
  }
  session.print(text);
}

}  // namespace

void add_import(Tree& tree) {
  Command& command = tree.add("import", "Read ratings, report what was found, write them anew.");
  auto& options = command.runs<ImportArguments>(run_import);
  command.repeatable("data", options.files, "DATA",
                     "A ratings file or a folder of .npz matrices; with --store several.",
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
  command.example("palate import --store beers.db january.csv february.csv",
                  "Put the ratings of two files into a store; doing it twice changes nothing.");
}

}  // namespace palate::cli
