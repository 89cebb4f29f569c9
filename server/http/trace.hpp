// Trace ids as OpenTelemetry has them, by which the logs of many services are put together.
#pragma once

#include <random>
#include <string_view>

#include "server/http/http.hpp"

namespace palate::server {

/// Goes on with the trace of a `traceparent` header, if there is one and it is valid; else begins
/// one. The span is new.
[[nodiscard]] Trace trace_of(const Request& request, std::mt19937_64& random);

/// A source of ids that do not repeat, also among servers.
[[nodiscard]] std::mt19937_64 id_source();

}  // namespace palate::server
