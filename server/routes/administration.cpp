// Keys, and what was done to the service.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

Role role_of(const Json& body) {
  const std::string name = body.contains("role") ? text_of(body["role"], "role") : "read";
  for (const Role role : {Role::read, Role::write, Role::admin}) {
    if (role_name(role) == name) return role;
  }
  throw Problem::bad_input(fmt::format("there is no role '{}'", name), "role",
                           "one of read, write, admin");
}

Problem conflict(std::string detail, std::string hint) {
  return {.code = "conflict", .detail = std::move(detail), .hint = std::move(hint)};
}

bool is_admin(const ApiKey& key) { return key.role == Role::admin; }

}  // namespace

Response list_keys(App& app, const Call& call) {
  const auto own = app.keys.name_of(*call.request);
  Json list = Json::array();
  for (const ApiKey& key : app.keys.store().list()) {
    list.push_back({{"name", key.name},
                    {"role", role_name(key.role)},
                    {"created", key.created},
                    {"own", own == key.name}});
  }
  return json_response({{"keys", std::move(list)}});
}

Response add_key(App& app, const Call& call) {
  const Json body = parse_object(call.request->body, {"name", "role"});
  if (!body.contains("name")) throw Problem::bad_input("it has to be given", "name");
  const std::string name = text_of(body["name"], "name");
  const Role role = role_of(body);
  const std::vector<ApiKey> keys = app.keys.store().list();
  if (keys.empty() && role != Role::admin) {
    throw conflict("the first key has to have the role admin",
                   "with it keys are needed for everything, and nobody could make another");
  }
  const auto same = [&](const ApiKey& key) { return key.name == name; };
  if (std::any_of(keys.begin(), keys.end(), same)) {
    throw conflict(fmt::format("there is a key '{}' already", name), "take another name");
  }
  const auto by = app.keys.name_of(*call.request);
  const std::string secret = app.keys.store().add(name, role);
  static_cast<void>(app.keys.refresh());
  app.activity.note("key added", by, {{"name", name}, {"role", role_name(role)}});
  return json_response({{"name", name}, {"role", role_name(role)}, {"secret", secret}}, 201);
}

// Without a key of an administrator nobody could make another over HTTP: that is decided beside the
// server, with `palate keys`.
Response remove_key(App& app, const Call& call) {
  const std::string& name = call.path[0];
  const std::vector<ApiKey> keys = app.keys.store().list();
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const ApiKey& key) { return key.name == name; });
  if (found == keys.end()) throw Problem::not_found(fmt::format("there is no key '{}'", name));
  if (is_admin(*found) && std::count_if(keys.begin(), keys.end(), is_admin) == 1) {
    throw conflict("it is the last key of an administrator",
                   "make another first, or remove it with 'palate keys remove' on the server");
  }
  const auto by = app.keys.name_of(*call.request);
  if (!app.keys.store().remove(name)) {
    throw Problem::not_found(fmt::format("there is no key '{}'", name));
  }
  static_cast<void>(app.keys.refresh());
  app.activity.note("key removed", by, {{"name", name}});
  return {.status = 204};
}

Response get_activity(App& app, const Call&) {
  return json_response({{"events", app.activity.list()}});
}

}  // namespace palate::server
