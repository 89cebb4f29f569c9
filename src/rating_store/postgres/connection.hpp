// Connections to PostgreSQL: statements that are prepared once, a pool, errors in our words.
#pragma once

#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "palate/error.hpp"

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

  /// `sql` has to be a literal; it is prepared on its first use.
  template <class... Values>
  pqxx::result run(pqxx::transaction_base& transaction, std::string_view sql,
                   const Values&... values) {
    return transaction.exec_prepared(prepared(sql), values...);
  }
  [[nodiscard]] pqxx::connection& get() { return connection_; }

 private:
  const std::string& prepared(std::string_view sql);

  pqxx::connection connection_;
  std::unordered_map<std::string_view, std::string> names_;
};

/// The exception that is being handled, as an Error about the database.
[[nodiscard]] Error as_error(const PostgresAddress& address);
/// Whether the exception that is being handled means that the connection is gone.
[[nodiscard]] bool connection_lost();

/// A connection and the transaction on it.
struct PostgresRead {
  PostgresConnection& connection;
  pqxx::transaction_base& transaction;
  const PostgresAddress& address;

  template <class... Values>
  pqxx::result run(std::string_view sql, const Values&... values) const {
    return connection.run(transaction, sql, values...);
  }
};

/// Lends connections; made as needed, kept when they come back. What goes wrong is an Error about
/// the database.
class PostgresPool {
 public:
  explicit PostgresPool(const PostgresAddress& address) : address_(address) {}

  /// One statement, which is a state of its own.
  template <class Work>
  std::invoke_result_t<Work, const PostgresRead&> look(const Work& work) {
    return read<pqxx::nontransaction>(work);
  }
  /// Several statements that see one state.
  template <class Work>
  std::invoke_result_t<Work, const PostgresRead&> look_at_one_state(const Work& work) {
    return read<pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>>(work);
  }
  /// Runs `work` on a new connection, and never a second time: it may write.
  template <class Work>
  void once(const Work& work) {
    try {
      PostgresConnection connection(address_);
      work(connection);
    } catch (const std::exception&) {
      throw as_error(address_);
    }
  }

 private:
  /// If the connection turns out to be gone, once more on a new one: `work` only reads.
  template <class Transaction, class Work>
  auto read(const Work& work) {
    try {
      try {
        return use<Transaction>(work);
      } catch (const std::exception&) {
        if (!connection_lost()) throw;
      }
      drop_idle();
      return use<Transaction>(work);
    } catch (const std::exception&) {
      throw as_error(address_);
    }
  }
  template <class Transaction, class Work>
  auto use(const Work& work) {
    std::unique_ptr<PostgresConnection> connection = take();
    auto result = [&] {
      Transaction transaction(connection->get());
      return work(PostgresRead{*connection, transaction, address_});
    }();
    give_back(std::move(connection));
    return result;
  }
  [[nodiscard]] std::unique_ptr<PostgresConnection> take();
  void give_back(std::unique_ptr<PostgresConnection> connection);
  void drop_idle();

  const PostgresAddress& address_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PostgresConnection>> idle_;
};

}  // namespace palate::store
