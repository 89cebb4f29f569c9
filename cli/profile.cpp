// A profile: the ratings of someone who need not be in the data.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

constexpr std::string_view forms =
    "it is JSON, {\"item id\": {\"overall\": 4, \"taste\": 5}}, or lines of item,criterion,value";

float checked(double value, const Where& where) {
  if (std::isfinite(value) && value >= 0 && value <= 1e30) return static_cast<float>(value);
  throw Error(ErrorCode::bad_input, "a rating must be a number and not negative", where);
}

Profile from_json(const std::string& text, const std::string& file) {
  nlohmann::ordered_json document;
  try {
    document = nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::bad_input, fmt::format("not valid JSON: {}", error.what()),
                {.file = file}, std::string(forms));
  }
  Profile profile;
  for (const auto& [item, ratings] : document.items()) {
    ProfileRating& entry = profile.emplace_back(ProfileRating{item, {}});
    const Where where{.file = file, .field = item};
    if (ratings.is_number()) {
      entry.values.emplace_back("overall", checked(ratings.get<double>(), where));
      continue;
    }
    if (!ratings.is_object()) {
      throw Error(ErrorCode::bad_input, "an item needs an object of ratings", where,
                  std::string(forms));
    }
    for (const auto& [criterion, value] : ratings.items()) {
      if (value.is_null()) continue;
      if (!value.is_number()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the rating of '{}' is not a number", criterion), where);
      }
      entry.values.emplace_back(criterion, checked(value.get<double>(), where));
    }
  }
  return profile;
}

// The value and the criterion are the last two fields, so that an id may hold commas.
Profile from_lines(const std::string& text, const std::string& file) {
  Profile profile;
  std::map<std::string, std::size_t> seen;
  std::int64_t number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line == "item,criterion,value") continue;
    const Where where{.file = file, .line = number};
    const std::size_t last = line.rfind(',');
    const std::size_t middle =
        last == std::string::npos || last == 0 ? std::string::npos : line.rfind(',', last - 1);
    if (middle == std::string::npos || middle == 0) {
      throw Error(ErrorCode::bad_input, "the line has not three fields", where, std::string(forms));
    }
    const std::string item = line.substr(0, middle);
    const auto [place, fresh] = seen.try_emplace(item, profile.size());
    if (fresh) profile.push_back({item, {}});
    double value = 0;
    try {
      value = parse_number("the line", line.substr(last + 1));
    } catch (const Error&) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("'{}' is not a number", printable(line.substr(last + 1))), where,
                  std::string(forms));
    }
    profile[place->second].values.emplace_back(line.substr(middle + 1, last - middle - 1),
                                               checked(value, where));
  }
  return profile;
}

}  // namespace

Profile read_profile(const std::filesystem::path& path, const Ratings& ratings) {
  const std::string text = read_text(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) {
    throw Error(ErrorCode::bad_input, "the profile is empty", {.file = path.string()},
                std::string(forms));
  }
  Profile profile = text[first] == '{' || text[first] == '[' ? from_json(text, path.string())
                                                             : from_lines(text, path.string());
  for (const ProfileRating& entry : profile) {
    require_item(ratings, entry.item);
    for (const auto& [criterion, value] : entry.values) {
      require_criterion(ratings, criterion, path.string());
    }
  }
  return profile;
}

}  // namespace palate::cli
