#include "server/routes/front.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/utf8.hpp"
#include "server/http/pages.hpp"
#include "server/http/trace.hpp"

namespace palate::server {
namespace {

bool sane_id(std::string_view id) {
  constexpr std::size_t longest = 64;
  return !id.empty() && id.size() <= longest &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

// Ids for logs. Whatever came before its head was understood gets them with its answer.
void identify(Request& request) {
  static std::mt19937_64 random = id_source();  // of the network's thread alone
  const std::string_view id = request.header("x-request-id");
  request.id = sane_id(id) ? std::string(id) : fmt::format("{:016x}", random());
  request.trace = trace_of(request, random);
}

std::string date_now() {
  static std::time_t second = 0;  // of the network's thread alone
  static std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    second = now;
    text = fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(now));
  }
  return text;
}

// The parts of `path` that stand where `pattern` has "{}"; nullopt if it does not match.
std::optional<std::vector<std::string_view>> match(std::string_view pattern,
                                                   const std::vector<std::string_view>& path) {
  const std::vector<std::string_view> wanted = split_path(pattern);
  if (wanted.size() != path.size()) return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (wanted[k] == "{}") {
      parts.push_back(path[k]);
    } else if (wanted[k] != path[k]) {
      return std::nullopt;
    }
  }
  return parts;
}

std::vector<std::string> decode_ids(const std::vector<std::string_view>& parts) {
  std::vector<std::string> ids;
  for (const std::string_view part : parts) {
    std::optional<std::string> id = percent_decode(part);
    if (!id || !valid_utf8(*id) || id->find('\0') != std::string::npos || id->empty()) {
      throw Problem::usage("an id in the path is not percent-encoded UTF-8, or is empty", "path");
    }
    if (id->size() > max_stored_id) {
      throw Problem::usage(fmt::format("an id has at most {} bytes", max_stored_id), "path");
    }
    ids.push_back(std::move(*id));
  }
  return ids;
}

void check_type(const Route& route, const Request& request) {
  const std::string_view length = request.header("content-length");
  const bool has_body =
      !request.header("transfer-encoding").empty() || (!length.empty() && length != "0");
  if (!has_body || route.body.empty()) return;
  std::string_view given = request.header("content-type");
  given = given.substr(0, given.find(';'));
  while (given.ends_with(' ')) given.remove_suffix(1);
  const std::string type = fold_case(given);
  const bool lines = route.body == "application/x-ndjson" &&
                     (type == "application/ndjson" || type == "application/jsonl");
  const std::string_view encoding = request.header("content-encoding");
  if ((type == route.body || lines) && (encoding.empty() || encoding == "identity")) return;
  throw Problem{.code = "unsupported_media_type",
                .detail = encoding.empty() || encoding == "identity"
                              ? fmt::format("the body has to be {}", route.body)
                              : std::string("the body must not be compressed"),
                .hint = fmt::format("send Content-Type: {}", route.body),
                .headers = {{"Accept", std::string(route.body)}}};
}

Problem too_much() {
  return {.code = "overloaded",
          .detail = "more requests wait than can be answered soon",
          .headers = {{"Retry-After", "1"}}};
}

bool is_api(std::string_view path) {
  return path == "/v1" || path.starts_with("/v1/") || path == "/health" || path == "/ready" ||
         path == "/metrics";
}

}  // namespace

std::vector<std::string> Front::names() {
  std::vector<std::string> out;
  for (const Route& route : routes()) out.emplace_back(route.name);
  out.emplace_back("pages");
  out.emplace_back("other");
  return out;
}

Front::Matched* Front::matched_of(const Request& request) {
  return static_cast<Matched*>(request.context.get());
}

void Front::admit(Request& request) {
  identify(request);
  request.address = client_address(request, app_.options.behind_proxy);
  if (const double wait = app_.rate.wait(request.address); wait > 0) {
    throw too_often("too many requests from this address", wait);
  }
  if (!app_.keys.needed() && !host_expected(request.header("host"), app_.options.hosts)) {
    throw Problem{.code = "wrong_host",
                  .detail = "without API keys only requests for this machine's own name are served",
                  .hint = "start the server with --host NAME, or make a key (palate keys add)"};
  }
}

void Front::admit(const ApiKey& key, const Route& route) {
  app_.keys.count(key);
  Keys::allow(key, *route.role);
}

