#include "palate/api_keys.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "palate/error.hpp"
#include "rating_store/audit_log.hpp"
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

std::optional<std::int64_t> time_in(const Row& row, int column) {
  return row.null(column) ? std::nullopt : std::optional(row.integer(column));
}

// Of name, role, created, expires, rate and old_until.
ApiKey key_in(const Row& row) {
  return {.name = row.string(0),
          .role = role_of(row.text(1)),
          .created = row.integer(2),
          .expires = time_in(row, 3),
          .rate = row.null(4) ? std::nullopt : std::optional(row.real(4)),
          .old_until = time_in(row, 5)};
}

template <class T>
Value value_of(const std::optional<T>& given) {
  return given ? Value(*given) : Value(nullptr);
}

void check_terms(const KeyTerms& terms) {
  constexpr double most_rate = 1e9;
  if (terms.expires && *terms.expires <= now_seconds()) {
    throw Error(ErrorCode::usage, "a key cannot expire at a time that has passed",
                {.field = "expires"}, "give a time to come, in Unix seconds");
  }
  if (terms.rate && !(*terms.rate > 0 && *terms.rate <= most_rate)) {
    throw Error(ErrorCode::usage, "the rate of a key has to be above 0, and at most 1e9",
                {.field = "rate"}, "leave it away for no limit of its own");
  }
}

void check_overlap(std::int64_t overlap) {
  constexpr std::int64_t longest = std::int64_t{3650} * 86'400;
  if (overlap >= 0 && overlap <= longest) return;
  throw Error(ErrorCode::usage, "the old secret can work for 0 seconds to ten years more",
              {.field = "overlap"});
}

std::string detail_of(std::string_view name, const std::optional<Role>& role,
                      const KeyTerms& terms) {
  nlohmann::ordered_json out = {{"name", name}};
  if (role) out["role"] = role_name(*role);
  if (terms.expires) out["expires"] = *terms.expires;
  if (terms.rate) out["rate"] = *terms.rate;
  return out.dump();
}

class StoredKeys final : public ApiKeys {
 public:
  explicit StoredKeys(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  std::string add(std::string_view name, Role role, const KeyTerms& terms,
                  const Actor& by) override {
    check_name(name);
    check_terms(terms);
    std::string secret = new_secret();
    const SecretHash hash = hash_secret(secret);
    const bool added = changes([&](Session& db) {
      if (db.run("INSERT INTO palate_api_keys (name, hash, role, created, expires, rate) "
                 "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING",
                 name, bytes_of(hash), role_name(role), now_seconds(), value_of(terms.expires),
                 value_of(terms.rate)) == 0) {
        return false;
      }
      note_event(db, "key added", by, detail_of(name, role, terms));
      return true;
    });
    if (added) return secret;
    throw Error(ErrorCode::usage, "there is a key of the name '" + std::string(name) + "' already",
                {.field = "name"}, "remove it first, or choose another name");
  }

  std::optional<std::string> rotate(std::string_view name, std::int64_t overlap,
                                    const KeyTerms& terms, const Actor& by) override {
    check_terms(terms);
    check_overlap(overlap);
    std::string secret = new_secret();
    const SecretHash hash = hash_secret(secret);
    const std::int64_t now = now_seconds();
    const bool rotated = changes([&](Session& db) {
      const auto key = db.find(
          "SELECT name, role, created, expires, rate, old_until FROM palate_api_keys "
          "WHERE name = $1",
          key_in, name);
      if (!key) return false;
      if (!terms.expires && key->expires && *key->expires <= now) {
        throw Error(ErrorCode::usage, "the key '" + key->name + "' has expired",
                    {.field = "expires"}, "say until when the new secret is to work");
      }
      db.run(
          "UPDATE palate_api_keys SET old_hash = hash, old_until = $1, hash = $2, "
          "expires = COALESCE($3, expires), rate = COALESCE($4, rate) WHERE name = $5",
          now + overlap, bytes_of(hash), value_of(terms.expires), value_of(terms.rate), name);
      note_event(db, "key rotated", by, detail_of(name, std::nullopt, terms));
      return true;
    });
    if (!rotated) return std::nullopt;
    return secret;
  }

  bool remove(std::string_view name, const Actor& by) override {
    return changes([&](Session& db) {
      if (db.run("DELETE FROM palate_api_keys WHERE name = $1", name) == 0) return false;
      note_event(db, "key removed", by, detail_of(name, std::nullopt, {}));
      return true;
    });
  }

  [[nodiscard]] std::vector<ApiKey> list() const override {
    return database_->ask([](Session& db) {
      return db.list(
          "SELECT name, role, created, expires, rate, old_until FROM palate_api_keys "
          "ORDER BY name",
          key_in);
    });
  }

  // A server asks for every request. What was right a second ago is believed; what is not known is
  // always looked up.
  [[nodiscard]] std::optional<ApiKey> check(std::string_view secret) const override {
    if (auto key = believed(secret)) return key;
    const SecretHash hash = hash_secret(secret);
    const auto seen = std::chrono::steady_clock::now();
    std::optional<Believed> found = database_->ask([&](Session& db) {
      return db.find(
          "SELECT name, role, created, expires, rate, old_until, "
          "CASE WHEN hash = $1 THEN 1 ELSE 0 END FROM palate_api_keys "
          "WHERE (hash = $1 OR (old_hash = $1 AND old_until > $2)) "
          "AND (expires IS NULL OR expires > $2)",
          [&](const Row& row) { return believed_in(row, seen); }, bytes_of(hash), now_seconds());
    });
    const std::lock_guard lock(mutex_);
    believed_.erase(hash);
    if (!found) return std::nullopt;
    return believed_.emplace(hash, std::move(*found)).first->second.key;
  }

  [[nodiscard]] std::optional<ApiKey> believed(std::string_view secret) const override {
    constexpr auto patience = std::chrono::seconds(1);
    const SecretHash hash = hash_secret(secret);
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    const auto found = believed_.find(hash);
    if (found == believed_.end() || now - found->second.seen >= patience ||
        now_seconds() >= found->second.ends) {
      return std::nullopt;
    }
    return found->second.key;
  }

 private:
  struct Believed {
    ApiKey key;
    std::int64_t ends;  ///< Unix seconds
    std::chrono::steady_clock::time_point seen;
  };

  static std::span<const std::byte> bytes_of(const SecretHash& hash) {
    return std::as_bytes(std::span(hash));
  }

  // A row as key_in() takes it, and whether the secret is the newest of the key.
  static Believed believed_in(const Row& row, std::chrono::steady_clock::time_point seen) {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    ApiKey key = key_in(row);
    std::int64_t ends = key.expires.value_or(never);
    if (row.integer(6) == 0) ends = std::min(ends, key.old_until.value_or(0));
    return {std::move(key), ends, seen};
  }

  /// Whether `work` changed anything. What was believed before is not any more.
  bool changes(const std::function<bool(Session&)>& work) {
    bool any = false;
    database_->change([&](Session& db) { any = work(db); });
    const std::lock_guard lock(mutex_);
    believed_.clear();
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
