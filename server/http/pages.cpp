#include "server/http/pages.hpp"

#include <algorithm>

namespace palate::server {

const Page* find_page(std::string_view path) noexcept {
  const auto all = pages();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Page& page) { return page.path == path; });
  return found == all.end() ? nullptr : &*found;
}

Response page_response(const Page& page, const Request& request) {
  Response response;
  response.content_type = page.content_type;
  const bool packed = !page.gzip.empty() &&
                      request.header("accept-encoding").find("gzip") != std::string_view::npos;
  response.fixed = packed ? page.gzip : page.bytes;
  std::string etag(page.etag);
  if (packed) etag.insert(etag.size() - 1, "-gz");
  // Names under assets/ change with what is in them.
  const bool forever = page.path.starts_with("/assets/");
  response.headers = {
      {"ETag", etag},
      {"Vary", "Accept-Encoding"},
      {"Cache-Control", forever ? "public, max-age=31536000, immutable" : "no-cache"}};
  if (packed) response.headers.emplace_back("Content-Encoding", "gzip");
  if (page.content_type.starts_with("text/html")) {
    response.headers.emplace_back(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'");
    response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  }
  return response;
}

}  // namespace palate::server
