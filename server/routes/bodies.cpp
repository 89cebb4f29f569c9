#include "server/routes/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/utf8.hpp"
#include "server/http/problem.hpp"
#include "server/service/importer.hpp"
#include "server/service/prediction_json.hpp"

namespace palate::server {
namespace {

std::size_t criterion_index(const std::string& name, const std::vector<Criterion>& all) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Criterion& c) { return c.name == name; });
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> names;
  for (const Criterion& criterion : all) names.push_back(criterion.name);
  throw Problem::bad_input(fmt::format("there is no criterion '{}'", name), name,
                           fmt::format("there are: {}", fmt::join(names, ", ")));
}

// A scale of 0 to 0 is not known.
float rating_value(const Json& value, const Criterion& criterion) {
  const bool known = criterion.max > 0;
  const double low = known ? decimal(criterion.min) : 0;
  const double high = known ? decimal(criterion.max) : max_without_scale;
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number >= low && number <= high) return static_cast<float>(number);
  }
  throw Problem::bad_input(
      fmt::format("the rating of '{}' has to be a number from {} to {}", criterion.name, low, high),
      criterion.name, known ? "PUT /v1/criteria changes the scale of a criterion" : "");
}

// How many values there are in it, at any depth.
std::size_t count_values(const Json& value) {
  if (!value.is_structured()) return 1;
  std::size_t count = 0;
  for (const Json& one : value) count += count_values(one);
  return count;
}

}  // namespace

void check_id(std::string_view id, std::string_view field) {
  if (id.empty()) throw Problem::bad_input("an id cannot be empty", field);
  if (id.size() > max_stored_id) {
    throw Problem::bad_input(fmt::format("an id has at most {} bytes", max_stored_id), field);
  }
  if (!valid_utf8(id) || id.find('\0') != std::string_view::npos) {
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
    values[place] = rating_value(value, all[place]);
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

namespace {

std::string id_of(const Json& row, std::string_view field) {
  if (!row.contains(field)) throw Problem::bad_input("it has to be given", field);
  std::string id = text_of(row[std::string(field)], field);
  check_id(id, field);
  return id;
}

StoreWrite write_in(const Json& row, RowKind kind, const std::vector<Criterion>& criteria) {
  if (kind == RowKind::user) {
    require_known(row, {"id", "attributes"});
    return StoredUser{id_of(row, "id"), attributes_of(row)};
  }
  if (kind == RowKind::item) {
    require_known(row, {"id", "title", "attributes"});
    return StoredItem{id_of(row, "id"), row.contains("title") ? text_of(row["title"], "title") : "",
                      attributes_of(row)};
  }
  require_known(row, {"user", "item", "values", "time", "delete"});
  if (flag_of(row, "delete")) return RatingKey{id_of(row, "user"), id_of(row, "item")};
  return StoredRating{id_of(row, "user"), id_of(row, "item"), values_of(row, criteria),
                      time_of(row)};
}

}  // namespace

StoreWrite write_of(const std::string& line, RowKind kind, const std::vector<Criterion>& criteria) {
  const Json row = parse_json(line);
  if (!row.is_object()) throw Problem::bad_input("the line is no JSON object");
  StoreWrite write = write_in(row, kind, criteria);
  check_write(write, criteria);
  return write;
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
  constexpr std::size_t most = 1000;
  if (!found->is_object()) throw Problem::bad_input("it has to be an object", "attributes");
  if (count_values(*found) > most) {
    throw Problem::bad_input(fmt::format("there are at most {} values in it", most), "attributes");
  }
  return dump(*found);
}

namespace {

void check_filter(const AttributeFilter& filter) {
  constexpr std::size_t most_attributes = 20;
  constexpr std::size_t most_values = 1000;
  std::size_t values = 0;
  for (const auto& [name, texts] : filter) values += texts.size();
  if (filter.size() > most_attributes || values > most_values) {
    throw Problem::bad_input(fmt::format("it names at most {} attributes, and {} values in all",
                                         most_attributes, most_values),
                             "filter");
  }
}

}  // namespace

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
  check_filter(filter);
  return filter;
}

AttributeFilter filter_of(const Query& query) {
  AttributeFilter filter;
  for (const std::string_view raw : query.raw("filter")) {
    const std::size_t colon = raw.find(':');
    if (colon == std::string_view::npos) {
      throw Problem::usage("it has to be ATTRIBUTE:VALUE", "filter",
                           "for example filter=style:stout");
    }
    filter[Query::decoded("filter", raw.substr(0, colon))].push_back(
        Query::decoded("filter", raw.substr(colon + 1)));
  }
  check_filter(filter);
  return filter;
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

Json explanation_json(const Explanation& why, std::span<const Criterion> criteria,
                      std::size_t most_parts) {
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
  Json dials = Json::array();
  for (const Explanation::Dial& dial : why.dials) {
    dials.push_back({{"criterion", why.criteria.at(dial.criterion)},
                     {"weight", dial.weight},
                     {"value", dial.value},
                     {"above", dial.above},
                     {"raters", dial.raters},
                     {"why", dial.why}});
  }
  return {{"user", why.user.empty() ? Json(nullptr) : Json(why.user)},
          {"item", why.item},
          {"title", why.title},
          {"basis", why.basis == Basis::ratings ? "ratings" : "popularity"},
          {"score", why.score},
          {"match", match_json(why.match)},
          {"predicted", predicted_json(why.predicted, criteria)},
          {"baseline", why.baseline},
          {"criteria", why.criteria},
          {"by_criterion", std::move(by_criterion)},
          {"preference", std::move(preference)},
          {"dials", std::move(dials)},
          {"notes", why.notes},
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

}  // namespace palate::server
