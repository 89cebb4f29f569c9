#include "server/http/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace palate::server {
namespace {

constexpr std::size_t trace_digits = 32;
constexpr std::size_t span_digits = 16;

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

// version-trace-parent-flags. Version 00 ends there; a later one may go on after a dash.
bool parse(std::string_view text, Trace& out) {
  constexpr std::size_t trace_at = 3;
  constexpr std::size_t parent_at = trace_at + trace_digits + 1;
  constexpr std::size_t flags_at = parent_at + span_digits + 1;
  constexpr std::size_t length = flags_at + 2;
  if (text.size() < length || text[2] != '-' || text[parent_at - 1] != '-' ||
      text[flags_at - 1] != '-') {
    return false;
  }
  const std::string_view version = text.substr(0, 2);
  const bool ends = text.size() == length;
  if (!is_hex(version) || version == "ff" || (version == "00" && !ends) ||
      (!ends && text[length] != '-')) {
    return false;
  }
  const std::string_view id = text.substr(trace_at, trace_digits);
  const std::string_view parent = text.substr(parent_at, span_digits);
  if (!is_id(id) || !is_id(parent) || !is_hex(text.substr(flags_at, 2))) return false;
  out.id = id;
  out.parent = parent;
  return true;
}

// An id of zeros alone is none.
std::uint64_t part(std::mt19937_64& random) { return std::max<std::uint64_t>(1, random()); }

}  // namespace

Trace trace_of(const Request& request, std::mt19937_64& random) {
  Trace trace;
  std::size_t given = 0;
  std::string_view text;
  for (const auto& [name, value] : request.headers) {
    if (name != "traceparent") continue;
    text = value;
    ++given;
  }
  if (given != 1 || !parse(text, trace)) {
    trace.id = fmt::format("{:016x}{:016x}", part(random), part(random));
  }
  trace.span = fmt::format("{:016x}", part(random));
  return trace;
}

std::mt19937_64 id_source() {
  std::random_device device;
  std::array<std::uint32_t, 8> words{};
  std::generate(words.begin(), words.end(), std::ref(device));
  std::seed_seq seed(words.begin(), words.end());
  return std::mt19937_64(seed);
}

}  // namespace palate::server
