// Who may use the service: API keys, kept in the database of a rating store beside the ratings.
// Implemented in src/rating_store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace palate {

/// What an API key may do; each includes the ones before.
enum class Role { read, write, admin };

/// "read", "write" or "admin".
[[nodiscard]] std::string_view role_name(Role role) noexcept;

struct ApiKey {
  std::string name = {};
  Role role = Role::read;
  std::int64_t created = 0;  ///< Unix seconds
};

/// Safe to use from many threads at once. Any member throws Error{io} if the file or the database
/// cannot be reached, is full or is locked for too long.
class ApiKeys {
 public:
  ApiKeys() = default;
  virtual ~ApiKeys() = default;
  ApiKeys(const ApiKeys&) = delete;
  ApiKeys& operator=(const ApiKeys&) = delete;

  /// Makes a key and returns its secret, which is stored only as a hash. Throws Error{usage} if the
  /// name is taken.
  virtual std::string add(std::string_view name, Role role) = 0;
  /// False: there is no key of that name.
  virtual bool remove(std::string_view name) = 0;
  /// In byte order of names.
  [[nodiscard]] virtual std::vector<ApiKey> list() const = 0;
  /// The key of this secret. One that another process removed may be found for a second longer.
  [[nodiscard]] virtual std::optional<ApiKey> check(std::string_view secret) const = 0;
  /// What check() said less than a second ago, without asking the database; nullopt: ask it.
  [[nodiscard]] virtual std::optional<ApiKey> believed(std::string_view secret) const = 0;
};

/// `where`: as for open_store(), which finds and makes the same file or tables.
[[nodiscard]] std::unique_ptr<ApiKeys> open_keys(const std::string& where);

}  // namespace palate
#pragma GCC visibility pop
