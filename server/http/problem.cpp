#include "server/http/problem.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <nlohmann/json.hpp>

namespace palate::server {
namespace {

/// One row per code that a client may meet; docs/http.md lists the same.
struct ProblemKind {
  std::string_view code;
  int status;
  std::string_view title;
};

constexpr std::array kinds = {
    ProblemKind{"usage", 400, "The request is wrong"},
    ProblemKind{"malformed", 400, "This is not HTTP as it should be"},
    ProblemKind{"unauthorized", 401, "An API key is needed"},
    ProblemKind{"forbidden", 403, "The API key may not do this"},
    ProblemKind{"not_found", 404, "There is no such thing"},
    ProblemKind{"method_not_allowed", 405, "This method is not possible here"},
    ProblemKind{"timeout", 408, "The request did not come in time"},
    ProblemKind{"conflict", 409, "It does not go with what is stored"},
    ProblemKind{"too_large", 413, "It is too large"},
    ProblemKind{"unsupported_media_type", 415, "The body has a type that is not understood"},
    ProblemKind{"wrong_host", 421, "The request is meant for another host"},
    ProblemKind{"bad_input", 422, "The data cannot be used"},
    ProblemKind{"unsupported", 422, "This model cannot do this"},
    ProblemKind{"rate_limited", 429, "Too many requests"},
    ProblemKind{"header_too_large", 431, "The head of the request is too large"},
    ProblemKind{"internal", 500, "A defect of the server"},
    ProblemKind{"io", 503, "Storage cannot be used"},
    ProblemKind{"corrupt", 500, "Stored data are damaged"},
    ProblemKind{"not_ready", 503, "The model is not ready"},
    ProblemKind{"overloaded", 503, "Too much at once"},
    ProblemKind{"cancelled", 503, "The server is stopping"},
};

}  // namespace

namespace {

// What the system or the database said stands behind a colon; it may name files and hosts of the
// server, and is for the log alone.
Problem unavailable(const Error& error) {
  const std::string reason = error.message().substr(0, error.message().find(": "));
  return {.code = "io",
          .detail = "the server's storage cannot be used now: " + reason,
          .hint = "try again later; the server's log says more",
          .headers = {{"Retry-After", "5"}}};
}

}  // namespace

Problem Problem::usage(std::string detail, std::string_view field, std::string hint) {
  return {.code = "usage",
          .detail = std::move(detail),
          .field = std::string(field),
          .hint = std::move(hint)};
}

Problem Problem::bad_input(std::string detail, std::string_view field, std::string hint) {
  return {.code = "bad_input",
          .detail = std::move(detail),
          .field = std::string(field),
          .hint = std::move(hint)};
}

Problem Problem::not_found(std::string detail, std::string hint) {
  return {.code = "not_found", .detail = std::move(detail), .hint = std::move(hint)};
}

Problem Problem::not_ready(std::string detail) {
  return {.code = "not_ready",
          .detail = std::move(detail),
          .hint = "GET /ready says when it is",
          .headers = {{"Retry-After", "2"}}};
}

Problem to_problem(const Error& error) {
  return {.code = std::string(kind_of(error.code()).name),
          .detail = error.message(),
          .field = error.where().field,
          .hint = error.hint(),
          .line = error.where().line};
}

Response to_response(const Problem& problem, const std::string& request_id) {
  const auto* kind = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const ProblemKind& k) { return k.code == problem.code; });
  const ProblemKind found = kind == kinds.end() ? ProblemKind{"internal", 500, "A defect"} : *kind;
  nlohmann::ordered_json body = {{"type", "urn:palate:problem:" + std::string(found.code)},
                                 {"title", found.title},
                                 {"status", found.status},
                                 {"detail", problem.detail},
                                 {"code", found.code}};
  if (!problem.field.empty()) body["field"] = problem.field;
  if (problem.line > 0) body["line"] = problem.line;
  if (!problem.hint.empty()) body["hint"] = problem.hint;
  if (!request_id.empty()) body["request_id"] = request_id;
  std::string text = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (!problem.extra.empty()) {
    text.pop_back();
    text += "," + problem.extra + "}";
  }
  return {.status = found.status,
          .content_type = "application/problem+json",
          .body = std::move(text),
          .headers = problem.headers};
}

Problem current_problem(std::string* log) {
  try {
    throw;
  } catch (const Problem& problem) {
    return problem;
  } catch (const Error& error) {
    Problem problem = to_problem(error);
    if (kind_of(error.code()).http_status >= 500) {
      if (log != nullptr) *log = error.what();
      if (error.code() == ErrorCode::io) return unavailable(error);
      // The reason may name files and hosts of the server: it is for the log, not for clients.
      if (error.code() == ErrorCode::cancelled) problem.headers = {{"Retry-After", "5"}};
      problem.detail = "the server could not do this";
      problem.field.clear();
      problem.hint = "its log says why";
    }
    return problem;
  } catch (const std::bad_alloc&) {
    if (log != nullptr) *log = "not enough memory for a request";
    return {.code = "too_large", .detail = "there is not enough memory for this"};
  } catch (const std::exception& error) {
    if (log != nullptr) *log = error.what();
    return {.code = "internal",
            .detail = "the server could not do this",
            .hint = "its log says why; please report it"};
  }
}

}  // namespace palate::server
