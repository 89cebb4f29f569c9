// Who may use the service: API keys, kept in the database of a rating store beside the ratings.
// Implemented in src/rating_store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palate/audit_log.hpp"

#pragma GCC visibility push(default)
namespace palate {

/// What an API key may do; each includes the ones before.
enum class Role { read, write, admin };

/// "read", "write" or "admin".
[[nodiscard]] std::string_view role_name(Role role) noexcept;

/// Times are Unix seconds.
struct ApiKey {
  std::string name = {};
  Role role = Role::read;
  std::int64_t created = 0;
  std::optional<std::int64_t> expires = {};  ///< it opens nothing from then on; none: never
  std::optional<double> rate = {};           ///< requests per second; none: as all others
  std::optional<std::int64_t> old_until =
      {};  ///< the secret before the last rotation works so long
};

/// Until when and how often a key may be used, as in ApiKey.
struct KeyTerms {
  std::optional<std::int64_t> expires = {};
  std::optional<double> rate = {};
};

/// Safe to use from many threads at once. Any member throws Error{io} if the file or the database
/// cannot be reached, is full or is locked for too long. What is changed is noted in the audit log
/// of the store (palate/audit_log.hpp) in the same transaction, with the actor that is given.
class ApiKeys {
 public:
  ApiKeys() = default;
  virtual ~ApiKeys() = default;
  ApiKeys(const ApiKeys&) = delete;
  ApiKeys& operator=(const ApiKeys&) = delete;

  /// Makes a key and returns its secret, which is stored only as a hash. Throws Error{usage} if the
  /// name is taken, or the terms are none: a time that has passed, a rate that is not above 0.
  virtual std::string add(std::string_view name, Role role, const KeyTerms& terms,
                          const Actor& by) = 0;
  std::string add(std::string_view name, Role role) { return add(name, role, {}, {}); }
  /// Gives the key another secret and returns it; nullopt: there is no key of that name. The secret
  /// that it had works for `overlap` seconds more, one before that not any longer. Terms that are
  /// given replace those of the key. Throws Error{usage} as add() does, and for a key that has
  /// expired and gets no new time.
  virtual std::optional<std::string> rotate(std::string_view name, std::int64_t overlap,
                                            const KeyTerms& terms, const Actor& by) = 0;
  /// False: there is no key of that name.
  virtual bool remove(std::string_view name, const Actor& by) = 0;
  bool remove(std::string_view name) { return remove(name, {}); }
  /// In byte order of names, also those that have expired.
  [[nodiscard]] virtual std::vector<ApiKey> list() const = 0;
  /// The key of this secret, unless it has expired. One that another process removed may be found
  /// for a second longer.
  [[nodiscard]] virtual std::optional<ApiKey> check(std::string_view secret) const = 0;
  /// What check() said less than a second ago, without asking the database; nullopt: ask it.
  [[nodiscard]] virtual std::optional<ApiKey> believed(std::string_view secret) const = 0;
};

/// `where`: as for open_store(), which finds and makes the same file or tables.
[[nodiscard]] std::unique_ptr<ApiKeys> open_keys(const std::string& where);

}  // namespace palate
#pragma GCC visibility pop
