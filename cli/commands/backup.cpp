// palate backup: a store that is a file, with its keys, as another file.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct BackupArguments {
  std::string store;
  std::filesystem::path output;
};

void run_backup(const BackupArguments& options, Session& session) {
  const Clock clock;
  const StoreCounts counts = backup_store(options.store, options.output, session.run());
  if (session.json()) {
    print_json(session, {{"output", options.output.string()},
                         {"users", counts.users},
                         {"items", counts.items},
                         {"ratings", counts.ratings},
                         {"seconds", clock.seconds()}});
    return;
  }
  session.print(fmt::format("wrote {}: {}, {}, {}\n", printable(options.output.string()),
                            counted(counts.ratings, "rating"), counted(counts.users, "user"),
                            counted(counts.items, "item")));
}

}  // namespace

void add_backup(Tree& tree) {
  Command& command = tree.add("backup", "Copy a store that is a file, with its keys.");
  auto& options = command.runs<BackupArguments>(run_backup);
  command.describe(
      "The copy is a store as this one stands at one moment; a server may go on writing meanwhile. "
      "It is read and checked as a whole before it gets its name. For PostgreSQL there is "
      "pg_dump.");
  command.option("--store", options.store, "STORE", "A store's file.", Need::required);
  command.option("-o,--output", options.output, "FILE",
                 "Where to write; an older file is replaced when the copy is complete.",
                 Need::required);
  command.example("palate backup --store beers.db --output copy.db", "While a server runs.");
}

}  // namespace palate::cli
