// Errors as clients see them: RFC 9457 problem documents with a stable code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palate/error.hpp"
#include "server/http/http.hpp"

namespace palate::server {

/// A request that gets another answer than it asked for. Thrown by routes.
struct Problem {
  std::string code = {};
  std::string detail = {};
  std::string field = {};
  std::string hint = {};
  std::int64_t line = 0;
  std::string extra = {};  ///< JSON text of further members: "\"report\":{...}"
  std::vector<std::pair<std::string, std::string>> headers = {};

  /// 400: the request itself is wrong.
  [[nodiscard]] static Problem usage(std::string detail, std::string_view field = {},
                                     std::string hint = {});
  /// 422: what it carries cannot be used.
  [[nodiscard]] static Problem bad_input(std::string detail, std::string_view field = {},
                                         std::string hint = {});
  [[nodiscard]] static Problem not_found(std::string detail, std::string hint = {});
  [[nodiscard]] static Problem not_ready(std::string detail);
};

[[nodiscard]] Problem to_problem(const Error& error);
[[nodiscard]] Response to_response(const Problem& problem, const std::string& request_id);
/// What the exception under way becomes; anything unforeseen is 500 and goes to `log` whole.
[[nodiscard]] Problem current_problem(std::string* log = nullptr);

}  // namespace palate::server
