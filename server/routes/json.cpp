#include "server/routes/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "server/http/problem.hpp"
#include "server/http/text.hpp"

namespace palate::server {
namespace {

constexpr int max_depth = 64;

// The parser itself copes with any depth; what walks the result later does not.
bool too_deep(std::string_view text) {
  int depth = 0;
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
      if (++depth > max_depth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

std::size_t criterion_index(const std::string& name, const std::vector<Criterion>& all) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Criterion& c) { return c.name == name; });
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> names;
  for (const Criterion& criterion : all) names.push_back(criterion.name);
  throw Problem::bad_input(fmt::format("there is no criterion '{}'", name), name,
                           fmt::format("there are: {}", fmt::join(names, ", ")));
}

float rating_value(const Json& value, const std::string& criterion) {
  constexpr double most = 1e30;
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number >= 0 && number <= most) return static_cast<float>(number);
  }
  throw Problem::bad_input(
      fmt::format("the rating of '{}' has to be a number from 0 on", criterion), criterion);
}

}  // namespace

Json parse_json(std::string_view text) {
  if (too_deep(text)) {
    throw Problem::usage(fmt::format("the JSON is nested deeper than {} levels", max_depth));
  }
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

void check_id(std::string_view id, std::string_view field) {
  if (id.empty()) throw Problem::bad_input("an id cannot be empty", field);
  if (id.size() > max_stored_id) {
    throw Problem::bad_input(fmt::format("an id has at most {} bytes", max_stored_id), field);
  }
  if (!is_utf8(id) || id.find('\0') != std::string_view::npos) {
    throw Problem::bad_input("an id has to be UTF-8 without zero bytes", field);
  }
}

std::vector<float> values_of(const Json& object, const std::vector<Criterion>& all) {
  const auto found = object.find("values");
  if (found == object.end() || !found->is_object()) {
    throw Problem::bad_input("it has to be an object of criterion: value", "values",
                             R"(for example {"values": {"overall": 4, "taste": 5}})");
  }
  std::vector<float> values(all.size(), std::numeric_limits<float>::quiet_NaN());
  bool any = false;
  for (const auto& [name, value] : found->items()) {
    const std::size_t place = criterion_index(name, all);
    if (value.is_null()) continue;
    values[place] = rating_value(value, name);
    any = true;
  }
  if (!any) throw Problem::bad_input("a rating needs at least one value", "values");
  return values;
}

std::int64_t time_of(const Json& object) {
  // The years 1 to 9999.
  constexpr std::int64_t earliest = -62'135'596'800;
  constexpr std::int64_t latest = 253'402'300'799;
  const auto found = object.find("time");
  if (found == object.end() || found->is_null()) {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  if (found->is_number_integer() &&
      (!found->is_number_unsigned() || found->get<std::uint64_t>() <= std::uint64_t{latest})) {
    const auto time = found->get<std::int64_t>();
    if (time >= earliest && time <= latest) return time;
  }
  throw Problem::bad_input("it has to be Unix seconds, a whole number", "time");
}

Profile profile_of(const Json& value, const std::vector<Criterion>& criteria) {
  constexpr std::size_t most = 10'000;
  if (!value.is_array() || value.empty() || value.size() > most) {
    throw Problem::bad_input(fmt::format("it has to be an array of 1 to {} ratings", most),
                             "profile");
  }
  Profile profile;
  for (const Json& entry : value) {
    if (!entry.is_object() || !entry.contains("item")) {
      throw Problem::bad_input("a rating of a profile needs an item and values", "profile");
    }
    require_known(entry, {"item", "values"});
    ProfileRating& rating = profile.emplace_back();
    rating.item = text_of(entry["item"], "item");
    check_id(rating.item, "item");
    const std::vector<float> values = values_of(entry, criteria);
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      if (!std::isnan(values[c])) rating.values.emplace_back(criteria[c].name, values[c]);
    }
  }
  return profile;
}

std::vector<std::pair<std::string, double>> weights_of(const Json& value,
                                                       const std::vector<Criterion>& criteria) {
  constexpr double most = 1e6;
  if (!value.is_object()) throw Problem::bad_input("it has to be an object", "weights");
  std::vector<std::pair<std::string, double>> weights;
  for (const auto& [name, factor] : value.items()) {
    static_cast<void>(criterion_index(name, criteria));
    if (!factor.is_number() || !(factor.get<double>() >= 0 && factor.get<double>() <= most)) {
      throw Problem::bad_input(fmt::format("the weight of '{}' is a number from 0 to 1e6", name),
                               "weights");
    }
    weights.emplace_back(name, factor.get<double>());
  }
  return weights;
}

std::string attributes_of(const Json& object) {
  const auto found = object.find("attributes");
  if (found == object.end()) return "{}";
  if (!found->is_object()) throw Problem::bad_input("it has to be an object", "attributes");
  return dump(*found);
}

std::optional<std::string> plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return dump(value);
  return std::nullopt;
}

