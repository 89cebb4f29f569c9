// Text and numbers for the page. Everything that comes from data passes through `text`.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace palate::cli::html {

/// Escaped for content and for quoted attributes. Bytes that are not UTF-8, and control characters,
/// become U+FFFD.
[[nodiscard]] std::string text(std::string_view raw);

/// An id or title from the data: escaped, and isolated so that right-to-left text stays in place.
[[nodiscard]] std::string name(std::string_view raw);

/// JSON that may stand inside a <script> element: no '<', '>', '&' or line separators in it.
[[nodiscard]] std::string script_json(const nlohmann::json& value);

/// "12,345".
[[nodiscard]] std::string count(std::size_t value);
/// "1 user", "2,000 users".
[[nodiscard]] std::string counted(std::size_t value, std::string_view one, std::string_view many);
/// Three significant digits without an exponent where one can do without; a dash if not finite.
[[nodiscard]] std::string number(double value);
/// With so many decimals; a dash if not finite.
[[nodiscard]] std::string fixed(double value, int decimals);
/// As few digits as the value has: "4", "4.5".
[[nodiscard]] std::string plain(double value);
/// What part of a score this is: "37 %", "−4.0 %".
[[nodiscard]] std::string share(double value, double score);
/// "12.5 %".
[[nodiscard]] std::string percent(double share);

/// Decimals that give the largest of the values three significant digits.
[[nodiscard]] int decimals_for(double largest);

/// The CSS class that sets --k to the colour of the criterion: the same everywhere on the page.
[[nodiscard]] std::string colour_class(std::size_t criterion);
/// A coloured square and the criterion's name.
[[nodiscard]] std::string criterion_key(std::size_t criterion, std::string_view criterion_name);

/// The head of a table, up to where its rows begin. Columns of numbers stand to the right.
struct Column {
  std::string_view name;
  bool number = false;
};
[[nodiscard]] std::string table_head(std::initializer_list<Column> columns);

/// An informative lower-case word list: "a", "a and b", "a, b and c". Entries are not escaped.
[[nodiscard]] std::string listed(std::span<const std::string> words);

}  // namespace palate::cli::html
