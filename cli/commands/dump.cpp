// palate dump: all of a store but its keys, as JSON lines.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

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

void add_dump(Tree& tree) {
  Command& command = tree.add("dump", "Write all of a store, but its keys, to one file.");
  auto& options = command.runs<DumpArguments>(run_dump);
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
