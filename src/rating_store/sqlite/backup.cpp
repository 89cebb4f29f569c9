// A copy of a store, by SQLite's own means.
#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "base/atomic_file.hpp"
#include "palate/error.hpp"
#include "rating_store/reads.hpp"
#include "rating_store/sqlite/connection.hpp"

namespace palate::store {
namespace {

struct Finish {
  void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

void copy_pages(SqliteConnection& from, SqliteConnection& to, const RunOptions& run) {
  constexpr int pages_at_once = 2'000;
  const std::unique_ptr<sqlite3_backup, Finish> backup(
      sqlite3_backup_init(to.handle(), "main", from.handle(), "main"));
  if (!backup) to.check(sqlite3_extended_errcode(to.handle()));
  for (;;) {
    const int done = sqlite3_backup_step(backup.get(), pages_at_once);
    if (done == SQLITE_DONE) return;
    if (done != SQLITE_OK) to.check(done);
    const auto all = static_cast<std::uint64_t>(sqlite3_backup_pagecount(backup.get()));
    const auto left = static_cast<std::uint64_t>(sqlite3_backup_remaining(backup.get()));
    if (run.progress && !run.progress("backup", all - left, all)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
}

void require_sound(SqliteConnection& copy, const std::string& store) {
  std::string found;
  const auto take = [&](const Row& row) { found += found.empty() ? row.text(0) : ""; };
  copy.each("PRAGMA integrity_check(1)", take);
  const bool links = copy.list("PRAGMA foreign_key_check", [](const Row&) { return 0; }).empty();
  if (found == "ok" && links) return;
  throw Error(ErrorCode::corrupt, "the store is damaged: " + (links ? found : "lost references"),
              {.file = store},
              "put a backup in its place, or rescue what is left with 'sqlite3 "
              "FILE .recover'");
}

bool same(const StoreCounts& a, const StoreCounts& b) {
  return a.users == b.users && a.items == b.items && a.ratings == b.ratings;
}

// Its own file, without a log beside it, and another identity: a kept model of the store is none of
// the copy once either goes on.
StoreCounts fill(SqliteConnection& copy, const std::string& path, const RunOptions& run) {
  StoreCounts expected;
  {
    SqliteConnection from(path, SqliteConnection::Use::reader);
    // One state for all of it: without, each write of others would begin the copy anew.
    const SqliteTransaction state(from, SqliteTransaction::Kind::read);
    expected = read_counts(from);
    copy_pages(from, copy, run);
  }
  copy.each("PRAGMA journal_mode = DELETE", [](const Row&) {});
  copy.run("UPDATE meta SET identity = lower(hex(randomblob(16)))");
  require_sound(copy, path);
  const StoreCounts found = read_counts(copy);
  if (same(expected, found)) return found;
  throw Error(ErrorCode::internal, "the copy is not what was copied", {.file = path});
}

}  // namespace

StoreCounts backup_sqlite(const std::string& store, const std::filesystem::path& out,
                          const RunOptions& run) {
  const std::string path = absolute_path(store);
  // Brings an older schema up to date, and refuses what is no store.
  static_cast<void>(open_sqlite(path));
  AtomicFile file(out);
  std::filesystem::permissions(
      file.temporary(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  StoreCounts counts;
  {
    SqliteConnection copy(file.temporary().string(), SqliteConnection::Use::writer);
    counts = fill(copy, path, run);
  }
  file.commit();
  return counts;
}

}  // namespace palate::store
