// The rating store in PostgreSQL. Reads go through a pool, writes through one connection on which
// those of many threads travel together, and one more connection listens.
#include <thread>

#include "rating_store/postgres/connection.hpp"
#include "rating_store/postgres/reads.hpp"
#include "rating_store/postgres/schema.hpp"
#include "rating_store/postgres/writer.hpp"
#include "rating_store/store_reads.hpp"

namespace palate::store {
namespace {

// Lives on the listening connection; that something came is all that counts.
class Doorbell final : public pqxx::notification_receiver {
 public:
  explicit Doorbell(pqxx::connection& connection)
      : pqxx::notification_receiver(connection, "palate_changes") {}
  void operator()(const std::string&, int) override {}
};

struct Listener {
  explicit Listener(const PostgresAddress& address)
      : connection(address), doorbell(connection.get()) {}
  PostgresConnection connection;
  Doorbell doorbell;
};

class PostgresStore final : public StoreReads<PostgresStore> {
 public:
  PostgresStore(const std::string& url, StoreTuning tuning)
      : StoreReads(tuning), address_(url), pool_(address_) {
    in_writer([this](PostgresConnection& connection) { prepare_postgres(connection, address_); });
  }

  template <class Work>
  auto look(const Work& work) const {
    return pool_.look(work);
  }
  template <class Work>
  auto look_at_one_state(const Work& work) const {
    return pool_.look_at_one_state(work);
  }

  bool wait_for_changes(std::chrono::milliseconds time) override;

 private:
  /// On the writing connection, made anew if it is not there.
  template <class Work>
  void in_writer(const Work& work);
  /// `work` gets a PostgresWriter; commits, finds out about it if the connection is lost meanwhile,
  /// and tries once more if nothing was stored.
  template <class Work>
  void transact(const Work& work);
  template <class Work>
  bool transact_once(PostgresConnection& connection, const Work& work);
  [[nodiscard]] bool was_committed(std::int64_t transaction);

  void store_criteria(std::span<const Criterion> criteria) override;
  WriteResult commit(std::span<const StoreWrite* const> writes) override;
  void scan(const StoreVisitor& visitor, Order order) const override;
  void load_users() const override;
  void replace(std::span<const Criterion> criteria, const Batches& next, IfNotEmpty rule) override;

  PostgresAddress address_;
  mutable PostgresPool pool_;

  std::mutex writer_mutex_;
  std::unique_ptr<PostgresConnection> writer_;

