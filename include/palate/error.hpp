// How Palate says that something is wrong. Implemented in src/base.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace palate {

/// What kind of thing went wrong. `error_table()` maps each to its meaning in full, an exit status,
/// an HTTP status and a Python exception, so that all front ends agree.
enum class ErrorCode {
  usage,        ///< the call itself is wrong
  bad_input,    ///< the data cannot be used
  not_found,    ///< there is no such thing
  io,           ///< a file, a database or the network fails
  corrupt,      ///< a file or a store is damaged, foreign or of another version
  unsupported,  ///< a valid request that this method, format or data cannot serve
  too_large,    ///< does not fit
  cancelled,    ///< stopped on request
  internal,     ///< a defect of Palate
};

/// A place in the input. Fields that do not apply are empty or 0; lines and columns count from 1.
struct Where {
  std::string file = {};
  std::int64_t line = 0;
  int column = 0;
  std::string field = {};

  /// "beers.csv, line 12, column 3 (aroma)", or "" if nothing is known.
  [[nodiscard]] std::string text() const;
};

/// The one exception that the library throws on purpose. `what()` is the whole sentence for a
/// person: place, message, hint.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message, Where where = {}, std::string hint = {});

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const Where& where() const noexcept { return where_; }
  /// What to do about it; may be empty.
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorCode code_;
  std::string message_;
  Where where_;
  std::string hint_;
};

/// One row of the table that every front end uses.
struct ErrorKind {
  ErrorCode code;
  std::string_view name;  ///< stable, for machines: "bad_input"
  int exit_status;
  int http_status;
  std::string_view python_exception;
  std::string_view meaning;  ///< for help texts: "a file cannot be opened, read or written"
};

[[nodiscard]] std::span<const ErrorKind> error_table() noexcept;
[[nodiscard]] const ErrorKind& kind_of(ErrorCode code) noexcept;

}  // namespace palate
#pragma GCC visibility pop
