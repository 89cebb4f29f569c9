// palate backup: a store that is a file, with its keys, as another file.
#include "commands.hpp"
#include "data.hpp"

namespace palate::cli {
namespace {

struct BackupArguments {
  std::string store;
  std::filesystem::path output;
};

void run_backup(const BackupArguments& options, Session& session) {
  const Clock clock;
  const StoreCounts counts = backup_store(options.store, options.output, session.run());
  print_copy(session, options.output, counts, clock.seconds());
}

}  // namespace

void add_backup(Tree& tree) {
  auto [command, options] = tree.add<BackupArguments>(
      "backup", "Copy a store that is a file, with its keys.", run_backup);
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
