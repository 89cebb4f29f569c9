#include "server/http/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "server/http/problem.hpp"

namespace palate::server {
namespace {

constexpr std::size_t max_depth = 64;
// Members keep their order, so a name is found by looking at each: their number has to be small.
constexpr std::size_t max_members = 256;

// The parser itself copes with any depth; what walks the result later does not.
void check_shape(std::string_view text) {
  std::array<std::size_t, max_depth> commas{};  // in each array or object that is open
  std::array<bool, max_depth> is_object{};
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '\\') {
        ++k;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (depth == max_depth) {
        throw Problem::usage(fmt::format("the JSON is nested deeper than {} levels", max_depth));
      }
      commas[depth] = 0;
      is_object[depth++] = c == '{';
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    } else if (c == ',' && depth > 0 && ++commas[depth - 1] >= max_members &&
               is_object[depth - 1]) {
      throw Problem::usage(
          fmt::format("an object of the JSON has more than {} members", max_members));
    }
  }
}

}  // namespace

Json parse_json(std::string_view text) {
  check_shape(text);
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string_view what = error.what();
    const std::size_t begin = what.find("] ");
    throw Problem::usage(fmt::format(
        "not valid JSON: {}", begin == std::string_view::npos ? what : what.substr(begin + 2)));
  }
}

Json parse_object(std::string_view text, std::initializer_list<std::string_view> known) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json::object();
  Json document = parse_json(text);
  if (!document.is_object()) throw Problem::bad_input("the body has to be a JSON object");
  require_known(document, known);
  return document;
}

void require_known(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Problem::bad_input(fmt::format("there is no member '{}' here", name), name,
                             fmt::format("there are: {}", fmt::join(known, ", ")));
  }
}

std::string text_of(const Json& value, std::string_view field) {
  if (!value.is_string()) throw Problem::bad_input("it has to be a string", field);
  auto text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) {
    throw Problem::bad_input("it holds a zero character", field);
  }
  return text;
}

bool flag_of(const Json& object, std::string_view field) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return false;
  if (!found->is_boolean()) throw Problem::bad_input("it has to be true or false", field);
  return found->get<bool>();
}

std::size_t count_of(const Json& object, std::string_view field, std::size_t otherwise,
                     std::size_t low, std::size_t high) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() >= low &&
      found->get<std::uint64_t>() <= high) {
    return found->get<std::size_t>();
  }
  throw Problem::bad_input(fmt::format("it has to be a whole number from {} to {}", low, high),
                           field);
}

std::vector<std::string> texts_of(const Json& object, std::string_view field, std::size_t most) {
  const auto found = object.find(field);
  if (found == object.end()) return {};
  if (!found->is_array() || found->size() > most) {
    throw Problem::bad_input(fmt::format("it has to be an array of at most {} strings", most),
                             field);
  }
  std::vector<std::string> out;
  for (const Json& value : *found) out.push_back(text_of(value, field));
  return out;
}

double decimal(float value) {
  if (!std::isfinite(value)) return 0;
  return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}

std::string dump(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Response json_response(const Json& document, int status) {
  return {.status = status, .content_type = "application/json", .body = dump(document)};
}

}  // namespace palate::server