Response Front::without_route(Matched& matched, const Request& request,
                              const std::vector<std::string_view>& allowed) const {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  std::string methods;
  for (const std::string_view method : allowed) {
    methods += fmt::format("{}, ", method);
    if (method == "GET") methods += "HEAD, ";
  }
  methods += "OPTIONS";
  if (!allowed.empty()) {
    if (request.method == "OPTIONS") return {.status = 204, .headers = {{"Allow", methods}}};
    throw Problem{.code = "method_not_allowed",
                  .detail = fmt::format("{} is not possible here", request.method),
                  .headers = {{"Allow", methods}}};
  }
  if (request.method == "OPTIONS" && (request.path == "*" || !is_api(request.path))) {
    return {.status = 204, .headers = {{"Allow", "GET, HEAD, OPTIONS"}}};
  }
  if (is_api(request.path))
    throw Problem::not_found("there is no such route", "see /v1/openapi.json");
  if (!reads) {
    throw Problem{.code = "method_not_allowed",
                  .detail = "pages can only be read",
                  .headers = {{"Allow", "GET, HEAD, OPTIONS"}}};
  }
  matched.name = routes().size();
  if (const Page* page = find_page(request.path)) return page_response(*page, request);
  const std::size_t slash = request.path.rfind('/');
  const bool names_file = request.path.find('.', slash) != std::string::npos;
  const Page* index = find_page("/index.html");
  // Pages have one name; what they load is found beside it.
  if (slash > 0 || names_file || index == nullptr) {
    throw Problem::not_found("there is no such page");
  }
  return page_response(*index, request);
}

Handler::Plan Front::guarded(const Request& request, const std::function<Plan()>& make) {
  std::string cause;
  Plan plan;
  try {
    return make();
  } catch (...) {
    plan.answer = to_response(current_problem(&cause), request.id);
  }
  if (!cause.empty()) {
    Json line = request_fields(request);
    line["error"] = cause;
    app_.log.write(LogLevel::error, "a request could not be admitted", line);
  }
  return plan;
}

Handler::Plan Front::plan_for(const SharedCall& call) {
  const Route& route = *call->route;
  check_type(route, *call->request);
  if (route.parameters) call->query.allow(*route.parameters);
  Plan plan{.body_limit = app_.options.body_bytes};
  if (Streamed* const* streamed = std::get_if<Streamed*>(&route.action)) {
    plan.body_limit = app_.options.bulk_bytes;
    plan.sink = (*streamed)(app_, call);
  }
  return plan;
}

void Front::plan(const std::shared_ptr<Request>& request, std::function<void(Plan)> go) {
  auto matched = std::make_shared<Matched>();
  matched->name = routes().size() + 1;
  request->context = matched;
  std::string secret;  // to be looked up
  Plan plan = guarded(*request, [&]() -> Plan {
    admit(*request);
    const std::vector<std::string_view> path = split_path(request->path);
    const std::string_view method =
        request->method == "HEAD" ? std::string_view("GET") : request->method;
    std::vector<std::string_view> allowed;
    for (const Route& route : routes()) {
      const auto parts = match(route.pattern, path);
      if (!parts) continue;
      allowed.push_back(route.method);
      if (route.method != method) continue;
      matched->name = static_cast<std::size_t>(&route - routes().data());
      const bool keyed = route.role && app_.keys.needed();
      if (keyed) secret = Keys::secret_of(*request);
      const auto key = keyed ? app_.keys.believed(secret) : std::nullopt;
      if (key) admit(*key, route);
      matched->call = std::make_shared<const Call>(Call{request.get(), &route, decode_ids(*parts),
                                                        Query(request->query),
                                                        key ? key->name : request->address, key});
      if (keyed && !key) return {};
      secret.clear();
      return plan_for(matched->call);
    }
    return {.answer = without_route(*matched, *request, allowed)};
  });
  if (secret.empty() || plan.answer) {
    go(std::move(plan));
    return;
  }
  // The database is asked elsewhere, and the body is not read before it has answered.
  auto ask = [this, request, matched, secret = std::move(secret), go] {
    go(guarded(*request, [&] {
      const ApiKey key = app_.keys.look_up(secret);
      Call call = *matched->call;
      admit(key, *call.route);
      call.who = key.name;
      call.key = key;
      matched->call = std::make_shared<const Call>(std::move(call));
      return plan_for(matched->call);
    }));
  };
  if (!app_.doors.submit(std::move(ask), request->address)) {
    go(Plan{.answer = to_response(too_much(), request->id)});
  }
}

