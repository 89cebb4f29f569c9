// Connections to PostgreSQL: statements that are prepared once, errors in our words.
#pragma once

#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <unordered_map>

#include "palate/error.hpp"
#include "rating_store/sql.hpp"

namespace palate::store {

/// Where the database is. The password is never part of what is shown.
class PostgresAddress {
 public:
  explicit PostgresAddress(const std::string& url);
  [[nodiscard]] const std::string& to_connect() const { return url_; }
  [[nodiscard]] const std::string& shown() const { return shown_; }

 private:
  std::string url_, shown_;
};

class PostgresConnection {
 public:
  explicit PostgresConnection(const PostgresAddress& address);

  /// The name of a statement. `sql` has to be a literal; it is prepared on its first use.
  [[nodiscard]] const std::string& prepared(std::string_view sql);
  [[nodiscard]] pqxx::connection& get() { return connection_; }

 private:
  pqxx::connection connection_;
  std::unordered_map<std::string_view, std::string> names_;
};

/// The exception that is being handled, as an Error about the database.
[[nodiscard]] Error as_error(const PostgresAddress& address);
/// Whether the exception that is being handled means that the connection is gone.
[[nodiscard]] bool connection_lost();

/// A connection and the transaction on it.
class PostgresSession final : public Session {
 public:
  PostgresSession(PostgresConnection& connection, pqxx::transaction_base& transaction,
                  const PostgresAddress& address)
      : connection_(connection), transaction_(transaction), address_(address) {}

  std::int64_t execute(std::string_view sql, std::span<const Value> values,
                       const Take& take) override;
  /// Through a cursor.
  void scan(std::string_view sql, const Take& take) override;
  void script(const std::string& sql) override { transaction_.exec(sql); }
  [[nodiscard]] const std::string& where() const override { return address_.shown(); }

  /// The rows that a statement gives, as libpqxx has them.
  template <class... Values>
  pqxx::result rows(std::string_view sql, const Values&... values) {
    return transaction_.exec_prepared(connection_.prepared(sql), values...);
  }

 private:
  PostgresConnection& connection_;
  pqxx::transaction_base& transaction_;
  const PostgresAddress& address_;
};

/// Makes the tables where there are none, brings older ones up to date (schema.cpp).
void prepare_postgres(PostgresConnection& connection, const PostgresAddress& address);

}  // namespace palate::store
