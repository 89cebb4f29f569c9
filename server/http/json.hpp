// JSON at the edge, whatever it says: parsed, taken apart and written.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http.hpp"

namespace palate::server {

using Json = nlohmann::ordered_json;

/// Parses; Problem if it is no JSON, nested deeper than anyone needs, or has an object of more than
/// 256 members.
[[nodiscard]] Json parse_json(std::string_view text);
/// The body of a request as an object with no members but these. Empty counts as {}.
[[nodiscard]] Json parse_object(std::string_view text,
                                std::initializer_list<std::string_view> known);
void require_known(const Json& object, std::initializer_list<std::string_view> known);

// Each takes one member of an object; Problem naming `field` if it is of the wrong kind.
[[nodiscard]] std::string text_of(const Json& value, std::string_view field);
[[nodiscard]] bool flag_of(const Json& object, std::string_view field);
[[nodiscard]] std::size_t count_of(const Json& object, std::string_view field,
                                   std::size_t otherwise, std::size_t low, std::size_t high);
[[nodiscard]] std::vector<std::string> texts_of(const Json& object, std::string_view field,
                                                std::size_t most);

/// The shortest decimal number that means this float.
[[nodiscard]] double decimal(float value);
[[nodiscard]] std::string dump(const Json& document);
[[nodiscard]] Response json_response(const Json& document, int status = 200);

}  // namespace palate::server
