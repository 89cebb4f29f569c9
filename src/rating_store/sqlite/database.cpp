// The rating store in one SQLite file: one writer, as many readers as ask at once.
#include <algorithm>
#include <optional>
#include <thread>

#include "palate/error.hpp"
#include "rating_store/sqlite/connection.hpp"
#include "rating_store/sqlite/file_watch.hpp"
#include "rating_store/sqlite/writer.hpp"

namespace palate::store {
namespace {

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(const std::string& path)
      : path_(absolute_path(path)), writer_(path_, SqliteConnection::Use::writer) {
    prepare_sqlite(writer_);
    watcher_ = std::make_unique<SqliteConnection>(path_, SqliteConnection::Use::reader);
    seen_version_ = watcher_->number("PRAGMA data_version");
    files_.emplace(path_);
  }

  // In a read transaction, so that all of `work` sees one state.
  void read(Scope, const Work& work) override {
    auto reader = readers_.take();
    if (!reader) reader = std::make_unique<SqliteConnection>(path_, SqliteConnection::Use::reader);
    files_->check(*reader);
    {
      const SqliteTransaction transaction(*reader, SqliteTransaction::Kind::read);
      work(*reader);
    }
    readers_.give_back(std::move(reader));
  }
  void change(const Work& work) override {
    const std::lock_guard lock(writer_mutex_);
    SqliteTransaction transaction(writer_, SqliteTransaction::Kind::write);
    check_schema();
    work(writer_);
    commit(transaction);
  }
  void write(const std::function<void(Writer&)>& work) override;
  bool wait_for_changes(std::chrono::milliseconds time) override;

 private:
  void check_schema() {
    refuse_changed_schema(writer_.number("SELECT schema FROM palate_meta"), path_);
  }
  void commit(SqliteTransaction& transaction);
  void empty_wal();

  std::string path_;

  std::mutex writer_mutex_;
  SqliteConnection writer_;
  bool wal_to_empty_ = false;  ///< it still holds somebody who was deleted
  std::chrono::steady_clock::time_point wal_tried_ = {};

  std::optional<FileWatch> files_;
  Idle<SqliteConnection> readers_{16};

  std::mutex watcher_mutex_;
  std::unique_ptr<SqliteConnection> watcher_;
  std::int64_t seen_version_ = 0;
};

// SQLite writes to the files that it has open, wherever their names went meanwhile: what no name
// leads to is lost with the process. So nobody is told of a success before it is seen to be there.
void SqliteDatabase::commit(SqliteTransaction& transaction) {
  files_->check(writer_);
  transaction.commit();
  files_->check(writer_);
}

void SqliteDatabase::write(const std::function<void(Writer&)>& work) {
  const std::lock_guard lock(writer_mutex_);
  SqliteTransaction transaction(writer_, SqliteTransaction::Kind::write);
  check_schema();
  SqliteWriter out(writer_);
  work(out);
  out.finish();
  commit(transaction);
  if (out.user_deleted()) {
    wal_to_empty_ = true;
    wal_tried_ = {};
  }
  empty_wal();
}

// The log that WAL keeps beside the file holds older states of pages, and so what was deleted. A
// reader may be in the way; then it is tried again with a later write.
void SqliteDatabase::empty_wal() {
  constexpr auto pause = std::chrono::seconds(1);
  const auto now = std::chrono::steady_clock::now();
  if (!wal_to_empty_ || now - wal_tried_ < pause) return;
  wal_tried_ = now;
  writer_.script("PRAGMA busy_timeout = 100");
  try {
    writer_.each("PRAGMA wal_checkpoint(TRUNCATE)",
                 [this](const Row& row) { wal_to_empty_ = row.integer(0) != 0; });
  } catch (const Error&) {
    // The write itself is durable already; the next one finds out what is wrong.
    wal_to_empty_ = true;
  }
  writer_.script("PRAGMA busy_timeout = 10000");
}

// data_version changes when another connection commits, also one of this process: a file has nobody
// who could call.
bool SqliteDatabase::wait_for_changes(std::chrono::milliseconds time) {
  constexpr auto pause = std::chrono::milliseconds(25);
  const std::lock_guard lock(watcher_mutex_);
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    files_->check(*watcher_);
    const std::int64_t version = watcher_->number("PRAGMA data_version");
    if (version != seen_version_) {
      seen_version_ = version;
      return true;
    }
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= std::chrono::steady_clock::duration::zero()) return false;
    std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(left, pause));
  }
}

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::string& path) {
  return std::make_unique<SqliteDatabase>(path);
}

}  // namespace palate::store
