// A small checker for the pages that the report writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "palate/palate.hpp"

namespace palate::testing {

/// What is wrong with the page (a tag left open, an id given twice, ...), or "" if nothing is.
[[nodiscard]] std::string page_fault(std::string_view page);

/// The JSON that the script reads; null if there is none.
[[nodiscard]] nlohmann::json embedded_data(std::string_view page);

/// The page without style, script and tags: what a reader sees.
[[nodiscard]] std::string visible_text(std::string_view page);

[[nodiscard]] bool has_section(std::string_view page, std::string_view id);

/// A few hundred ratings with titles, the same every time.
[[nodiscard]] Ratings small_town();

}  // namespace palate::testing
