// Values of settings as text, as a person writes them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "methods/method_entry.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const Setting& about, std::string_view text, const std::string& hint) {
  throw Error(ErrorCode::usage, fmt::format("{} cannot be '{}'", about.name, text), {}, hint);
}

double double_from(const Setting& about, std::string_view text, const std::string& hint) {
  const auto value = number_from<double>(text);
  if (!value || !std::isfinite(*value)) refuse(about, text, hint);
  return *value;
}

std::string filter_text(const Filter& filter) {
  return filter.power == 1.0 ? filter_name(filter)
                             : fmt::format("{}:{}", filter_name(filter), filter.power);
}

// "taste=outward:0.85;aroma=linear"
std::vector<CaGf::CriterionFilter> filters_from(const Setting& about, std::string_view text) {
  std::vector<CaGf::CriterionFilter> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view one = text.substr(0, end);
    const std::size_t equals = one.rfind('=');
    if (equals == std::string_view::npos || equals == 0) {
      refuse(about, one, "for example taste=outward:0.85;aroma=linear");
    }
    out.push_back({std::string(one.substr(0, equals)), parse_filter(one.substr(equals + 1))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::size_t choice_from(const Setting& about, std::string_view text) {
  for (const auto* names : {&about.choices, &about.short_choices}) {
    const auto found = std::find(names->begin(), names->end(), text);
    if (found != names->end()) return static_cast<std::size_t>(found - names->begin());
  }
  throw Error(ErrorCode::usage, fmt::format("there is no {} '{}'", about.name, text), {},
              fmt::format("choose one of {}", fmt::join(about.choices, ", ")));
}

bool flag_from(const Setting& about, std::string_view text) {
  if (text == "true" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "no" || text == "off") return false;
  refuse(about, text, "it is true or false");
}

}  // namespace

std::string to_text(const Setting& about, const SettingValue& value) {
  switch (about.kind) {
    case Setting::Kind::flag:
      return std::get<bool>(value) ? "true" : "false";
    case Setting::Kind::count:
      return fmt::format("{}", std::get<std::size_t>(value));
    case Setting::Kind::number:
      return fmt::format("{}", std::get<double>(value));
    case Setting::Kind::optional_number: {
      const auto& number = std::get<std::optional<double>>(value);
      return number ? fmt::format("{}", *number) : "off";
    }
    case Setting::Kind::filter:
      return filter_text(std::get<Filter>(value));
    case Setting::Kind::filters: {
      std::string out;
      for (const auto& [criterion, filter] : std::get<std::vector<CaGf::CriterionFilter>>(value)) {
        out += fmt::format("{}{}={}", out.empty() ? "" : ";", criterion, filter_text(filter));
      }
      return out;
    }
    default:
      return about.choices.at(std::get<std::size_t>(value));
  }
}

SettingValue from_text(const Setting& about, std::string_view text) {
  switch (about.kind) {
    case Setting::Kind::flag:
      return flag_from(about, text);
    case Setting::Kind::count: {
      const auto value = number_from<std::size_t>(text);
      if (!value) refuse(about, text, "it is a whole number from 0");
      return *value;
    }
    case Setting::Kind::number:
      return double_from(about, text, "it is a number");
    case Setting::Kind::optional_number:
      return text == "off" ? std::optional<double>()
                           : std::optional(double_from(about, text, "it is a number, or off"));
    case Setting::Kind::filter:
      return parse_filter(text);
    case Setting::Kind::filters:
      return filters_from(about, text);
    default:
      return choice_from(about, text);
  }
}

void check_bounds(const Setting& about, const SettingValue& value) {
  double number = 0;
  if (const auto* plain = std::get_if<double>(&value)) {
    number = *plain;
  } else if (const auto* optional = std::get_if<std::optional<double>>(&value)) {
    if (!*optional) return;
    number = **optional;
  } else if (about.kind == Setting::Kind::count) {
    number = static_cast<double>(std::get<std::size_t>(value));
  } else {
    return;
  }
  const bool enough = about.above_least ? number > about.least : number >= about.least;
  if (enough && number <= about.most && std::isfinite(number)) return;
  const std::string from = std::isinf(about.least) ? ""
                           : about.above_least     ? fmt::format("above {}", about.least)
                                                   : fmt::format("at least {}", about.least);
  const std::string to = !std::isinf(about.most) ? fmt::format("at most {}", about.most)
                         : from.empty()          ? "finite"
                                                 : "";
  throw Error(ErrorCode::usage, fmt::format("{} has to be {}{}{}, not {}", about.name, from,
                                            from.empty() || to.empty() ? "" : " and ", to, number));
}

}  // namespace palate
