#include "rating_store/sqlite/connection.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <regex>

#include "palate/error.hpp"

namespace palate::store {
namespace {

// Another process may hold the file for a long import; ten seconds are longer than any write of
// ours.
constexpr int busy_milliseconds = 10'000;

[[noreturn]] void fail(sqlite3* db, int result, const std::string& path) {
  const int kind = result & 0xff;
  std::string message = db == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(db);
  std::string hint;
  ErrorCode code = ErrorCode::io;
  if (kind == SQLITE_FULL) {
    message = "the disk is full; nothing of this write was stored";
    hint = "free some space, then write again";
  } else if (kind == SQLITE_IOERR) {
    const int reason = db == nullptr ? 0 : sqlite3_system_errno(db);
    if (reason != 0) message += std::string(" (") + std::strerror(reason) + ")";
    message += "; nothing of this write was stored";
  } else if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED) {
    message = "another program keeps the store locked";
    hint = "is a long import or a copy running? try again when it is done";
  } else if (kind == SQLITE_CANTOPEN) {
    const int reason = db == nullptr ? 0 : sqlite3_system_errno(db);
    message = "the store cannot be opened";
    if (reason != 0) message += std::string(": ") + std::strerror(reason);
    hint = "does the folder exist, and may you write there?";
  } else if (kind == SQLITE_READONLY || kind == SQLITE_PERM || kind == SQLITE_AUTH) {
    message = "the store cannot be written: " + message;
    hint = "the file and its folder have to be writable";
  } else if (kind == SQLITE_NOTADB) {
    code = ErrorCode::corrupt;
    message = "this is not a store";
    hint = "name another file; a new one is made if there is none";
  } else if (kind == SQLITE_CORRUPT) {
    code = ErrorCode::corrupt;
    message = "the store is damaged: " + message;
    hint = "put a backup in its place, or rescue what is left with 'sqlite3 FILE .recover'";
  } else if (kind == SQLITE_NOMEM || kind == SQLITE_TOOBIG) {
    code = ErrorCode::too_large;
  } else {
    code = ErrorCode::internal;
  }
  throw Error(code, std::move(message), {.file = path}, std::move(hint));
}

// The tables have shorter names here, where nobody else's stand beside them.
std::string in_sqlite(std::string_view sql) {
  static const std::regex names("palate_|(user|item)_key");
  return std::regex_replace(std::string(sql), names, "$1");
}

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  [[nodiscard]] bool null(int column) const override {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] double real(int column) const override {
    return sqlite3_column_double(statement_, column);
  }
  [[nodiscard]] std::string_view text(int column) const override {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (data == nullptr) return {};
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  [[nodiscard]] bool values(int column, std::size_t count, std::vector<float>& out) const override {
    static_assert(std::endian::native == std::endian::little,
                  "the file holds little-endian floats");
    const void* data = sqlite3_column_blob(statement_, column);
    const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    if (data == nullptr || bytes != count * sizeof(float)) return false;
    out.resize(count);
    std::memcpy(out.data(), data, bytes);
    return true;
  }

 private:
  sqlite3_stmt* statement_;
};

struct Bind {
  sqlite3_stmt* statement;
  int place;

  int operator()(std::nullptr_t) const { return sqlite3_bind_null(statement, place); }
  int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, place, value); }
  int operator()(double value) const { return sqlite3_bind_double(statement, place, value); }
  int operator()(std::string_view value) const {
    // A null pointer would be bound as NULL, and an empty title is none.
    return sqlite3_bind_text64(statement, place, value.empty() ? "" : value.data(), value.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }
  int operator()(std::span<const std::byte> value) const {
    return sqlite3_bind_blob64(statement, place, value.data(), value.size(), SQLITE_STATIC);
  }
};

// Makes a statement free for its next use.
struct Reset {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
};

// It holds what people said and hashes of keys: nobody else's business. The log and the index
// beside it get the rights of the file. One that is there keeps its own.
void make_private(const std::string& path) {
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
}

}  // namespace

std::string absolute_path(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorCode::usage, "the name of the store holds a zero character");
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) throw Error(ErrorCode::io, error.message(), {.file = path});
  if (std::filesystem::is_directory(absolute, error)) {
    throw Error(ErrorCode::io, "this is a folder, and a store is one file", {.file = path},
                "give the name of a file");
  }
  return absolute.string();
}

void SqliteConnection::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }
void SqliteConnection::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteConnection::SqliteConnection(std::string path, Use use) : path_(std::move(path)) {
  if (use == Use::writer) make_private(path_);
  sqlite3* db = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (use == Use::writer ? SQLITE_OPEN_CREATE : 0);
  const int result = sqlite3_open_v2(path_.c_str(), &db, flags, nullptr);
  db_.reset(db);
  check(result);
  sqlite3_busy_timeout(db, busy_milliseconds);
  // FULL: in WAL mode each commit is flushed. secure_delete: what is deleted is overwritten.
  script("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;");
  if (use == Use::reader) script("PRAGMA query_only = ON; PRAGMA cache_size = -16000;");
  if (use == Use::writer) {
    script("PRAGMA cache_size = -64000; PRAGMA journal_size_limit = 67108864;");
  }
}

void SqliteConnection::check(int result) const {
  if (result != SQLITE_OK) fail(db_.get(), result, path_);
}

sqlite3_stmt* SqliteConnection::prepared(std::string_view sql) {
  auto& statement = statements_[sql];
  if (!statement) {
    const std::string text = in_sqlite(sql);
    sqlite3_stmt* made = nullptr;
    const int result = sqlite3_prepare_v3(db_.get(), text.data(), static_cast<int>(text.size()),
                                          SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    statement.reset(made);
    check(result);
  }
  return statement.get();
}

std::int64_t SqliteConnection::execute(std::string_view sql, std::span<const Value> values,
                                       const Take& take) {
  const std::unique_ptr<sqlite3_stmt, Reset> statement(prepared(sql));
  int place = 0;
  for (const Value& value : values) check(std::visit(Bind{statement.get(), ++place}, value));
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(statement.get())) == SQLITE_ROW) take(SqliteRow(statement.get()));
  if (result != SQLITE_DONE) fail(db_.get(), result, path_);
  return sqlite3_changes64(db_.get());
}

void SqliteConnection::script(const std::string& sql) {
  check(sqlite3_exec(db_.get(), in_sqlite(sql).c_str(), nullptr, nullptr, nullptr));
}

std::int64_t SqliteConnection::last_key() const { return sqlite3_last_insert_rowid(db_.get()); }
bool SqliteConnection::in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

bool SqliteConnection::read_file(std::span<std::byte> out) const {
  sqlite3_file* file = nullptr;
  check(sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file));
  return file->pMethods->xRead(file, out.data(), static_cast<int>(out.size()), 0) == SQLITE_OK;
}

SqliteTransaction::SqliteTransaction(SqliteConnection& connection, Kind kind)
    : connection_(connection) {
  // IMMEDIATE waits for other writers here, where waiting is allowed, and not halfway through.
  connection_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

SqliteTransaction::~SqliteTransaction() {
  if (!connection_.in_transaction()) return;
  try {
    connection_.run("ROLLBACK");
  } catch (const Error&) {
    // The connection is of no more use; its next statement says why.
    return;
  }
}

void SqliteTransaction::commit() { connection_.run("COMMIT"); }

}  // namespace palate::store
