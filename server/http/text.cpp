#include "server/http/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cwctype>

#include "base/utf8.hpp"
#include "server/http/problem.hpp"

namespace palate::server {
namespace {

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

// Case does not depend on where the server runs.
locale_t unicode_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      out += text[k];
      continue;
    }
    const std::string_view digits = text.substr(k + 1, 2);
    std::uint8_t byte = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() < 2 || end != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(byte);
    k += 2;
  }
  return out;
}

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> parts;
  std::size_t begin = 1;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string fold_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const locale_t locale = unicode_locale();
  while (!text.empty()) {
    const auto [c, bytes] = first_character(text);
    const std::size_t taken = std::max<std::size_t>(bytes, 1);
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c + ('a' - 'A'));
    } else if (c < 0x80 || locale == nullptr) {
      out += text.substr(0, taken);
    } else {
      append_utf8(out, static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), locale)));
    }
    text.remove_prefix(taken);
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > most) return most + 1;
  // row[j]: from the first i bytes of a to the first j of b; only |i - j| <= most is looked at.
  std::vector<std::size_t> before(b.size() + 1, most + 1);
  std::vector<std::size_t> row(b.size() + 1, most + 1);
  std::vector<std::size_t> next(b.size() + 1, most + 1);
  for (std::size_t j = 0; j <= std::min(most, b.size()); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t from = i > most ? i - most : 0;
    const std::size_t to = std::min(b.size(), i + most);
    if (from > 0) next[from - 1] = most + 1;
    if (to < b.size()) next[to + 1] = most + 1;
    std::size_t least = most + 1;
    for (std::size_t j = from; j <= to; ++j) {
      std::size_t best = row[j] + 1;
      if (j > 0) {
        best = std::min({best, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
          best = std::min(best, before[j - 2] + 1);
        }
      }
      next[j] = std::min(best, most + 1);
      least = std::min(least, next[j]);
    }
    if (least > most) return most + 1;
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

std::string base64url(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out += alphabet[bits >> count & 0x3F];
    }
  }
  if (count > 0) out += alphabet[bits << (6 - count) & 0x3F];
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return out;
}

std::uint64_t stable_hash(std::string_view text) noexcept {
  // FNV-1a, then the finisher of SplitMix64, so that all bits are good.
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ hash >> 27) * 0x94D049BB133111EBU;
  return hash ^ hash >> 31;
}

Query::Query(std::string_view raw) {
  while (!raw.empty()) {
    const std::size_t end = std::min(raw.find('&'), raw.size());
    const std::string_view pair = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : "";
    pairs_.emplace_back(decoded("the query", pair.substr(0, equals)), value);
  }
}

void Query::allow(std::span<const std::string_view> known) const {
  for (const auto& [name, value] : pairs_) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Problem::usage(fmt::format("there is no parameter '{}' here", name), name,
                         known.empty() ? std::string("this route takes no parameters")
                                       : fmt::format("there are: {}", fmt::join(known, ", ")));
  }
}

std::string Query::decoded(std::string_view name, std::string_view raw) {
  std::string spaced(raw);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  std::optional<std::string> out = percent_decode(spaced);
  if (!out || !valid_utf8(*out) || out->find('\0') != std::string::npos) {
    throw Problem::usage("a value is not percent-encoded UTF-8", valid_utf8(name) ? name : "query");
  }
  return std::move(*out);
}

std::vector<std::string_view> Query::raw(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const auto& [key, value] : pairs_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

std::optional<std::string> Query::text(std::string_view name) const {
  const std::vector<std::string_view> all = raw(name);
  if (all.empty()) return std::nullopt;
  if (all.size() > 1) throw Problem::usage("it is given more than once", name);
  return decoded(name, all.front());
}

std::size_t Query::number(std::string_view name, std::size_t otherwise, std::size_t low,
                          std::size_t high) const {
  const std::optional<std::string> given = text(name);
  if (!given) return otherwise;
  std::size_t value = 0;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high) {
    throw Problem::usage(fmt::format("it is a whole number from {} to {}", low, high), name);
  }
  return value;
}

bool Query::flag(std::string_view name) const {
  const std::optional<std::string> given = text(name);
  if (!given || *given == "false" || *given == "0") return false;
  if (*given == "true" || *given == "1") return true;
  throw Problem::usage("it is true or false", name);
}

}  // namespace palate::server
