// SQLite with destructors: connections, statements that are prepared once, transactions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace palate::store {

/// The file as SQLite takes it: names like ":memory:" mean something to it, an absolute path does
/// not. Throws Error for what cannot be the name of a file.
[[nodiscard]] std::string absolute_path(const std::string& path);

/// Rows of a statement. The statement is free for its next use when this goes.
class SqliteRows {
 public:
  SqliteRows(sqlite3_stmt* statement, const std::string& path);
  ~SqliteRows();
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  bool next();
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  /// Valid until next().
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;
  [[nodiscard]] bool null(int column) const;

 private:
  sqlite3_stmt* statement_;
  const std::string& path_;
};

/// One connection; used by one thread at a time. Throws Error{io}, or Error{corrupt} for a file
/// that is damaged or foreign.
class SqliteConnection {
 public:
  enum class Use { writer, reader };

  SqliteConnection(std::string path, Use use);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  /// `sql` has to live as long as the connection: a literal. The same text must not be in use twice
  /// at once. Values that are bound have to live as long as the rows.
  template <class... Values>
  [[nodiscard]] SqliteRows query(std::string_view sql, const Values&... values) {
    sqlite3_stmt* statement = prepared(sql);
    int place = 0;
    (bind(statement, ++place, values), ...);
    return {statement, path_};
  }
  /// How many rows it changed.
  template <class... Values>
  std::int64_t run(std::string_view sql, const Values&... values) {
    query(sql, values...).next();
    return changed_rows();
  }
  void script(const char* sql);
  /// One value of a statement that gives one row.
  template <class... Values>
  std::int64_t number(std::string_view sql, const Values&... values) {
    SqliteRows rows = query(sql, values...);
    return rows.next() ? rows.integer(0) : 0;
  }

  [[nodiscard]] std::int64_t last_key() const;
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  [[nodiscard]] sqlite3_stmt* prepared(std::string_view sql);
  [[nodiscard]] std::int64_t changed_rows() const;
  void bind(sqlite3_stmt* statement, int place, std::int64_t value);
  void bind(sqlite3_stmt* statement, int place, double value);
  void bind(sqlite3_stmt* statement, int place, std::string_view value);
  void bind(sqlite3_stmt* statement, int place, std::span<const std::byte> value);
  void bind(sqlite3_stmt* statement, int place, const std::optional<std::int64_t>& value);
  void bound(int result) const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> db_;
  std::unordered_map<std::string_view, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
};

/// Rolls back unless committed.
class SqliteTransaction {
 public:
  enum class Kind { read, write };
  SqliteTransaction(SqliteConnection& connection, Kind kind);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  void commit();

 private:
  SqliteConnection& connection_;
};

}  // namespace palate::store
