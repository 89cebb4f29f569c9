#include "palate/api_keys.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>

#include "base/utf8.hpp"
#include "palate/error.hpp"
#include "rating_store/sql.hpp"
#include "rating_store/store.hpp"

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

using SecretHash = std::array<unsigned char, 32>;

// 256 random bits as text that needs no quoting anywhere: "palate_" and 43 letters, digits, - or _.
std::string new_secret() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw Error(ErrorCode::io, "the system gives no random numbers, so no key can be made");
  }
  std::array<unsigned char, 45> text{};  // 44 of base64, the last of them a '=', and a zero
  EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return "palate_" + std::string(text.begin(), text.begin() + 43);
}

// SHA-256. A slow hash would add nothing: the secret is as long as the hash, and nobody chose it.
SecretHash hash_secret(std::string_view secret) {
  SecretHash hash{};
  unsigned int size = 0;
  if (EVP_Digest(secret.data(), secret.size(), hash.data(), &size, EVP_sha256(), nullptr) != 1 ||
      size != hash.size()) {
    throw Error(ErrorCode::internal, "SHA-256 is not to be had from libcrypto");
  }
  return hash;
}

// A database that was prepared by another program or by hand may hold anything: Error{corrupt}.
Role role_of(std::string_view name) {
  for (const Role role : {Role::read, Role::write, Role::admin}) {
    if (role_name(role) == name) return role;
  }
  throw Error(ErrorCode::corrupt, "a key has the role '" + std::string(name) + "'", {},
              "remove the key and make it anew");
}

ApiKey key_in(const Row& row) { return {row.string(0), role_of(row.text(1)), row.integer(2)}; }

class StoredKeys final : public ApiKeys {
 public:
  explicit StoredKeys(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  std::string add(std::string_view name, Role role) override {
    check_name(name);
    std::string secret = new_secret();
    const SecretHash hash = hash_secret(secret);
    if (!changes(
            "INSERT INTO palate_api_keys VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
            name, std::as_bytes(std::span(hash)), role_name(role), now_seconds())) {
      throw Error(ErrorCode::usage,
                  "there is a key of the name '" + std::string(name) + "' already",
                  {.field = "name"}, "remove it first, or choose another name");
    }
    return secret;
  }

  bool remove(std::string_view name) override {
    const bool removed = changes("DELETE FROM palate_api_keys WHERE name = $1", name);
    const std::lock_guard lock(mutex_);
    believed_.clear();
    return removed;
  }

  [[nodiscard]] std::vector<ApiKey> list() const override {
    return database_->ask([](Session& db) {
      return db.list("SELECT name, role, created FROM palate_api_keys ORDER BY name", key_in);
    });
  }

  // A server asks for every request. What was right a second ago is believed; what is not known is
  // always looked up.
  [[nodiscard]] std::optional<ApiKey> check(std::string_view secret) const override {
    if (auto key = believed(secret)) return key;
    const SecretHash hash = hash_secret(secret);
    const auto now = std::chrono::steady_clock::now();
    std::optional<ApiKey> key = database_->ask([&](Session& db) {
      return db.find("SELECT name, role, created FROM palate_api_keys WHERE hash = $1", key_in,
                     std::as_bytes(std::span(hash)));
    });
    const std::lock_guard lock(mutex_);
    if (key) {
      believed_.insert_or_assign(hash, Believed{*key, now});
    } else {
      believed_.erase(hash);
    }
    return key;
  }

  [[nodiscard]] std::optional<ApiKey> believed(std::string_view secret) const override {
    constexpr auto patience = std::chrono::seconds(1);
    const SecretHash hash = hash_secret(secret);
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    const auto found = believed_.find(hash);
    if (found == believed_.end() || now - found->second.seen >= patience) return std::nullopt;
    return found->second.key;
  }

 private:
  struct Believed {
    ApiKey key;
    std::chrono::steady_clock::time_point seen;
  };

  /// Whether the statement changed anything.
  template <class... Values>
  bool changes(std::string_view sql, const Values&... values) {
    bool any = false;
    database_->change([&](Session& db) { any = db.run(sql, values...) > 0; });
    return any;
  }

  std::unique_ptr<Database> database_;
  mutable std::mutex mutex_;
  mutable std::map<SecretHash, Believed> believed_;
};

}  // namespace

}  // namespace store

std::string_view role_name(Role role) noexcept {
  return role == Role::admin ? "admin" : role == Role::write ? "write" : "read";
}

std::unique_ptr<ApiKeys> open_keys(const std::string& where) {
  return std::make_unique<store::StoredKeys>(store::open_database(where));
}

}  // namespace palate
