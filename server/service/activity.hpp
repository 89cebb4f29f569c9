// What people and programs did to the service as a whole, for an administrator.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "server/http/json.hpp"

namespace palate::server {

/// The last events since the server started. Single ratings are not among them, and no ids of
/// people.
class Activity {
 public:
  /// `by`: the name of a key; none where no keys are needed.
  void note(std::string event, std::optional<std::string> by, Json detail = Json::object());
  /// Newest first.
  [[nodiscard]] Json list() const;

 private:
  static constexpr std::size_t most = 500;
  mutable std::mutex mutex_;
  std::deque<Json> events_;
};

}  // namespace palate::server
