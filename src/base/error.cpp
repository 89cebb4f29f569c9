#include "palate/error.hpp"

#include <array>
#include <utility>

namespace palate {
namespace {

constexpr std::array<ErrorKind, 9> kinds = {{
    {ErrorCode::usage, "usage", 2, 400, "ValueError",
     "the call is wrong: an unknown option, a value out of range"},
    {ErrorCode::bad_input, "bad_input", 3, 422, "ValueError",
     "the data cannot be used: malformed, empty, inconsistent"},
    {ErrorCode::not_found, "not_found", 4, 404, "KeyError",
     "no such user, item, criterion, metric or key"},
    {ErrorCode::io, "io", 5, 503, "OSError",
     "a file cannot be opened, read or written, or a database or address cannot be used"},
    {ErrorCode::corrupt, "corrupt", 6, 500, "ValueError",
     "a model file or a store is cut, altered, foreign or of another version"},
    {ErrorCode::unsupported, "unsupported", 7, 422, "NotImplementedError",
     "a valid request that this method, format or data cannot serve"},
    {ErrorCode::too_large, "too_large", 8, 413, "MemoryError",
     "does not fit into memory or into the format's limits"},
    {ErrorCode::cancelled, "cancelled", 130, 503, "KeyboardInterrupt",
     "stopped on request: Ctrl-C, or a progress callback"},
    {ErrorCode::internal, "internal", 1, 500, "RuntimeError", "a defect of Palate"},
}};

std::string sentence(const std::string& message, const Where& where, const std::string& hint) {
  std::string text = where.text();
  if (!text.empty()) text += ": ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

}  // namespace

std::string Where::text() const {
  std::string out = file;
  const auto append = [&out](const std::string& piece) {
    if (!out.empty()) out += ", ";
    out += piece;
  };
  if (line > 0) append("line " + std::to_string(line));
  if (column > 0) append("column " + std::to_string(column));
  if (!field.empty()) {
    if (out.empty()) {
      out = field;
    } else {
      out += " (" + field + ")";
    }
  }
  return out;
}

Error::Error(ErrorCode code, std::string message, Where where, std::string hint)
    : std::runtime_error(sentence(message, where, hint)),
      code_(code),
      message_(std::move(message)),
      where_(std::move(where)),
      hint_(std::move(hint)) {}

std::span<const ErrorKind> error_table() noexcept { return kinds; }

const ErrorKind& kind_of(ErrorCode code) noexcept {
  for (const ErrorKind& kind : kinds) {
    if (kind.code == code) return kind;
  }
  return kinds.back();
}

}  // namespace palate
