// API keys in SQLite. One connection is enough: whoever asks often is answered from memory.
#include <mutex>

#include "rating_store/key_table.hpp"
#include "rating_store/sqlite/connection.hpp"
#include "rating_store/sqlite/schema.hpp"

namespace palate::store {
namespace {

ApiKey key_in(const SqliteRows& rows) {
  return {std::string(rows.text(0)), role_of(rows.text(1)), rows.integer(2)};
}

class SqliteKeys final : public KeyTable {
 public:
  explicit SqliteKeys(const std::string& path)
      : db_(absolute_path(path), SqliteConnection::Use::writer) {
    prepare_sqlite(db_);
  }

  bool insert(const ApiKey& key, const SecretHash& hash) override {
    const std::lock_guard lock(mutex_);
    return db_.run("INSERT INTO api_keys VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
                   std::string_view(key.name), std::as_bytes(std::span(hash)), role_name(key.role),
                   key.created) > 0;
  }

  bool erase(std::string_view name) override {
    const std::lock_guard lock(mutex_);
    return db_.run("DELETE FROM api_keys WHERE name = ?", name) > 0;
  }

  [[nodiscard]] std::vector<ApiKey> all() override {
    const std::lock_guard lock(mutex_);
    SqliteRows rows = db_.query("SELECT name, role, created FROM api_keys ORDER BY name");
    std::vector<ApiKey> out;
    while (rows.next()) out.push_back(key_in(rows));
    return out;
  }

  [[nodiscard]] std::optional<ApiKey> find(const SecretHash& hash) override {
    const std::lock_guard lock(mutex_);
    SqliteRows rows = db_.query("SELECT name, role, created FROM api_keys WHERE hash = ?",
                                std::as_bytes(std::span(hash)));
    if (!rows.next()) return std::nullopt;
    return key_in(rows);
  }

 private:
  std::mutex mutex_;
  SqliteConnection db_;
};

}  // namespace

std::unique_ptr<KeyTable> open_sqlite_keys(const std::string& path) {
  return std::make_unique<SqliteKeys>(path);
}

}  // namespace palate::store
