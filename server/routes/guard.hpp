// Who may ask, for what, and how often.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "palate/rating_store.hpp"
#include "server/http/http.hpp"
#include "server/http/options.hpp"

namespace palate::server {

/// API keys. They are needed as soon as the store has one.
class Keys {
 public:
  explicit Keys(const RatingStore& store) : store_(store) { refresh(); }

  /// Throws Problem (401, 403) unless the request may do what needs `role`. May ask the store.
  void require(const Request& request, Role role);
  /// Whether the store had any key when it was last looked at.
  [[nodiscard]] bool needed() const noexcept { return needed_; }
  /// Asks the store; to be called now and then.
  void refresh() { needed_ = !store_.keys().empty(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Known {
    std::string secret;
    Role role;
    Time until;
  };
  [[nodiscard]] std::optional<Role> role_of(std::string_view secret);

  const RatingStore& store_;
  std::mutex mutex_;
  std::vector<Known> known_;  ///< secrets that the store approved a moment ago
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
class Hosts {
 public:
  explicit Hosts(std::vector<std::string> allowed) : allowed_(std::move(allowed)) {}
  [[nodiscard]] bool expected(std::string_view host) const;

 private:
  std::vector<std::string> allowed_;
};

/// "10.0.0.7" for a client behind a proxy on this machine, if that is to be believed.
[[nodiscard]] std::string client_address(const Request& request, bool behind_proxy);

}  // namespace palate::server
