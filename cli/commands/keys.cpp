// palate keys: who may use the service.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

enum class Action { add, rotate, list, remove };

constexpr std::int64_t usual_overlap = 3600;

struct KeysArguments {
  Action action = Action::list;
  std::string name;
  std::string store;
  std::optional<Role> role;
  std::optional<std::int64_t> expires;  ///< seconds from now
  std::optional<double> rate;
  std::optional<std::int64_t> overlap;  ///< seconds
};

std::int64_t now() { return static_cast<std::int64_t>(std::time(nullptr)); }

std::string day_of(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string day_of(const std::optional<std::int64_t>& seconds) {
  return seconds ? day_of(*seconds) : "-";
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

KeyTerms terms_of(const KeysArguments& options) {
  KeyTerms terms{.rate = options.rate};
  if (options.expires) terms.expires = now() + *options.expires;
  return terms;
}

void require_name(const KeysArguments& options, std::string_view action) {
  if (!options.name.empty()) return;
  throw wrong_call(fmt::format("keys {} needs the name of a key", action),
                   fmt::format("palate keys {} NAME --store STORE", action));
}

Error no_key(const std::string& name) {
  return {ErrorCode::not_found,
          fmt::format("there is no key '{}'", name),
          {},
          "palate keys list shows their names"};
}

void tell_secret(Session& session, const std::string& secret) {
  session.note("keep it: only a hash is stored, and it is not shown again\n");
  session.print(secret + "\n");
}

void add_key(const KeysArguments& options, Session& session) {
  require_name(options, "add");
  const Role role = options.role.value_or(Role::read);
  const KeyTerms terms = terms_of(options);
  const std::string secret =
      open_keys(options.store)->add(options.name, role, terms, this_account("keys"));
  if (!session.json()) return tell_secret(session, secret);
  print_json(session, {{"name", options.name},
                       {"role", role_name(role)},
                       {"expires", or_null(terms.expires)},
                       {"rate", or_null(terms.rate)},
                       {"secret", secret}});
}

void rotate_key(const KeysArguments& options, Session& session) {
  require_name(options, "rotate");
  const std::int64_t overlap = options.overlap.value_or(usual_overlap);
  const auto secret = open_existing_keys(options.store)
                          ->rotate(options.name, overlap, terms_of(options), this_account("keys"));
  if (!secret) throw no_key(options.name);
  const std::int64_t until = now() + overlap;
  if (session.json()) {
    print_json(session, {{"name", options.name}, {"old_until", until}, {"secret", *secret}});
    return;
  }
  session.note(fmt::format("the old secret works until {}\n", day_of(until)));
  tell_secret(session, *secret);
}

void list_keys(const KeysArguments& options, Session& session) {
  if (!options.name.empty()) {
    throw wrong_call("keys list shows all keys, and takes no name");
  }
  const std::vector<ApiKey> keys = open_existing_keys(options.store)->list();
  if (session.json()) {
    Json list = Json::array();
    for (const ApiKey& key : keys) {
      list.push_back({{"name", key.name},
                      {"role", role_name(key.role)},
                      {"created", key.created},
                      {"expires", or_null(key.expires)},
                      {"rate", or_null(key.rate)},
                      {"old_until", or_null(key.old_until)}});
    }
    print_json(session, {{"keys", std::move(list)}});
    return;
  }
  if (keys.empty()) {
    session.note("there are no keys\n");
    return;
  }
  Table table(
      {{"name", false, true}, {"role"}, {"created"}, {"expires"}, {"rate"}, {"old secret until"}});
  for (const ApiKey& key : keys) {
    const bool expired = key.expires && *key.expires <= now();
    const bool overlaps = key.old_until && *key.old_until > now();
    table.row({printable(key.name), std::string(role_name(key.role)), day_of(key.created),
               expired ? std::string("has expired") : day_of(key.expires),
               key.rate ? fmt::format("{}/s", *key.rate) : "-",
               overlaps ? day_of(*key.old_until) : "-"});
  }
  session.print(table.text(session.out));
}

void remove_key(const KeysArguments& options, Session& session) {
  require_name(options, "remove");
  if (!open_existing_keys(options.store)->remove(options.name, this_account("keys"))) {
    throw no_key(options.name);
  }
  if (session.json()) {
    print_json(session, {{"removed", options.name}});
  } else {
    session.print(fmt::format("removed the key '{}'\n", printable(options.name)));
  }
}

void run_keys(const KeysArguments& options, Session& session) {
  const bool adds = options.action == Action::add;
  const bool rotates = options.action == Action::rotate;
  if (options.role && !adds) throw wrong_call("--role goes only with 'keys add'");
  if (options.overlap && !rotates) throw wrong_call("--overlap goes only with 'keys rotate'");
  if ((options.expires || options.rate) && !adds && !rotates) {
    throw wrong_call("--expires and --rate go only with 'keys add' and 'keys rotate'");
  }
  switch (options.action) {
    case Action::add:
      return add_key(options, session);
    case Action::rotate:
      return rotate_key(options, session);
    case Action::list:
      return list_keys(options, session);
    case Action::remove:
      return remove_key(options, session);
  }
}

}  // namespace

void add_keys(Tree& tree) {
  auto [command, options] = tree.add<KeysArguments>(
      "keys", "Add, rotate, list and remove the API keys of a store.", run_keys);
  command.describe(
      "A secret is printed once, when it is made; the store keeps only its hash. 'rotate' gives a "
      "key a new secret, and the one that it had goes on working for a while.");
  command.choice("action", options.action,
                 {{"add", Action::add},
                  {"rotate", Action::rotate},
                  {"list", Action::list},
                  {"remove", Action::remove}},
                 "What to do.", Need::required);
  command.option("name", options.name, "NAME", "Of the key, to add, rotate or remove it.");
  command.option("--store", options.store, "STORE", "A store's file, or postgresql://...",
                 Need::required);
  command.choice("--role", options.role,
                 {{"read", Role::read}, {"write", Role::write}, {"admin", Role::admin}},
                 "What a new key may do; each includes the ones before. By default read.");
  command.example("palate keys add website --role write --store beers.db",
                  "A key for a site that sends ratings.");
  command.add("--expires", "TIME",
              "The key works so long from now, for example 90d; it may be s, min, h, d or w.",
              [&expires = options.expires](const auto& text) {
                expires = parse_duration("--expires", text);
              });
  command.option("--rate", options.rate,
                 "Requests per second with this key, in bursts of twice as many.");
  command.add("--overlap", "TIME",
              "So long the old secret of a rotated key goes on working (1h; 0s: not at all).",
              [&overlap = options.overlap](const auto& text) {
                overlap = parse_duration("--overlap", text);
              });
  command.example("palate keys rotate website --overlap 24h --store beers.db",
                  "A new secret; the old one works for a day more.");
  command.example("palate keys list --store beers.db", "Names and roles; secrets are not kept.");
}

}  // namespace palate::cli
