#include "io/timestamps.hpp"

#include <charconv>
#include <chrono>
#include <cmath>

#include "io/utf8.hpp"

namespace palate::io {
namespace {

std::optional<std::int64_t> unix_seconds(double value) noexcept {
  const double size = std::fabs(value);
  if (!(size < 1e20)) return std::nullopt;
  double unit = 1;
  if (size > 1e17) {
    unit = 1e9;
  } else if (size > 1e14) {
    unit = 1e6;
  } else if (size > 1e11) {
    unit = 1e3;
  }
  return static_cast<std::int64_t>(std::floor(value / unit));
}

/// Takes pieces off the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool done() const noexcept { return text_.empty(); }
  bool take(char ch) noexcept {
    if (text_.empty() || text_.front() != ch) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// Exactly `digits` decimal digits, or -1.
  int number(std::size_t digits) noexcept {
    if (text_.size() < digits) return -1;
    int value = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      if (text_[k] < '0' || text_[k] > '9') return -1;
      value = value * 10 + (text_[k] - '0');
    }
    text_.remove_prefix(digits);
    return value;
  }
  bool skip_digits() noexcept {
    const std::size_t before = text_.size();
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') text_.remove_prefix(1);
    return text_.size() != before;
  }

 private:
  std::string_view text_;
};

/// Seconds east of UTC; the text must end here.
std::optional<std::int64_t> offset(Cursor& at) noexcept {
  if (at.done()) return 0;
  if (at.take('Z') || at.take('z'))
    return at.done() ? std::optional<std::int64_t>(0) : std::nullopt;
  int sign = 1;
  if (at.take('-')) {
    sign = -1;
  } else if (!at.take('+')) {
    return std::nullopt;
  }
  const int hours = at.number(2);
  int minutes = 0;
  if (!at.done()) {
    at.take(':');
    minutes = at.number(2);
  }
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !at.done()) return std::nullopt;
  return sign * (hours * 3600 + minutes * 60);
}

std::optional<std::int64_t> iso(std::string_view text) noexcept {
  using namespace std::chrono;
  Cursor at(text);
  const int y = at.number(4);
  if (y < 0 || !at.take('-')) return std::nullopt;
  const int m = at.number(2);
  if (m < 0 || !at.take('-')) return std::nullopt;
  const int d = at.number(2);
  if (d < 0) return std::nullopt;
  const year_month_day date{year{y}, month{static_cast<unsigned>(m)},
                            day{static_cast<unsigned>(d)}};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const std::int64_t midnight = days * 86400;
  if (at.done()) return midnight;
  if (!at.take('T') && !at.take('t') && !at.take(' ')) return std::nullopt;
  const int hour = at.number(2);
  if (hour < 0 || hour > 23 || !at.take(':')) return std::nullopt;
  const int minute = at.number(2);
  if (minute < 0 || minute > 59) return std::nullopt;
  int second = 0;
  if (at.take(':')) {
    second = at.number(2);
    if (second < 0 || second > 60) return std::nullopt;  // 60: a leap second
    if ((at.take('.') || at.take(',')) && !at.skip_digits()) return std::nullopt;
  }
  at.take(' ');
  const auto east = offset(at);
  if (!east) return std::nullopt;
  return midnight + hour * 3600 + minute * 60 + second - *east;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) noexcept {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  const char* const end = text.data() + text.size();
  // Integers apart: a double cannot hold all of them.
  std::int64_t whole = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, whole);
      error == std::errc() && stop == end && std::abs(whole / 2) < 50'000'000'000) {
    return whole;
  }
  double number = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, number);
      error == std::errc() && stop == end) {
    return unix_seconds(number);
  }
  return iso(text);
}

}  // namespace palate::io