AttributeFilter filter_of(const Json& value) {
  if (!value.is_object()) throw Problem::bad_input("it has to be an object", "filter");
  AttributeFilter filter;
  for (const auto& [name, wanted] : value.items()) {
    std::vector<std::string>& texts = filter[name];
    const auto add = [&, &key = name](const Json& one) {
      std::optional<std::string> text = plain_text(one);
      if (!text) {
        throw Problem::bad_input(
            fmt::format("'{}' has to be a string, a number, true, false, or an array of these",
                        key),
            "filter");
      }
      texts.push_back(std::move(*text));
    };
    if (wanted.is_array() && !wanted.empty()) {
      for (const Json& one : wanted) add(one);
    } else {
      add(wanted);
    }
  }
  return filter;
}

double decimal(float value) {
  if (!std::isfinite(value)) return 0;
  return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}

Json rating_json(const StoredRating& rating, const std::vector<Criterion>& criteria) {
  Json values = Json::object();
  for (std::size_t c = 0; c < criteria.size() && c < rating.values.size(); ++c) {
    if (!std::isnan(rating.values[c])) values[criteria[c].name] = decimal(rating.values[c]);
  }
  return {{"user", rating.user},
          {"item", rating.item},
          {"values", std::move(values)},
          {"time", rating.time == no_time ? Json(nullptr) : Json(rating.time)}};
}

Json attributes_json(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_object() ? value : Json::object();
}

Json explanation_json(const Explanation& why, std::size_t most_parts) {
  Json by_criterion = Json::object();
  Json preference = Json::object();
  for (std::size_t c = 0; c < why.criteria.size(); ++c) {
    by_criterion[why.criteria[c]] = c < why.by_criterion.size() ? why.by_criterion[c] : 0.0;
    preference[why.criteria[c]] = c < why.preference.size() ? why.preference[c] : 0.0;
  }
  Json parts = Json::array();
  double rest = 0;
  for (std::size_t k = 0; k < why.parts.size(); ++k) {
    const Explanation::Part& part = why.parts[k];
    if (k >= most_parts) {
      rest += part.value;
      continue;
    }
    parts.push_back({{"item", part.item},
                     {"title", part.title},
                     {"criterion", why.criteria.at(part.criterion)},
                     {"rating", decimal(static_cast<float>(part.rating))},
                     {"value", part.value}});
  }
  return {{"user", why.user.empty() ? Json(nullptr) : Json(why.user)},
          {"item", why.item},
          {"title", why.title},
          {"basis", why.basis == Basis::ratings ? "ratings" : "popularity"},
          {"score", why.score},
          {"baseline", why.baseline},
          {"criteria", why.criteria},
          {"by_criterion", std::move(by_criterion)},
          {"preference", std::move(preference)},
          {"parts", std::move(parts)},
          {"rest", rest}};
}

Json criteria_json(const std::vector<Criterion>& criteria) {
  Json list = Json::array();
  for (const Criterion& criterion : criteria) {
    list.push_back({{"name", criterion.name},
                    {"min", decimal(criterion.min)},
                    {"max", decimal(criterion.max)}});
  }
  return {{"criteria", std::move(list)}};
}

Json choice_json(const Choice& choice) {
  Json steps = Json::array();
  for (const Choice::Step& step : choice.steps) {
    steps.push_back({{"tried", step.tried}, {"ndcg", step.ndcg}, {"taken", step.taken}});
  }
  return {{"ndcg_start", choice.ndcg_start},
          {"ndcg_end", choice.ndcg_end},
          {"users", choice.users},
          {"steps", std::move(steps)}};
}

Choice choice_from(const Json& value) {
  Choice choice;
  choice.ndcg_start = value.at("ndcg_start").get<double>();
  choice.ndcg_end = value.at("ndcg_end").get<double>();
  choice.users = value.at("users").get<std::size_t>();
  for (const Json& step : value.at("steps")) {
    choice.steps.push_back({step.at("tried").get<std::string>(), step.at("ndcg").get<double>(),
                            step.at("taken").get<bool>()});
  }
  return choice;
}

std::string dump(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Response json_response(const Json& document, int status) {
  return {.status = status, .content_type = "application/json", .body = dump(document)};
}

}  // namespace palate::server
