// Where one request ends and the next begins, and who it is for.
#pragma once

#include "server/http/http.hpp"

namespace palate::server {

/// Whether another program, such as a proxy before us, may see another end of the request in its
/// head, another host or another key. Whoever sends it wants two programs to see two requests.
[[nodiscard]] bool ambiguous(const Request& request, bool is_http_1_1);

}  // namespace palate::server
