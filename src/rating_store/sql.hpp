// What both databases can do, so that most statements are written once.
//
// They are in PostgreSQL's words; SQLite's connection puts its own names in their place. Parameters
// are $1, $2 and so on, in the order in which they are met first.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "palate/rating_store.hpp"

namespace palate::store {

/// Of a statement's parameter. Texts and bytes have to live as long as the call.
using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string_view,
                           std::span<const std::byte>>;

/// One row of an answer, valid while it is given. Texts are views into it.
class Row {
 public:
  virtual ~Row() = default;
  [[nodiscard]] virtual bool null(int column) const = 0;
  [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
  [[nodiscard]] virtual double real(int column) const = 0;
  [[nodiscard]] virtual std::string_view text(int column) const = 0;  ///< empty for null
  /// The values of a rating, into `out`; false if they are not `count`.
  [[nodiscard]] virtual bool values(int column, std::size_t count,
                                    std::vector<float>& out) const = 0;

  [[nodiscard]] std::uint64_t count(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }
  [[nodiscard]] std::string string(int column) const { return std::string(text(column)); }
};

/// A connection within a transaction; used by one thread at a time.
class Session {
 public:
  virtual ~Session() = default;
  using Take = std::function<void(const Row&)>;

  /// How many rows it changed; hands over those that it gives. `sql` has to be a literal: it is
  /// prepared on its first use. The same statement must not be in use twice at once.
  virtual std::int64_t execute(std::string_view sql, std::span<const Value> values,
                               const Take& take) = 0;
  /// Hands over the rows of a whole table, without holding all of them at once.
  virtual void scan(std::string_view sql, const Take& take) = 0;
  /// Statements that give nothing back.
  virtual void script(const std::string& sql) = 0;
  /// The file or the database, as it may be shown.
  [[nodiscard]] virtual const std::string& where() const = 0;

  template <class... Values>
  std::int64_t each(std::string_view sql, const Take& take, const Values&... values) {
    return execute(sql, std::array<Value, sizeof...(Values)>{Value(values)...}, take);
  }
  template <class... Values>
  std::int64_t run(std::string_view sql, const Values&... values) {
    return each(
        sql, [](const Row&) {}, values...);
  }
  /// One value of a statement that gives one row; 0 if it gives none.
  template <class... Values>
  std::int64_t number(std::string_view sql, const Values&... values) {
    std::int64_t out = 0;
    each(
        sql, [&](const Row& row) { out = row.integer(0); }, values...);
    return out;
  }
  /// What `make` makes of the rows.
  template <class Make, class... Values>
  auto list(std::string_view sql, const Make& make, const Values&... values) {
    std::vector<std::invoke_result_t<Make, const Row&>> out;
    each(
        sql, [&](const Row& row) { out.push_back(make(row)); }, values...);
    return out;
  }
  /// What `make` makes of the one row, if there is one.
  template <class Make, class... Values>
  auto find(std::string_view sql, const Make& make, const Values&... values) {
    std::optional<std::invoke_result_t<Make, const Row&>> out;
    each(
        sql, [&](const Row& row) { out.emplace(make(row)); }, values...);
    return out;
  }
};

class Writer;

/// A database that has its tables. Safe to use from many threads at once.
class Database {
 public:
  virtual ~Database() = default;
  using Work = std::function<void(Session&)>;

  enum class Scope { statement, state };
  /// Reads with one statement, or with several that see one state. `work` may be called once more
  /// if the connection turns out to be gone.
  virtual void read(Scope scope, const Work& work) = 0;
  /// One transaction that leaves the sequence alone; never tried again.
  virtual void change(const Work& work) = 0;
  /// One transaction of the only writer at this time, durable on return. `work` may be called once
  /// more if nothing of it was stored.
  virtual void write(const std::function<void(Writer&)>& work) = 0;
  /// RatingStore::wait_for_changes().
  virtual bool wait_for_changes(std::chrono::milliseconds time) = 0;

  /// What `work` makes of one statement.
  template <class Make>
  auto ask(const Make& make) {
    std::optional<std::invoke_result_t<Make, Session&>> out;
    read(Scope::statement, [&](Session& db) { out.emplace(make(db)); });
    return std::move(*out);
  }
};

/// Make the tables where there are none, bring older ones up to date. Throw Error{corrupt} for a
/// newer schema and for a file of another program, Error{unsupported} for a database that does not
/// hold UTF-8, Error{io} where write-ahead logging does not work.
[[nodiscard]] std::unique_ptr<Database> open_sqlite(const std::string& path);
[[nodiscard]] std::unique_ptr<Database> open_postgres(const std::string& url);
/// backup_store() of a file.
StoreCounts backup_sqlite(const std::string& store, const std::filesystem::path& out,
                          const RunOptions& run);
/// Either, as `where` says; Error{usage} if it says neither.
[[nodiscard]] std::unique_ptr<Database> open_database(const std::string& where);

/// The newest schema that this program knows; both databases count the same versions.
inline constexpr std::int64_t newest_schema = 3;
void refuse_newer_schema(std::int64_t version, const std::string& where);
/// The same for a store that is in use and that another program may have changed meanwhile:
/// Error{io}, so that a server goes on with what it has and says why it takes no write.
void refuse_changed_schema(std::int64_t version, const std::string& where);

/// Connections that nobody uses at the moment.
template <class Connection>
class Idle {
 public:
  explicit Idle(std::size_t most) : most_(most) {}

  /// Null if there is none.
  [[nodiscard]] std::unique_ptr<Connection> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  void give_back(std::unique_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < most_) idle_.push_back(std::move(connection));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace palate::store
