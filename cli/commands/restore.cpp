// palate restore: what palate dump wrote, into a store.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct RestoreArguments {
  std::filesystem::path file;
  std::string store;
  bool force = false;
};

void run_restore(const RestoreArguments& options, Session& session) {
  using Rule = RatingStore::IfNotEmpty;
  const Clock clock;
  require_exists(options.file);
  const StoreToFill store(options.store);
  const StoreCounts counts = [&] {
    try {
      return restore_store(*store, options.file, options.force ? Rule::replace : Rule::refuse,
                           session.run());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage || options.force) throw;
      throw Error(error.code(), error.message(), error.where(),
                  "name a new store, or replace all that is in it with --force");
    }
  }();
  open_audit_log(options.store)
      ->note("restore", this_account("restore"),
             dump(Json{{"file", options.file.string()},
                       {"users", counts.users},
                       {"items", counts.items},
                       {"ratings", counts.ratings}},
                  -1));
  if (session.json()) {
    print_json(session, {{"users", counts.users},
                         {"items", counts.items},
                         {"ratings", counts.ratings},
                         {"seconds", clock.seconds()}});
    return;
  }
  session.print(fmt::format("the store has {} of {} and {}\n", counted(counts.ratings, "rating"),
                            counted(counts.users, "user"), counted(counts.items, "item")));
}

}  // namespace

void add_restore(Tree& tree) {
  auto [command, options] = tree.add<RestoreArguments>(
      "restore", "Bring back into a store what 'palate dump' wrote.", run_restore);
  command.describe(
      "All or nothing: if the file is damaged or the work is stopped, the store stays "
      "as it was. API keys of the store stay.");
  command.option("file", options.file, "FILE", "What 'palate dump' wrote.", Need::required);
  command.option("--store", options.store, "STORE",
                 "A store's file, made if it is not there, or postgresql://...", Need::required);
  command.flag("--force", options.force, "Replace what is in the store.");
  command.example("palate restore --store new.db beers.ndjson.gz", "Into a new store.");
  command.example("palate restore --store postgresql://palate@db/palate beers.ndjson.gz",
                  "Move from a file to PostgreSQL.");
}

}  // namespace palate::cli
