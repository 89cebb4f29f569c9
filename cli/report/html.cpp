#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/utf8.hpp"
#include "shown.hpp"

namespace palate::cli::html {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view dash = "\xE2\x80\x93";
constexpr std::string_view minus = "\xE2\x88\x92";

constexpr std::array<std::pair<char, std::string_view>, 5> escapes = {
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};

// A hyphen is hard to see beside digits; the page shows a true minus sign.
std::string with_minus(std::string_view digits) {
  if (digits.empty() || digits.front() != '-') return std::string(digits);
  return fmt::format("{}{}", minus, digits.substr(1));
}

bool all_zero_digits(std::string_view digits) {
  return digits.find_first_of("123456789") == std::string_view::npos;
}

}  // namespace

std::string text(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t length = first_character(raw.substr(at)).bytes;
    const char c = raw[at];
    if (length == 0 || (length == 1 && static_cast<unsigned char>(c) < 0x20 && c != '\n') ||
        c == 0x7F) {
      out += c == '\t' ? std::string_view(" ") : replacement;
      ++at;
      continue;
    }
    const auto special = std::find_if(escapes.begin(), escapes.end(),
                                      [c](const auto& one) { return one.first == c; });
    out += special != escapes.end() ? special->second : raw.substr(at, length);
    at += length;
  }
  return out;
}

std::string name(std::string_view raw) { return fmt::format("<bdi>{}</bdi>", text(raw)); }

std::string script_json(const nlohmann::json& value) {
  // With ensure_ascii the line separators U+2028 and U+2029 are escaped already.
  const std::string dumped = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(dumped.size());
  for (const char c : dumped) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string count(std::size_t value) { return grouped(value); }

std::string counted(std::size_t value, std::string_view one, std::string_view many) {
  return palate::counted(value, one, many);
}

int decimals_for(double largest) {
  if (!std::isfinite(largest) || largest == 0) return 2;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(std::abs(largest)))), 0, 8);
}

std::string number(double value) {
  if (!std::isfinite(value)) return std::string(dash);
  const double size = std::abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-6)) return with_minus(fmt::format("{:.2e}", value));
  if (size >= 1000) {
    return fmt::format("{}{}", value < 0 ? minus : "",
                       count(static_cast<std::size_t>(std::llround(size))));
  }
  return fixed(value, decimals_for(value));
}

std::string share(double value, double score) {
  if (!std::isfinite(value) || !std::isfinite(score)) return std::string(dash);
  return text(with_minus(share_text(value, score)));
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return std::string(dash);
  if (std::abs(value) >= 1e9) return with_minus(fmt::format("{:.2e}", value));
  const std::string digits = fmt::format("{:.{}f}", value, decimals);
  if (all_zero_digits(digits)) return fmt::format("{:.{}f}", 0.0, decimals);
  return with_minus(digits);
}

std::string plain(double value) {
  if (!std::isfinite(value)) return std::string(dash);
  return with_minus(fmt::format("{:.4g}", value == 0 ? 0.0 : value));
}

std::string percent(double share) {
  if (!std::isfinite(share)) return std::string(dash);
  const double hundredths = share * 100;
  if (hundredths == 0 || hundredths == 100) return fmt::format("{:.0f}\u00A0%", hundredths);
  if (hundredths < 0.01) return "&lt;\u00A00.01\u00A0%";
  const int decimals = hundredths < 1 ? 2 : 1;
  return fmt::format("{:.{}f}\u00A0%", hundredths, decimals);
}

std::string colour_class(std::size_t criterion) { return fmt::format("k{}", criterion); }

std::string criterion_key(std::size_t criterion, std::string_view criterion_name) {
  return fmt::format("<span class=\"key\"><i class=\"swatch {}\"></i>{}</span>",
                     colour_class(criterion), name(criterion_name));
}

std::string table_head(std::initializer_list<Column> columns) {
  std::string out = "<thead><tr>";
  for (const Column& column : columns) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"n\"" : "",
                       text(column.name));
  }
  return out + "</tr></thead>\n<tbody>\n";
}

std::string listed(std::span<const std::string> words) {
  std::string out;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0) out += k + 1 == words.size() ? " and " : ", ";
    out += words[k];
  }
  return out;
}

}  // namespace palate::cli::html
