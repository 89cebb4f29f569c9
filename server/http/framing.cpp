#include "server/http/framing.hpp"

#include <algorithm>
#include <array>

#include "server/http/text.hpp"

namespace palate::server {

bool ambiguous(const Request& request, bool is_http_1_1) {
  constexpr std::array<std::string_view, 6> once = {
      "host", "authorization", "content-length", "content-type", "expect", "transfer-encoding"};
  const auto count = [&](std::string_view name) {
    return std::count_if(request.headers.begin(), request.headers.end(),
                         [&](const auto& header) { return header.first == name; });
  };
  if (std::any_of(once.begin(), once.end(), [&](auto name) { return count(name) > 1; }))
    return true;
  const std::string_view host = request.header("host");
  if ((is_http_1_1 && host.empty()) || host.find_first_of(" \t,/@\\?#") != std::string_view::npos) {
    return true;
  }
  const bool has_length = count("content-length") > 0;
  if (count("transfer-encoding") > 0 &&
      (!is_http_1_1 || has_length || fold_case(request.header("transfer-encoding")) != "chunked")) {
    return true;
  }
  const std::string_view length = request.header("content-length");
  return has_length &&
         (length.empty() || length.find_first_not_of("0123456789") != std::string_view::npos);
}

}  // namespace palate::server
