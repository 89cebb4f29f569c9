#include "io/rating_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/utf8.hpp"

namespace palate::io {
namespace {

enum class Number { good, none, out_of_range };

/// "4,5" as "4.5", else the text itself. One or two digits behind the comma, and no point: "1,000"
/// and "1,2,3" are something else.
std::string_view with_point(std::string_view text, std::string& room) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || comma == 0 || text.size() > 8) return text;
  const std::size_t behind = text.size() - comma - 1;
  if (behind < 1 || behind > 2) return text;
  room = text;
  room[comma] = '.';
  return room.find_first_not_of("0123456789", comma + 1) == std::string::npos &&
                 room.find_first_not_of("-0123456789") == comma
             ? std::string_view(room)
             : text;
}

Number parse(std::string_view text, float& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return Number::none;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) return Number::none;
  if (error == std::errc()) return Number::good;
  if (error != std::errc::result_out_of_range) return Number::none;
  // Too large for a rating, or so small that it is 0.
  double wide = 0;
  const auto again = std::from_chars(text.data(), end, wide);
  if (again.ec == std::errc() && std::fabs(wide) < 1) {
    value = 0;
    return Number::good;
  }
  return Number::out_of_range;
}

}  // namespace

RatingRule::RatingRule(const ReadOptions& options)
    : zero_is_missing_(options.zero_is_missing), word_option_(options.names.missing_word) {
  for (const std::string& word : options.missing_words) {
    std::string low = lowered(trimmed(word));
    if (low.empty()) continue;
    float value = 0;
    if (parse(low, value) == Number::good && std::isfinite(value)) numbers_.push_back(value);
    words_.push_back(std::move(low));
  }
}

bool RatingRule::is_word(std::string_view text) const {
  if (words_.empty()) return false;
  const std::string low = lowered(text);
  return std::find(words_.begin(), words_.end(), low) != words_.end();
}

bool RatingRule::is_word(float value) const {
  return std::find(numbers_.begin(), numbers_.end(), value) != numbers_.end();
}

RatingCell RatingRule::of_any(std::string_view text) const {
  text = trimmed(text);
  if (text.empty()) return {Cell::empty};
  float value = 0;
  std::string room;
  const Number number = parse(with_point(text, room), value);
  if (number == Number::good && std::isfinite(value)) return of_finite(value);
  if (is_word(text)) return {Cell::empty};
  return {number == Number::none ? Cell::not_a_number : Cell::not_finite};
}

RatingCell RatingRule::of(double value) const {
  if (std::isnan(value)) return {Cell::empty};
  if (!numbers_.empty() && is_word(static_cast<float>(value))) return {Cell::empty};
  if (value < 0) return {Cell::negative};
  if (!std::isfinite(static_cast<float>(value))) return {Cell::not_finite};
  if (value == 0) return {zero_is_missing_ ? Cell::zero : Cell::value, 0.0F};
  return {Cell::value, static_cast<float>(value)};
}

std::string RatingRule::reason(Cell kind, std::string_view text) const {
  switch (kind) {
    case Cell::negative:
      return fmt::format(
          "negative: {}; ratings begin at 0: add a number to all, or, if it means \"not rated\", "
          "say "
          "so with {}",
          shown(text), word_option_);
    case Cell::not_finite:
      return fmt::format("not finite: {}", shown(text));
    default:
      return fmt::format("not a number: {}", shown(text));
  }
}

std::string RatingRule::sentence() const {
  std::string out = zero_is_missing_ ? "an empty field or a literal 0" : "an empty field";
  if (!words_.empty()) out += fmt::format(" or one of ( {} )", fmt::join(words_, "  "));
  out += " means \"not rated\"";
  if (!zero_is_missing_) out += "; a literal 0 is a rating of 0";
  return out;
}

}  // namespace palate::io

namespace palate {

std::vector<std::string> usual_missing_words() {
  return {"na",   "n/a",  "n.a.", "n.a", "#n/a", "<na>", "nan",          "nil",
          "null", "none", "\\n",  "-",   "--",   "?",    "\xe2\x80\x93", "\xe2\x80\x94"};
}

}  // namespace palate
