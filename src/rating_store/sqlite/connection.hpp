// SQLite with destructors: connections, statements that are prepared once, transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "rating_store/sql.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace palate::store {

/// The file as SQLite takes it: names like ":memory:" mean something to it, an absolute path does
/// not. Throws Error for what cannot be the name of a file.
[[nodiscard]] std::string absolute_path(const std::string& path);

/// One connection; used by one thread at a time. Throws Error{io}, or Error{corrupt} for a file
/// that is damaged or foreign.
class SqliteConnection final : public Session {
 public:
  enum class Use { writer, reader };

  SqliteConnection(std::string path, Use use);

  std::int64_t execute(std::string_view sql, std::span<const Value> values,
                       const Take& take) override;
  void scan(std::string_view sql, const Take& take) override { execute(sql, {}, take); }
  void script(const std::string& sql) override;
  [[nodiscard]] const std::string& where() const override { return path_; }

  [[nodiscard]] std::int64_t last_key() const;
  [[nodiscard]] bool in_transaction() const;
  /// For what the rest does not offer. check() throws for a result that is none.
  [[nodiscard]] sqlite3* handle() const { return db_.get(); }
  void check(int result) const;
  /// The first bytes of the file as they are on disk; false if there are not so many.
  [[nodiscard]] bool read_file(std::span<std::byte> out) const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  [[nodiscard]] sqlite3_stmt* prepared(std::string_view sql);

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

/// Makes the tables in an empty file, brings older ones up to date (schema.cpp).
void prepare_sqlite(SqliteConnection& connection);

}  // namespace palate::store