  std::mutex listener_mutex_;
  std::unique_ptr<Listener> listener_;
};

template <class Work>
void PostgresStore::in_writer(const Work& work) {
  const std::lock_guard lock(writer_mutex_);
  try {
    if (!writer_) writer_ = std::make_unique<PostgresConnection>(address_);
    work(*writer_);
  } catch (const std::exception&) {
    const bool lost = connection_lost();
    const Error error = as_error(address_);
    if (lost) writer_.reset();
    throw error;
  }
}

bool PostgresStore::was_committed(std::int64_t transaction) {
  // The server may still be about to finish what the lost connection asked for.
  for (int patience = 0; patience < 100; ++patience) {
    writer_ = std::make_unique<PostgresConnection>(address_);
    pqxx::nontransaction ask(writer_->get());
    const pqxx::result answer = writer_->run(ask, "SELECT txid_status($1::bigint)", transaction);
    const std::string status = answer[0][0].is_null() ? "" : answer[0][0].c_str();
    if (status != "in progress") return status == "committed";
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw pqxx::broken_connection("the database does not say what became of the write");
}

// Whether it is done; not if the connection was found to be gone before anything was stored.
template <class Work>
bool PostgresStore::transact_once(PostgresConnection& connection, const Work& work) {
  std::int64_t id = 0;
  try {
    pqxx::work transaction(connection.get());
    PostgresWriter out(connection, transaction);
    id = out.transaction_id();
    work(out);
    out.finish();
    transaction.commit();
    return true;
  } catch (const pqxx::in_doubt_error&) {
    return was_committed(id);
  } catch (const std::exception&) {
    if (!connection_lost()) throw;
  }
  writer_ = std::make_unique<PostgresConnection>(address_);
  return id != 0 && was_committed(id);
}

template <class Work>
void PostgresStore::transact(const Work& work) {
  in_writer([&](PostgresConnection& connection) {
    if (transact_once(connection, work)) return;
    if (transact_once(*writer_, work)) return;
    throw pqxx::broken_connection("the connection is lost again and again");
  });
}

void PostgresStore::store_criteria(std::span<const Criterion> criteria) {
  transact([&](PostgresWriter& out) {
    const PostgresRead read = out.reading(address_);
    const std::vector<Criterion> stored = read_criteria(read);
    if (same_criteria(stored, criteria)) return;
    const bool rated = !read.run("SELECT FROM palate_ratings LIMIT 1").empty();
    refuse_new_criteria(stored, criteria, rated);
    out.write_criteria(criteria);
    out.begin_history(out.sequence() + 1);
  });
}

WriteResult PostgresStore::commit(std::span<const StoreWrite* const> writes) {
  Applied done;
  transact([&](PostgresWriter& out) { done = apply(out, writes); });
  return committed(std::move(done));
}

void PostgresStore::scan(const StoreVisitor& visitor, Order order) const {
  // Once something was handed out, it cannot be begun anew on another connection.
  bool begun = false;
  look_at_one_state([&](const PostgresRead& read) {
    if (begun) {
      throw Error(ErrorCode::io, "the connection was lost in the middle of reading",
                  {.file = address_.shown()}, "read again");
    }
    StoreVisitor noted = visitor;
    noted.begin = [&](auto&&... what) {
      begun = true;
      if (visitor.begin) visitor.begin(what...);
    };
    scan_all(read, noted, order == Order::by_id, known_users());
    return true;
  });
}

void PostgresStore::load_users() const {
  look([&](const PostgresRead& read) {
    for (const pqxx::row& row : read.run("SELECT key, id FROM palate_users")) {
      known_users().add(row[0].as<std::int64_t>(), row[1].as<std::string>());
    }
    return true;
  });
}

void PostgresStore::replace(std::span<const Criterion> criteria, const Batches& next,
                            IfNotEmpty rule) {
  Users users;
  bool begun = false;
  transact([&](PostgresWriter& out) {
    // What `next` has given cannot be asked for again.
    if (begun) throw pqxx::broken_connection("the connection was lost in the middle of writing");
    begun = true;
    const PostgresRead read = out.reading(address_);
    refuse_not_empty(read_counts(read), rule, address_.shown());
    read.transaction.exec(
        "DELETE FROM palate_ratings; DELETE FROM palate_users; DELETE FROM palate_items");
    out.write_criteria(criteria);
    fill(out, next);
    users = out.users();
  });
  remember(users);
}

bool PostgresStore::wait_for_changes(std::chrono::milliseconds time) {
  const std::lock_guard lock(listener_mutex_);
  try {
    if (!listener_) {
      // Whatever happened while nobody listened may have been a change.
      listener_ = std::make_unique<Listener>(address_);
      return true;
    }
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
    const std::chrono::microseconds rest = time - whole;
    return listener_->connection.get().await_notification(whole.count(), rest.count()) > 0;
  } catch (const std::exception&) {
    // A follower goes on following: the next call tries to listen anew.
    listener_.reset();
    std::this_thread::sleep_for(std::min(time, std::chrono::milliseconds(500)));
    return false;
  }
}

}  // namespace

std::unique_ptr<RatingStore> open_postgres(const std::string& url, StoreTuning tuning) {
  return std::make_unique<PostgresStore>(url, tuning);
}

}  // namespace palate::store