void Front::handle(const std::shared_ptr<Request>& request, Respond respond) {
  const std::shared_ptr<Matched> matched(request, matched_of(*request));
  const Route& route = *matched->call->route;
  const auto come = std::chrono::steady_clock::now();
  auto task = [this, matched, request, respond, come] {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - come;
    if (waited.count() > app_.options.queue_seconds) {
      respond(to_response(too_much(), request->id));
    } else {
      run(*matched, respond);
    }
  };
  Pool& pool = route.lane == Lane::watching ? app_.watching : app_.pool;
  if (pool.submit(std::move(task), matched->call->who)) return;
  respond(to_response(too_much(), request->id));
}

void Front::run(Matched& matched, const Respond& respond) {
  const SharedCall& call = matched.call;
  const Route& route = *call->route;
  const double before = processor_seconds();
  std::optional<Response> response;
  const auto problem = problem_of(app_, *call, "a request failed", [&] {
    if (Deferred* const* deferred = std::get_if<Deferred*>(&route.action)) {
      (*deferred)(app_, call, respond);
    } else {
      response = std::get<Answer*>(route.action)(app_, *call);
    }
  });
  if (problem) response = to_response(*problem, call->request->id);
  if (!response) return;
  matched.processor_seconds = processor_seconds() - before;
  respond(std::move(*response));
}

void Front::allow_origin(const Request& request, Response& response) const {
  if (app_.options.cors.empty()) return;
  response.headers.emplace_back("Vary", "Origin");
  const std::string origin(request.header("origin"));
  const auto& allowed = app_.options.cors;
  const bool all = std::find(allowed.begin(), allowed.end(), "*") != allowed.end();
  if (origin.empty() ||
      (!all && std::find(allowed.begin(), allowed.end(), origin) == allowed.end())) {
    return;
  }
  response.headers.emplace_back("Access-Control-Allow-Origin", all ? "*" : origin);
  response.headers.emplace_back("Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id");
  if (request.method == "OPTIONS") {
    response.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, PUT, POST, DELETE");
    response.headers.emplace_back("Access-Control-Allow-Headers",
                                  "Authorization, Content-Type, If-None-Match, X-Request-Id, "
                                  "traceparent, tracestate");
    response.headers.emplace_back("Access-Control-Max-Age", "600");
  }
}

void Front::complete(Request& request, Response& response) {
  if (request.id.empty()) identify(request);
  auto& headers = response.headers;
  const auto has = [&](std::string_view name) {
    return std::any_of(headers.begin(), headers.end(),
                       [&](const auto& header) { return header.first == name; });
  };
  headers.emplace_back("Date", date_now());
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("Referrer-Policy", "no-referrer");
  if (!has("Content-Security-Policy")) {
    headers.emplace_back("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  }
  allow_origin(request, response);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!has("Cache-Control")) {
    headers.emplace_back("Cache-Control",
                         reads && response.status == 200 ? "private, no-cache" : "no-store");
  }
  if (!reads || response.status != 200) return;
  if (!has("ETag")) {
    headers.emplace_back("ETag", fmt::format("\"{:016x}\"", stable_hash(response.bytes())));
  }
  const std::string_view wanted = request.header("if-none-match");
  if (wanted.empty()) return;
  const auto etag = std::find_if(headers.begin(), headers.end(),
                                 [](const auto& header) { return header.first == "ETag"; });
  if (wanted == "*" || wanted.find(etag->second) != std::string_view::npos) {
    response.status = 304;
    response.body.clear();
    response.fixed = {};
  }
}

void Front::finished(const Request& request, const Response& response, double seconds) {
  const Matched* matched = matched_of(request);
  const std::size_t name = matched == nullptr ? routes().size() + 1 : matched->name;
  const double processor = matched == nullptr ? 0 : matched->processor_seconds;
  app_.metrics.record(name, response.status, {.seconds = seconds, .processor_seconds = processor});
  if (!app_.log.wants(LogLevel::info)) return;
  static const std::vector<std::string> all = names();
  // The route's name, not the path: ids of people do not belong into logs.
  Json line = request_fields(request);
  line.update({{"address", request.address},
               {"method", request.method},
               {"route", all[name]},
               {"status", response.status},
               {"bytes", response.bytes().size()},
               {"ms", std::round(seconds * 1e6) / 1e3},
               {"cpu_ms", std::round(processor * 1e6) / 1e3}});
  app_.log.write(LogLevel::info, "request", line);
}

}  // namespace palate::server
