// Points in time as files write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace palate::io {

/// Unix seconds of
/// - a number: seconds; above 1e11 milliseconds, above 1e14 microseconds, above 1e17 nanoseconds;
/// - an ISO 8601 date or date-time, UTC unless an offset is given: "2012-05-01",
///   "2012-05-01T10:30:00+02:00", "2012-05-01 10:30".
/// Fractions of a second are dropped. Nothing if the text is neither.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text) noexcept;

}  // namespace palate::io
