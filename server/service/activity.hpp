// What people and programs did to the service as a whole, for an administrator.
#pragma once

#include <memory>
#include <string_view>

#include "palate/audit_log.hpp"
#include "server/http/json.hpp"
#include "server/http/log.hpp"

namespace palate::server {

/// The audit log of the store, which holds what its servers and the tool did. Single ratings are
/// not in it, and no ids of people.
class Activity {
 public:
  Activity(std::unique_ptr<AuditLog> events, Log& log) : events_(std::move(events)), log_(log) {}

  /// For what has been done already: if it cannot be noted, it goes to the server's log.
  void note(std::string_view event, const Actor& by, const Json& detail = Json::object());
  /// The newest first, at most `limit`; with `before` those that are older than that number.
  [[nodiscard]] Json list(std::size_t limit, std::optional<std::int64_t> before) const;

 private:
  std::unique_ptr<AuditLog> events_;
  Log& log_;
};

}  // namespace palate::server
