#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.hpp"

namespace palate::cli {
namespace {

constexpr char32_t not_utf8 = 0xFFFFFFFF;

// The character that `text` begins with; a byte that begins none counts as one of its own.
Character decode(std::string_view text) {
  const Character c = first_character(text);
  return c.bytes > 0 ? c : Character{not_utf8, 1};
}

struct Range {
  char32_t first, last;
};

bool within(char32_t code, const auto& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return code >= r.first && code <= r.last; });
}

std::size_t columns_of(char32_t code) {
  constexpr std::array<Range, 6> none = {{{0x300, 0x36F},
                                          {0x200B, 0x200F},
                                          {0x202A, 0x202E},
                                          {0x20D0, 0x20FF},
                                          {0xFE00, 0xFE0F},
                                          {0xFEFF, 0xFEFF}}};
  constexpr std::array<Range, 10> wide = {{{0x1100, 0x115F},
                                           {0x2E80, 0x303E},
                                           {0x3041, 0xA4CF},
                                           {0xAC00, 0xD7A3},
                                           {0xF900, 0xFAFF},
                                           {0xFE30, 0xFE6F},
                                           {0xFF00, 0xFF60},
                                           {0xFFE0, 0xFFE6},
                                           {0x1F300, 0x1FAFF},
                                           {0x20000, 0x3FFFD}}};
  if (within(code, none)) return 0;
  return within(code, wide) ? 2 : 1;
}

// Length of the colour sequence at the start of `text`, 0 if there is none.
std::size_t colour_sequence(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    if (const std::size_t skip = colour_sequence(text); skip != 0) {
      text.remove_prefix(skip);
      continue;
    }
    const Character c = decode(text);
    columns += columns_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = decode(text);
    const bool control = c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0) ||
                         (c.code >= 0x202A && c.code <= 0x202E);
    out += c.code == not_utf8 || control ? std::string_view("?") : text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string cut(std::string_view text, std::size_t columns, bool utf8) {
  if (columns_of(text) <= columns) return std::string(text);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const Character c = decode(text);
    const std::size_t next = columns_of(c.code);
    if (used + next + 1 > columns) break;
    out += text.substr(0, c.bytes);
    used += next;
    text.remove_prefix(c.bytes);
  }
  if (columns > 0) out += utf8 ? "…" : "~";
  return out;
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const std::size_t used = columns_of(text);
  return std::string(text) + std::string(used < columns ? columns - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  const std::size_t used = columns_of(text);
  return std::string(used < columns ? columns - used : 0, ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split_list(text, ' ')) {
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t end = text.find(separator);
    const std::string_view word = text.substr(0, end);
    if (!word.empty()) words.emplace_back(word);
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (&word != &words.front()) out += separator;
    out += word;
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string score_text(double value, double largest) {
  // Neither the criteria preference nor weights between items are normalised over users, so that
  // scores may be of any size.
  const double size = std::max(std::abs(value), std::abs(largest));
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (size >= 1e14 || (size > 0 && size < 1e-6)) return fmt::format("{:.3e}", value);
  if (size < 1e4) {
    const int leading =
        size > 0 && size < 0.1 ? static_cast<int>(std::floor(std::log10(size))) : -1;
    return fmt::format("{:.{}f}", value, 3 - leading);
  }
  double scaled = value;
  std::size_t step = 0;
  constexpr std::string_view units = "kMGT";
  for (scaled /= 1e3; std::abs(scaled) >= 1e3 && step + 1 < units.size(); ++step) scaled /= 1e3;
  return fmt::format("{:.{}f}{}", scaled, std::abs(scaled) >= 100 ? 1 : 2, units[step]);
}

}  // namespace palate::cli
