// The table of API keys, as the two back ends have it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palate/api_keys.hpp"
#include "rating_store/secrets.hpp"

namespace palate::store {

/// Safe to use from many threads at once.
class KeyTable {
 public:
  KeyTable() = default;
  virtual ~KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  /// False: the name is taken.
  virtual bool insert(const ApiKey& key, const SecretHash& hash) = 0;
  virtual bool erase(std::string_view name) = 0;
  [[nodiscard]] virtual std::vector<ApiKey> all() = 0;
  [[nodiscard]] virtual std::optional<ApiKey> find(const SecretHash& hash) = 0;
};

/// A database that was prepared by another program or by hand may hold anything: Error{corrupt}.
[[nodiscard]] Role role_of(std::string_view name);

[[nodiscard]] std::unique_ptr<KeyTable> open_sqlite_keys(const std::string& path);
[[nodiscard]] std::unique_ptr<KeyTable> open_postgres_keys(const std::string& url);

}  // namespace palate::store
