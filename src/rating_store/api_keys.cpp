#include "palate/api_keys.hpp"

#include <chrono>
#include <map>
#include <mutex>

#include "base/utf8.hpp"
#include "palate/error.hpp"
#include "rating_store/key_table.hpp"
#include "rating_store/store_base.hpp"

namespace palate {
namespace store {
namespace {

void check_name(std::string_view name) {
  constexpr std::size_t most = 100;
  if (name.empty() || name.size() > most || !valid_utf8(name) ||
      name.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::usage,
                "the name of a key needs 1 to " + std::to_string(most) + " bytes of UTF-8",
                {.field = "name"});
  }
}

class StoredKeys final : public ApiKeys {
 public:
  explicit StoredKeys(std::unique_ptr<KeyTable> table) : table_(std::move(table)) {}

  std::string add(std::string_view name, Role role) override {
    check_name(name);
    std::string secret = new_secret();
    if (!table_->insert({std::string(name), role, now_seconds()}, hash_secret(secret))) {
      throw Error(ErrorCode::usage,
                  "there is a key of the name '" + std::string(name) + "' already",
                  {.field = "name"}, "remove it first, or choose another name");
    }
    return secret;
  }

  bool remove(std::string_view name) override {
    const bool removed = table_->erase(name);
    const std::lock_guard lock(mutex_);
    believed_.clear();
    return removed;
  }

  [[nodiscard]] std::vector<ApiKey> list() const override { return table_->all(); }

  // A server asks for every request. What was right a second ago is believed; what is not known is
  // always looked up.
  [[nodiscard]] std::optional<ApiKey> check(std::string_view secret) const override {
    constexpr auto patience = std::chrono::seconds(1);
    const SecretHash hash = hash_secret(secret);
    const auto now = std::chrono::steady_clock::now();
    {
      const std::lock_guard lock(mutex_);
      const auto found = believed_.find(hash);
      if (found != believed_.end() && now - found->second.seen < patience) return found->second.key;
    }
    std::optional<ApiKey> key = table_->find(hash);
    const std::lock_guard lock(mutex_);
    if (key) {
      believed_.insert_or_assign(hash, Believed{*key, now});
    } else {
      believed_.erase(hash);
    }
    return key;
  }

 private:
  struct Believed {
    ApiKey key;
    std::chrono::steady_clock::time_point seen;
  };

  std::unique_ptr<KeyTable> table_;
  mutable std::mutex mutex_;
  mutable std::map<SecretHash, Believed> believed_;
};

}  // namespace

Role role_of(std::string_view name) {
  for (const Role role : {Role::read, Role::write, Role::admin}) {
    if (role_name(role) == name) return role;
  }
  throw Error(ErrorCode::corrupt, "a key has the role '" + std::string(name) + "'", {},
              "remove the key and make it anew");
}

}  // namespace store

std::string_view role_name(Role role) noexcept {
  return role == Role::admin ? "admin" : role == Role::write ? "write" : "read";
}

std::unique_ptr<ApiKeys> open_keys(const std::string& where) {
  return std::make_unique<store::StoredKeys>(store::is_database(where)
                                                 ? store::open_postgres_keys(where)
                                                 : store::open_sqlite_keys(where));
}

}  // namespace palate
