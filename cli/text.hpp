// Text measured in terminal columns. All of it takes any bytes and never fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.hpp"

namespace palate::cli {

/// Columns that `text` fills; colour sequences count as nothing, East Asian wide characters as two.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Safe to show: control characters and bytes that are not UTF-8 become "?". An id or a title from
/// a file must not be able to drive the terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// At most `columns` wide, the end cut off and marked.
[[nodiscard]] std::string cut(std::string_view text, std::size_t columns, bool utf8);

[[nodiscard]] std::string pad_right(std::string_view text, std::size_t columns);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t columns);

/// Lines of at most `columns`, broken at spaces.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t columns);

[[nodiscard]] std::vector<std::string> split_list(std::string_view text, char separator);
[[nodiscard]] std::string join(const std::vector<std::string>& words, std::string_view separator);
[[nodiscard]] std::string lower(std::string_view text);  ///< ASCII only

/// As one field of a CSV line, quoted where needed.
[[nodiscard]] std::string csv_field(std::string_view text);

/// A score or a part of one: four digits that matter, with k, M, G... for large ones. `largest`: of
/// those that it stands beside, so that all have as many decimals.
[[nodiscard]] std::string score_text(double value, double largest = 0);

}  // namespace palate::cli
