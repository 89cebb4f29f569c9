// Keys, and what was done to the service.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

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

// Of a key that another may take the place of, once this one is gone.
bool is_admin(const ApiKey& key) { return key.role == Role::admin && works(key); }

KeyTerms terms_of(const Json& body) {
  KeyTerms terms;
  if (const auto expires = body.find("expires"); expires != body.end() && !expires->is_null()) {
    // The year 5138: whatever is beyond is no time that anybody means.
    constexpr std::int64_t most = 100'000'000'000;
    if (!expires->is_number_integer() || *expires <= std::time(nullptr) || *expires > most) {
      throw Problem::bad_input("it has to be a time to come, in Unix seconds", "expires");
    }
    terms.expires = expires->get<std::int64_t>();
  }
  if (const auto rate = body.find("rate"); rate != body.end() && !rate->is_null()) {
    constexpr double most = 1e9;
    if (!rate->is_number() || !(rate->get<double>() > 0 && rate->get<double>() <= most)) {
      throw Problem::bad_input("it has to be a number of requests per second above 0", "rate");
    }
    terms.rate = rate->get<double>();
  }
  return terms;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json key_json(const ApiKey& key) {
  return {{"name", key.name},          {"role", role_name(key.role)},
          {"created", key.created},    {"expires", or_null(key.expires)},
          {"rate", or_null(key.rate)}, {"old_until", or_null(key.old_until)}};
}

// A key as it is now, with the secret that was just made for it.
Response with_secret(App& app, const std::string& name, const std::string& secret) {
  static_cast<void>(app.keys.refresh());
  const std::vector<ApiKey> keys = app.keys.store().list();
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const ApiKey& key) { return key.name == name; });
  if (found == keys.end()) throw Problem::not_found(fmt::format("there is no key '{}'", name));
  Json body = key_json(*found);
  body["secret"] = secret;
  return json_response(body, 201);
}

}  // namespace

Response list_keys(App& app, const Call& call) {
  Json list = Json::array();
  for (const ApiKey& key : app.keys.store().list()) {
    list.push_back(key_json(key));
    list.back()["own"] = call.key && call.key->name == key.name;
  }
  return json_response({{"keys", std::move(list)}});
}

Response add_key(App& app, const Call& call) {
  const Json body = parse_object(call.request->body, {"name", "role", "expires", "rate"});
  if (!body.contains("name")) throw Problem::bad_input("it has to be given", "name");
  const std::string name = text_of(body["name"], "name");
  const Role role = role_of(body);
  const KeyTerms terms = terms_of(body);
  const std::vector<ApiKey> keys = app.keys.store().list();
  if (keys.empty() && role != Role::admin) {
    throw conflict("the first key has to have the role admin",
                   "with it keys are needed for everything, and nobody could make another");
  }
  const auto same = [&](const ApiKey& key) { return key.name == name; };
  if (std::any_of(keys.begin(), keys.end(), same)) {
    throw conflict(fmt::format("there is a key '{}' already", name), "take another name");
  }
  return with_secret(app, name, app.keys.store().add(name, role, terms, call.actor()));
}

Response rotate_key(App& app, const Call& call) {
  constexpr std::size_t hour = 3600;
  constexpr std::size_t most = std::size_t{3650} * 24 * hour;
  const Json body = parse_object(call.request->body, {"overlap_seconds", "expires", "rate"});
  const auto overlap = static_cast<std::int64_t>(count_of(body, "overlap_seconds", hour, 0, most));
  const std::string& name = call.path[0];
  const auto secret = app.keys.store().rotate(name, overlap, terms_of(body), call.actor());
  if (!secret) throw Problem::not_found(fmt::format("there is no key '{}'", name));
  return with_secret(app, name, *secret);
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
  if (!app.keys.store().remove(name, call.actor())) {
    throw Problem::not_found(fmt::format("there is no key '{}'", name));
  }
  static_cast<void>(app.keys.refresh());
  return {.status = 204};
}

Response get_activity(App& app, const Call& call) {
  constexpr std::size_t usual = 500;
  constexpr std::size_t most = 1000;
  constexpr std::size_t last = 9'007'199'254'740'991;  // that every reader of JSON has exactly
  std::optional<std::int64_t> before;
  if (call.query.text("before")) {
    before = static_cast<std::int64_t>(call.query.number("before", 0, 1, last));
  }
  return json_response(app.activity.list(call.query.number("limit", usual, 1, most), before));
}

}  // namespace palate::server
