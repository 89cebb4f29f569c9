// JSON to native types and back.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "palate/live.hpp"
#include "palate/rating_store.hpp"
#include "server/http/http.hpp"

namespace palate::server {

using Json = nlohmann::ordered_json;

/// Parses; Problem if it is no JSON, or nested deeper than anyone needs.
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

/// Refuses what cannot be an id: empty, no UTF-8, too long, with a zero byte.
void check_id(std::string_view id, std::string_view field);

/// {"overall": 4, "taste": null} as one value per criterion, NaN where absent.
[[nodiscard]] std::vector<float> values_of(const Json& object, const std::vector<Criterion>& all);
[[nodiscard]] std::int64_t time_of(const Json& object);
[[nodiscard]] Profile profile_of(const Json& value, const std::vector<Criterion>& criteria);
[[nodiscard]] std::vector<std::pair<std::string, double>> weights_of(
    const Json& value, const std::vector<Criterion>& criteria);
/// Text of a JSON object.
[[nodiscard]] std::string attributes_of(const Json& object);

/// What items have to be like: for each attribute, one of these values.
using AttributeFilter = std::map<std::string, std::vector<std::string>>;
[[nodiscard]] AttributeFilter filter_of(const Json& value);
/// How a value of an attribute is written for comparing; nullopt for objects, arrays and null.
[[nodiscard]] std::optional<std::string> plain_text(const Json& value);

/// The shortest decimal number that means this float.
[[nodiscard]] double decimal(float value);
[[nodiscard]] Json rating_json(const StoredRating& rating, const std::vector<Criterion>& criteria);
[[nodiscard]] Json attributes_json(const std::string& text);
[[nodiscard]] Json explanation_json(const Explanation& explanation, std::size_t most_parts);
[[nodiscard]] Json criteria_json(const std::vector<Criterion>& criteria);
[[nodiscard]] Json choice_json(const Choice& choice);
[[nodiscard]] Choice choice_from(const Json& value);

[[nodiscard]] std::string dump(const Json& document);
[[nodiscard]] Response json_response(const Json& document, int status = 200);

}  // namespace palate::server
