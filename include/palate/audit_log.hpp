// What was done to a rating store as a whole, and by whom: kept in its database, beside the
// ratings. Implemented in src/rating_store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace palate {

/// Who did something. Empty members: not known, or nobody in particular.
struct Actor {
  std::string name = {};  ///< of an API key, or of an account of the system
  std::string from = {};  ///< an address, or what program
};

struct AuditEvent {
  std::int64_t number = 0;  ///< larger for what came later; some may be missing
  std::int64_t time = 0;    ///< Unix seconds
  std::string event = {};   ///< in a few words: "key added"
  Actor by = {};
  std::string detail = {};  ///< a JSON object
};

/// Of each kind of event the newest are kept (max_audit_events). Safe to use from many threads at
/// once. Any member throws Error{io} if the file or the database cannot be reached, is full or is
/// locked for too long.
class AuditLog {
 public:
  AuditLog() = default;
  virtual ~AuditLog() = default;
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  /// Durable on return. `detail` has to be a JSON object, without secrets and ids of people.
  virtual void note(std::string_view event, const Actor& by, std::string_view detail) = 0;
  /// The newest first, at most `limit`; with `before` those that are older than that number.
  [[nodiscard]] virtual std::vector<AuditEvent> list(std::size_t limit,
                                                     std::optional<std::int64_t> before) const = 0;
};

inline constexpr std::size_t max_audit_events = 1'000;

/// `where`: as for open_store(), which finds and makes the same file or tables.
[[nodiscard]] std::unique_ptr<AuditLog> open_audit_log(const std::string& where);

}  // namespace palate
#pragma GCC visibility pop
