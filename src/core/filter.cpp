#include "palate/filter.hpp"

#include <charconv>
#include <cmath>

#include "palate/error.hpp"

namespace palate {
namespace {

constexpr double max_power = 20.0;

double parse_number(std::string_view text, std::string_view whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error(ErrorCode::usage, "'" + std::string(whole) + "' is not a filter", {},
                "write linear, inward, outward or coefficients such as 0.7,0.1, and after a colon "
                "the power, such as outward:0.85");
  }
  return value;
}

std::string short_number(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

}  // namespace

Filter linear(double power) { return {{1.0}, power}; }
Filter inward(double power) { return {{0.0, 1.0}, power}; }
Filter outward(double power) { return {{2.0, -1.0}, power}; }

std::string filter_name(const Filter& filter) {
  if (filter.coefficients == linear().coefficients) return "linear";
  if (filter.coefficients == inward().coefficients) return "inward";
  if (filter.coefficients == outward().coefficients) return "outward";
  std::string name;
  for (const double a : filter.coefficients) {
    if (!name.empty()) name += ',';
    name += short_number(a);
  }
  return name;
}

Filter parse_filter(std::string_view text) {
  const std::string_view whole = text;
  Filter filter;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
    filter.power = parse_number(text.substr(colon + 1), whole);
    if (filter.power <= 0 || filter.power > max_power) {
      throw Error(ErrorCode::usage, "the power in '" + std::string(whole) + "' is out of range", {},
                  "a power is above 0 and at most 20");
    }
    text = text.substr(0, colon);
  }
  if (text == "linear" || text == "L") {
    filter.coefficients = linear().coefficients;
  } else if (text == "inward" || text == "I") {
    filter.coefficients = inward().coefficients;
  } else if (text == "outward" || text == "O") {
    filter.coefficients = outward().coefficients;
  } else {
    filter.coefficients.clear();
    while (true) {
      const auto comma = text.find(',');
      filter.coefficients.push_back(parse_number(text.substr(0, comma), whole));
      if (comma == std::string_view::npos) break;
      text = text.substr(comma + 1);
    }
  }
  return filter;
}

double frequency_response(const Filter& filter, double x) {
  double value = 0;
  for (auto a = filter.coefficients.rbegin(); a != filter.coefficients.rend(); ++a) {
    value = (value + *a) * (1.0 - x);
  }
  return value;
}

}  // namespace palate
