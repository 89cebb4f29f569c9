// palate dump: all of a store but its keys, as JSON lines.
#include "commands.hpp"
#include "data.hpp"

namespace palate::cli {
namespace {

struct DumpArguments {
  std::string store;
  std::filesystem::path output;
};

void run_dump(const DumpArguments& options, Session& session) {
  const Clock clock;
  const auto store = open_existing_store(options.store);
  const StoreCounts counts = dump_store(*store, options.output, session.run());
  print_copy(session, options.output, counts, clock.seconds());
}

}  // namespace

void add_dump(Tree& tree) {
  auto [command, options] =
      tree.add<DumpArguments>("dump", "Write all of a store, but its keys, to one file.", run_dump);
  command.describe(
      "Users, items, ratings and criteria as JSON lines, as they stand at one moment; a server may "
      "go on writing meanwhile. API keys are not in it.");
  command.option("--store", options.store, "STORE", "A store's file, or postgresql://...",
                 Need::required);
  command.option("-o,--output", options.output, "FILE",
                 "Where to write; compressed if the name ends in .gz.", Need::required);
  command.example("palate dump --store beers.db --output beers.ndjson.gz", "A backup in one file.");
}

}  // namespace palate::cli
