// palate activity: what was done to a store as a whole, and by whom.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct ActivityArguments {
  std::string store;
  std::size_t limit = 50;
};

std::string moment(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

void run_activity(const ActivityArguments& options, Session& session) {
  if (options.limit == 0) throw wrong_call("--limit must be at least 1");
  const auto events = open_existing_audit_log(options.store)->list(options.limit, std::nullopt);
  if (session.json()) {
    Json list = Json::array();
    for (const AuditEvent& event : events) {
      list.push_back({{"number", event.number},
                      {"time", event.time},
                      {"event", event.event},
                      {"by", event.by.name},
                      {"from", event.by.from},
                      {"detail", Json::parse(event.detail)}});
    }
    print_json(session, {{"events", std::move(list)}});
    return;
  }
  if (events.empty()) {
    session.note("nothing was done yet\n");
    return;
  }
  Table table({{"time"}, {"event"}, {"by", false, true}, {"from"}, {"detail", false, true}});
  for (const AuditEvent& event : events) {
    table.row({moment(event.time), printable(event.event),
               event.by.name.empty() ? "-" : printable(event.by.name), printable(event.by.from),
               printable(event.detail)});
  }
  session.print(table.text(session.out));
}

}  // namespace

void add_activity(Tree& tree) {
  auto [command, options] = tree.add<ActivityArguments>(
      "activity", "What was done to a store as a whole, and by whom.", run_activity);
  command.describe(
      "The audit log of the store, the newest first: keys, imports, restores, criteria and fits, "
      "by its servers and by this tool. Single ratings are not in it.");
  command.option("--store", options.store, "STORE", "A store's file, or postgresql://...",
                 Need::required);
  command.option("--limit", options.limit, "How many events to show (50).");
  command.example("palate activity --store beers.db", "Who made which key, and what was imported.");
}

}  // namespace palate::cli
