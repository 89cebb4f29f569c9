// The rating store in one SQLite file: one writer, as many readers as ask at once.
#include <algorithm>
#include <thread>

#include "palate/error.hpp"
#include "rating_store/sqlite/reads.hpp"
#include "rating_store/sqlite/schema.hpp"
#include "rating_store/sqlite/writer.hpp"
#include "rating_store/store_reads.hpp"

namespace palate::store {
namespace {

class SqliteStore final : public StoreReads<SqliteStore> {
 public:
  SqliteStore(const std::string& path, StoreTuning tuning)
      : StoreReads(tuning),
        path_(absolute_path(path)),
        writer_(path_, SqliteConnection::Use::writer) {
    prepare_sqlite(writer_);
    watcher_ = std::make_unique<SqliteConnection>(path_, SqliteConnection::Use::reader);
    seen_version_ = watcher_->number("PRAGMA data_version");
  }

  /// In a read transaction, so that all of `work` sees one state.
  template <class Work>
  auto look(const Work& work) const {
    const Reader reader(*this);
    return work(*reader);
  }
  template <class Work>
  auto look_at_one_state(const Work& work) const {
    return look(work);
  }

  bool wait_for_changes(std::chrono::milliseconds time) override;

 private:
  // A connection that is lent to one thread, with a read transaction open on it.
  class Reader {
   public:
    explicit Reader(const SqliteStore& store) : store_(store), connection_(take(store)) {
      transaction_.emplace(*connection_, SqliteTransaction::Kind::read);
    }
    ~Reader() {
      transaction_.reset();
      constexpr std::size_t most_idle = 16;
      const std::lock_guard lock(store_.readers_mutex_);
      if (store_.idle_readers_.size() < most_idle) {
        store_.idle_readers_.push_back(std::move(connection_));
      }
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    SqliteConnection& operator*() const { return *connection_; }

   private:
    static std::unique_ptr<SqliteConnection> take(const SqliteStore& store) {
      {
        const std::lock_guard lock(store.readers_mutex_);
        if (!store.idle_readers_.empty()) {
          auto connection = std::move(store.idle_readers_.back());
          store.idle_readers_.pop_back();
          return connection;
        }
      }
      return std::make_unique<SqliteConnection>(store.path_, SqliteConnection::Use::reader);
    }

    const SqliteStore& store_;
    std::unique_ptr<SqliteConnection> connection_;
    std::optional<SqliteTransaction> transaction_;
  };

  void store_criteria(std::span<const Criterion> criteria) override;
  WriteResult commit(std::span<const StoreWrite* const> writes) override;
  void scan(const StoreVisitor& visitor, Order order) const override;
  void load_users() const override;
  void replace(std::span<const Criterion> criteria, const Batches& next, IfNotEmpty rule) override;

  void empty_wal();

  std::string path_;

  std::mutex writer_mutex_;
  SqliteConnection writer_;
  bool wal_to_empty_ = false;  ///< it still holds somebody who was deleted
  std::chrono::steady_clock::time_point wal_tried_ = {};

  mutable std::mutex readers_mutex_;
  mutable std::vector<std::unique_ptr<SqliteConnection>> idle_readers_;

  std::mutex watcher_mutex_;
  std::unique_ptr<SqliteConnection> watcher_;
  std::int64_t seen_version_ = 0;
};

void SqliteStore::store_criteria(std::span<const Criterion> criteria) {
  const std::lock_guard lock(writer_mutex_);
  SqliteTransaction transaction(writer_, SqliteTransaction::Kind::write);
  const std::vector<Criterion> stored = read_criteria(writer_);
  if (same_criteria(stored, criteria)) return;
  refuse_new_criteria(stored, criteria,
                      writer_.number("SELECT EXISTS (SELECT 1 FROM ratings)") != 0);
  SqliteWriter out(writer_);
  write_criteria(writer_, criteria);
  out.begin_history(out.sequence() + 1);
  out.finish();
  transaction.commit();
}

WriteResult SqliteStore::commit(std::span<const StoreWrite* const> writes) {
  const std::lock_guard lock(writer_mutex_);
  SqliteTransaction transaction(writer_, SqliteTransaction::Kind::write);
  SqliteWriter out(writer_);
  Applied done = apply(out, writes);
  out.finish();
  transaction.commit();
  if (out.user_deleted()) {
    wal_to_empty_ = true;
    wal_tried_ = {};
  }
  empty_wal();
  return committed(std::move(done));
}

// The log that WAL keeps beside the file holds older states of pages, and so what was deleted. A
// reader may be in the way; then it is tried again with a later write.
void SqliteStore::empty_wal() {
  constexpr auto pause = std::chrono::seconds(1);
  const auto now = std::chrono::steady_clock::now();
  if (!wal_to_empty_ || now - wal_tried_ < pause) return;
  wal_tried_ = now;
  writer_.script("PRAGMA busy_timeout = 100");
  try {
    SqliteRows rows = writer_.query("PRAGMA wal_checkpoint(TRUNCATE)");
    const bool busy = !rows.next() || rows.integer(0) != 0;
    wal_to_empty_ = busy;
  } catch (const Error&) {
    // The write itself is durable already; the next one finds out what is wrong.
    wal_to_empty_ = true;
  }
  writer_.script("PRAGMA busy_timeout = 10000");
}

void SqliteStore::scan(const StoreVisitor& visitor, Order order) const {
  look([&](SqliteConnection& db) { scan_all(db, visitor, order == Order::by_id, known_users()); });
}

void SqliteStore::load_users() const {
  look([&](SqliteConnection& db) {
    SqliteRows rows = db.query("SELECT key, id FROM users");
    while (rows.next()) known_users().add(rows.integer(0), rows.text(1));
  });
}

void SqliteStore::replace(std::span<const Criterion> criteria, const Batches& next,
                          IfNotEmpty rule) {
  const std::lock_guard lock(writer_mutex_);
  SqliteTransaction transaction(writer_, SqliteTransaction::Kind::write);
  refuse_not_empty(read_counts(writer_), rule, path_);
  writer_.script("DELETE FROM ratings; DELETE FROM users; DELETE FROM items;");
  write_criteria(writer_, criteria);
  SqliteWriter out(writer_);
  fill(out, next);
  out.finish();
  transaction.commit();
  remember(out.users());
}

// data_version changes when another connection commits, also one of this process: a file has nobody
// who could call.
bool SqliteStore::wait_for_changes(std::chrono::milliseconds time) {
  constexpr auto pause = std::chrono::milliseconds(25);
  const std::lock_guard lock(watcher_mutex_);
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
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

std::unique_ptr<RatingStore> open_sqlite(const std::string& path, StoreTuning tuning) {
  return std::make_unique<SqliteStore>(path, tuning);
}

}  // namespace palate::store
