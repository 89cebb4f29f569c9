// palate keys: who may use the service.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

enum class Action { add, list, remove };

struct KeysArguments {
  Action action = Action::list;
  std::string name;
  std::string store;
  std::optional<Role> role;
};

std::string day_of(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

void require_name(const KeysArguments& options, std::string_view action) {
  if (!options.name.empty()) return;
  throw wrong_call(fmt::format("keys {} needs the name of a key", action),
                   fmt::format("palate keys {} NAME --store STORE", action));
}

void add_key(const KeysArguments& options, Session& session) {
  require_name(options, "add");
  const Role role = options.role.value_or(Role::read);
  const std::string secret = open_keys(options.store)->add(options.name, role);
  if (session.json()) {
    print_json(session, {{"name", options.name}, {"role", role_name(role)}, {"secret", secret}});
    return;
  }
  session.note("keep it: only a hash is stored, and it is not shown again\n");
  session.print(secret + "\n");
}

void list_keys(const KeysArguments& options, Session& session) {
  if (!options.name.empty()) {
    throw wrong_call("keys list shows all keys, and takes no name");
  }
  const std::vector<ApiKey> keys = open_existing_keys(options.store)->list();
  if (session.json()) {
    Json list = Json::array();
    for (const ApiKey& key : keys) {
      list.push_back({{"name", key.name}, {"role", role_name(key.role)}, {"created", key.created}});
    }
    print_json(session, {{"keys", std::move(list)}});
    return;
  }
  if (keys.empty()) {
    session.note("there are no keys\n");
    return;
  }
  Table table({{"name", false, true}, {"role"}, {"created"}});
  for (const ApiKey& key : keys) {
    table.row({printable(key.name), std::string(role_name(key.role)), day_of(key.created)});
  }
  session.print(table.text(session.out));
}

void remove_key(const KeysArguments& options, Session& session) {
  require_name(options, "remove");
  if (!open_existing_keys(options.store)->remove(options.name)) {
    throw Error(ErrorCode::not_found, fmt::format("there is no key '{}'", options.name), {},
                "palate keys list shows their names");
  }
  if (session.json()) {
    print_json(session, {{"removed", options.name}});
  } else {
    session.print(fmt::format("removed the key '{}'\n", printable(options.name)));
  }
}

void run_keys(const KeysArguments& options, Session& session) {
  if (options.role && options.action != Action::add) {
    throw wrong_call("--role goes only with 'keys add'");
  }
  switch (options.action) {
    case Action::add:
      return add_key(options, session);
    case Action::list:
      return list_keys(options, session);
    case Action::remove:
      return remove_key(options, session);
  }
}

}  // namespace

void add_keys(Tree& tree) {
  auto [command, options] =
      tree.add<KeysArguments>("keys", "Add, list and remove the API keys of a store.", run_keys);
  command.describe("A secret is printed once, when it is made; the store keeps only its hash.");
  command.choice("action", options.action,
                 {{"add", Action::add}, {"list", Action::list}, {"remove", Action::remove}},
                 "What to do.", Need::required);
  command.option("name", options.name, "NAME", "Of the key, to add or remove it.");
  command.option("--store", options.store, "STORE", "A store's file, or postgresql://...",
                 Need::required);
  command.choice("--role", options.role,
                 {{"read", Role::read}, {"write", Role::write}, {"admin", Role::admin}},
                 "What a new key may do; each includes the ones before. By default read.");
  command.example("palate keys add website --role write --store beers.db",
                  "A key for a site that sends ratings.");
  command.example("palate keys list --store beers.db", "Names and roles; secrets are not kept.");
}

}  // namespace palate::cli
