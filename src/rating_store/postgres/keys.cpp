// API keys in PostgreSQL.
#include "rating_store/key_table.hpp"
#include "rating_store/postgres/connection.hpp"
#include "rating_store/postgres/schema.hpp"

namespace palate::store {
namespace {

// As a parameter of type bytea.
std::string hash_text(const SecretHash& hash) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\\x";
  for (const unsigned char byte : hash) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

ApiKey key_in(const pqxx::row& row) {
  return {row[0].as<std::string>(), role_of(row[1].as<std::string>()), row[2].as<std::int64_t>()};
}

class PostgresKeys final : public KeyTable {
 public:
  explicit PostgresKeys(const std::string& url) : address_(url), pool_(address_) {
    pool_.once([this](PostgresConnection& connection) { prepare_postgres(connection, address_); });
  }

  bool insert(const ApiKey& key, const SecretHash& hash) override {
    return changes(
        "INSERT INTO palate_api_keys VALUES ($1, $2::bytea, $3, $4) "
        "ON CONFLICT (name) DO NOTHING",
        key.name, hash_text(hash), std::string(role_name(key.role)), key.created);
  }

  bool erase(std::string_view name) override {
    return changes("DELETE FROM palate_api_keys WHERE name = $1", std::string(name));
  }

  [[nodiscard]] std::vector<ApiKey> all() override {
    return pool_.look([](const PostgresRead& read) {
      std::vector<ApiKey> out;
      for (const pqxx::row& row :
           read.run("SELECT name, role, created FROM palate_api_keys ORDER BY name")) {
        out.push_back(key_in(row));
      }
      return out;
    });
  }

  [[nodiscard]] std::optional<ApiKey> find(const SecretHash& hash) override {
    return pool_.look([&](const PostgresRead& read) -> std::optional<ApiKey> {
      const pqxx::result rows =
          read.run("SELECT name, role, created FROM palate_api_keys WHERE hash = $1::bytea",
                   hash_text(hash));
      if (rows.empty()) return std::nullopt;
      return key_in(rows[0]);
    });
  }

 private:
  template <class... Values>
  bool changes(std::string_view sql, const Values&... values) {
    bool any = false;
    pool_.once([&](PostgresConnection& connection) {
      pqxx::work transaction(connection.get());
      any = connection.run(transaction, sql, values...).affected_rows() > 0;
      transaction.commit();
    });
    return any;
  }

  PostgresAddress address_;
  PostgresPool pool_;
};

}  // namespace

std::unique_ptr<KeyTable> open_postgres_keys(const std::string& url) {
  return std::make_unique<PostgresKeys>(url);
}

}  // namespace palate::store
