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
#include "server/http/problem.hpp"

namespace palate::server {

/// Who can reach the server: programs on this machine, or others too.
enum class Reach { local, others };

/// A bucket for each who asks, which fills with `rate` requests a second and holds two seconds'
/// worth. Of those who have not come for long, only so many are remembered.
class Buckets {
 public:
  /// 0: go on. Otherwise the seconds after which to come again. Takes as long for any number of
  /// those who ask.
  [[nodiscard]] double wait(const std::string& who, double rate);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Bucket {
    double tokens;
    Time filled;
  };
  using Map = std::unordered_map<std::string, Bucket>;
  [[nodiscard]] Bucket& bucket_of(const std::string& who, const Bucket& full);

  std::mutex mutex_;
  Map recent_;  ///< when it is full it becomes older_, and what was there is forgotten
  Map older_;
};

/// Whether it has not expired.
[[nodiscard]] bool works(const ApiKey& key) noexcept;

/// 429, with the seconds after which to come again.
[[nodiscard]] Problem too_often(std::string detail, double wait);

/// API keys. They are needed as soon as there is one, and from then on as long as the server runs,
/// also if all are removed or have expired. A server that others can reach needs them from the
/// beginning.
class Keys {
 public:
  Keys(std::unique_ptr<ApiKeys> keys, Reach reach)
      : keys_(std::move(keys)), needed_(reach == Reach::others) {
    static_cast<void>(refresh());
  }

  /// The keys themselves; refresh() after a change.
  [[nodiscard]] ApiKeys& store() noexcept { return *keys_; }
  [[nodiscard]] bool needed() const noexcept { return needed_; }
  /// Whether there was any that has not expired when it was last looked.
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
  /// Throws Problem (429) if the key comes more often than it may.
  void count(const ApiKey& key);
  /// Throws Problem (403) unless `key` may do what needs `role`.
  static void allow(const ApiKey& key, Role role);

 private:
  const std::unique_ptr<ApiKeys> keys_;
  std::atomic<bool> needed_;
  std::atomic<bool> any_ = false;
  Buckets rates_;
};

/// How often an address may come. This machine is free where no rate is given, and 0 frees all.
class RateLimit {
 public:
  explicit RateLimit(std::optional<double> rate) : rate_(rate) {}
  /// As of Buckets.
  [[nodiscard]] double wait(const std::string& address);

 private:
  const std::optional<double> rate_;
  Buckets buckets_;
};

/// Without keys, only this machine may ask, and pages of other sites that a browser here shows are
/// not this machine: their requests come with another Host, or need a permission (CORS).
[[nodiscard]] bool host_expected(std::string_view host, const std::vector<std::string>& allowed);

/// "10.0.0.7" for a client behind a proxy on this machine, if that is to be believed. Of an IPv6
/// address the network of 64 bits: who has one address has them all.
[[nodiscard]] std::string client_address(const Request& request, bool behind_proxy);

}  // namespace palate::server
