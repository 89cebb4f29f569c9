// The service: all that the tool sees of it.
#pragma once

#include <functional>
#include <string>

#include "server/service/options.hpp"

namespace palate::server {

/// Serves until SIGINT or SIGTERM. `listening` is told the address. Throws Error.
void serve(const Options& options, const std::function<void(const std::string& url)>& listening);

}  // namespace palate::server
