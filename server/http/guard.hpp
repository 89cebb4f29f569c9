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

/// Who can reach the server: programs on this machine, or others too.
enum class Reach { local, others };

/// API keys. They are needed as soon as there is one, and from then on as long as the server runs,
/// also if all are removed. A server that others can reach needs them from the beginning.
class Keys {
 public:
  Keys(std::unique_ptr<ApiKeys> keys, Reach reach)
      : keys_(std::move(keys)), needed_(reach == Reach::others) {
    static_cast<void>(refresh());
  }

  /// The keys themselves; refresh() after a change.
  [[nodiscard]] ApiKeys& store() noexcept { return *keys_; }
  [[nodiscard]] bool needed() const noexcept { return needed_; }
  /// Whether there was any when it was last looked.
  [[nodiscard]] bool any() const noexcept { return any_; }
  /// Looks whether there are keys; to be called now and then. Whether that is different now.
  [[nodiscard]] bool refresh();

  /// The secret that a request brings. Throws Problem (401) if it has none, or not as it should be.
  [[nodiscard]] static std::string_view secret_of(const Request& request);
  /// The key of that secret, if it is known without asking the database.
  [[nodiscard]] std::optional<ApiKey> believed(std::string_view secret) const {
    return keys_->believed(secret);
  }
  /// The same from the database; throws Problem (401) if there is no such key.
  [[nodiscard]] ApiKey look_up(std::string_view secret) const;
  /// The key that the request was sent with; none if keys are not needed. Throws Problem (401).
  [[nodiscard]] std::optional<ApiKey> key_of(const Request& request) const;
  /// Its name.
  [[nodiscard]] std::optional<std::string> name_of(const Request& request) const;
  /// Throws Problem (403) unless `key` may do what needs `role`.
  static void allow(const ApiKey& key, Role role);

 private:
  const std::unique_ptr<ApiKeys> keys_;
  std::atomic<bool> needed_;
  std::atomic<bool> any_ = false;
};

/// A bucket per address that fills with `rate` requests a second and holds two seconds' worth. Of
/// addresses that have not come for long, only so many are remembered.
class RateLimit {
 public:
  explicit RateLimit(std::optional<double> rate) : rate_(rate) {}
  /// 0: go on. Otherwise the seconds after which to come again. Takes as long for any number of
  /// addresses.
  [[nodiscard]] double wait(const std::string& address);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Bucket {
    double tokens;
    Time filled;
  };
  using Buckets = std::unordered_map<std::string, Bucket>;
  [[nodiscard]] Bucket& bucket_of(const std::string& address, const Bucket& full);

  const std::optional<double> rate_;
  std::mutex mutex_;
  Buckets recent_;  ///< when it is full it becomes older_, and what was there is forgotten
  Buckets older_;
};

/// Without keys, only this machine may ask, and pages of other sites that a browser here shows are
/// not this machine: their requests come with another Host, or need a permission (CORS).
[[nodiscard]] bool host_expected(std::string_view host, const std::vector<std::string>& allowed);

/// "10.0.0.7" for a client behind a proxy on this machine, if that is to be believed. Of an IPv6
/// address the network of 64 bits: who has one address has them all.
[[nodiscard]] std::string client_address(const Request& request, bool behind_proxy);

}  // namespace palate::server
