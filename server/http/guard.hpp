// Who may ask, for what, and how often.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "palate/api_keys.hpp"
#include "server/http/http.hpp"

namespace palate::server {

/// API keys. They are needed as soon as there is one.
class Keys {
 public:
  explicit Keys(std::unique_ptr<ApiKeys> keys) : keys_(std::move(keys)) { refresh(); }

  /// Throws Problem (401, 403) unless the request may do what needs `role`. May ask the database.
  void require(const Request& request, Role role);
  /// The name of the key that the request was sent with; none if keys are not needed.
  [[nodiscard]] std::optional<std::string> name_of(const Request& request) const;
  /// The keys themselves; refresh() after a change.
  [[nodiscard]] ApiKeys& store() noexcept { return *keys_; }
  /// Whether there was any key when it was last looked.
  [[nodiscard]] bool needed() const noexcept { return needed_; }
  /// Looks whether there are keys; to be called now and then.
  void refresh() { needed_ = !keys_->list().empty(); }

 private:
  const std::unique_ptr<ApiKeys> keys_;
  std::atomic<bool> needed_ = false;
};

/// A bucket per address that fills with `rate` requests a second and holds two seconds' worth.
class RateLimit {
 public:
  explicit RateLimit(std::optional<double> rate) : rate_(rate) {}
  /// 0: go on. Otherwise the seconds after which to come again.
  [[nodiscard]] double wait(const std::string& address);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Bucket {
    double tokens;
    Time filled;
  };
  void forget_full(Time now, double rate);

  const std::optional<double> rate_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

/// Without keys, only this machine may ask, and pages of other sites that a browser here shows are
/// not this machine: their requests come with another Host, or need a permission (CORS).
[[nodiscard]] bool host_expected(std::string_view host, const std::vector<std::string>& allowed);

/// "10.0.0.7" for a client behind a proxy on this machine, if that is to be believed.
[[nodiscard]] std::string client_address(const Request& request, bool behind_proxy);

}  // namespace palate::server
