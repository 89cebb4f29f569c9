// Files that are part of the binary: the explorer (web/dist, or a plain page without it) and the
// OpenAPI document. The table is made by cmake/embed.py.
#pragma once

#include <span>
#include <string_view>

#include "server/http/http.hpp"

namespace palate::server {

struct Page {
  std::string_view path;  ///< "/index.html"
  std::string_view content_type;
  std::string_view etag;  ///< with its quotes
  std::string_view bytes;
  std::string_view gzip;  ///< the same, compressed; empty if that would not be smaller
};

[[nodiscard]] std::span<const Page> pages() noexcept;

/// Null if there is none.
[[nodiscard]] const Page* find_page(std::string_view path) noexcept;
[[nodiscard]] Response page_response(const Page& page, const Request& request);

}  // namespace palate::server
