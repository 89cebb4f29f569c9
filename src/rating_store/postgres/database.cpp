// The rating store in PostgreSQL. Reads go through a pool, writes through one connection on which
// those of many threads travel together, and one more connection listens.
#include <thread>

#include "rating_store/postgres/connection.hpp"
#include "rating_store/postgres/writer.hpp"

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

class PostgresDatabase final : public Database {
 public:
  explicit PostgresDatabase(const std::string& url) : address_(url) {
    once([this](PostgresConnection& connection) { prepare_postgres(connection, address_); });
  }

  void read(Scope scope, const Work& work) override;
  void change(const Work& work) override {
    once([&](PostgresConnection& connection) {
      pqxx::work transaction(connection.get());
      PostgresSession session(connection, transaction, address_);
      refuse_changed_schema(session.number("SELECT schema FROM palate_meta"), address_.shown());
      work(session);
      transaction.commit();
    });
  }
  void write(const std::function<void(Writer&)>& work) override;
  bool wait_for_changes(std::chrono::milliseconds time) override;

 private:
  /// Runs `work` on a new connection.
  template <class Run>
  void once(const Run& run) const {
    try {
      PostgresConnection connection(address_);
      run(connection);
    } catch (const std::exception&) {
      throw as_error(address_);
    }
  }
  template <class Transaction>
  void read_once(const Work& work);
  /// Whether it is done; not if the connection was found to be gone before anything was stored.
  bool write_once(const std::function<void(Writer&)>& work);
  [[nodiscard]] bool was_committed(std::int64_t transaction);

  PostgresAddress address_;
  Idle<PostgresConnection> readers_{8};  ///< a server allows 100 connections unless told

  std::mutex writer_mutex_;
  std::unique_ptr<PostgresConnection> writer_;

  std::mutex listener_mutex_;
  std::unique_ptr<Listener> listener_;
};

template <class Transaction>
void PostgresDatabase::read_once(const Work& work) {
  auto connection = readers_.take();
  if (!connection) connection = std::make_unique<PostgresConnection>(address_);
  {
    Transaction transaction(connection->get());
    PostgresSession session(*connection, transaction, address_);
    work(session);
  }
  readers_.give_back(std::move(connection));
}

void PostgresDatabase::read(Scope scope, const Work& work) {
  const auto once = [&] {
    if (scope == Scope::statement) return read_once<pqxx::nontransaction>(work);
    read_once<pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>>(work);
  };
  try {
    try {
      return once();
    } catch (const std::exception&) {
      if (!connection_lost()) throw;
    }
    readers_.clear();
    once();
  } catch (const std::exception&) {
    throw as_error(address_);
  }
}

bool PostgresDatabase::was_committed(std::int64_t transaction) {
  // The server may still be about to finish what the lost connection asked for.
  for (int patience = 0; patience < 100; ++patience) {
    writer_ = std::make_unique<PostgresConnection>(address_);
    pqxx::nontransaction ask(writer_->get());
    const pqxx::result answer = ask.exec("SELECT txid_status(" + std::to_string(transaction) + ")");
    const std::string status = answer[0][0].is_null() ? "" : answer[0][0].c_str();
    if (status != "in progress") return status == "committed";
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw pqxx::broken_connection("the database does not say what became of the write");
}

bool PostgresDatabase::write_once(const std::function<void(Writer&)>& work) {
  std::int64_t id = 0;
  try {
    pqxx::work transaction(writer_->get());
    // The lock that all writers take first: whoever holds it commits before the next one counts on,
    // so sequences become visible in their order and a follower misses none.
    //
    // A batch is looked up row by row through indexes. Left to itself the planner goes by what it
    // knows of the tables; at a first import it still believed them empty, and took ten times as
    // long. For the same reason batches are looked up by subqueries and not by joins.
    const pqxx::result locked = transaction.exec(
        "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; "
        "SET LOCAL enable_mergejoin = off; "
        "SELECT txid_current(), schema FROM palate_meta FOR UPDATE");
    id = locked.at(0)[0].as<std::int64_t>();
    refuse_changed_schema(locked.at(0)[1].as<std::int64_t>(), address_.shown());
    PostgresSession session(*writer_, transaction, address_);
    PostgresWriter out(session);
    work(out);
    out.finish("NOTIFY palate_changes");
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

void PostgresDatabase::write(const std::function<void(Writer&)>& work) {
  const std::lock_guard lock(writer_mutex_);
  try {
    if (!writer_) writer_ = std::make_unique<PostgresConnection>(address_);
    if (write_once(work) || write_once(work)) return;
    throw pqxx::broken_connection("the connection is lost again and again");
  } catch (const std::exception&) {
    const bool lost = connection_lost();
    const Error error = as_error(address_);
    if (lost) writer_.reset();
    throw error;
  }
}

bool PostgresDatabase::wait_for_changes(std::chrono::milliseconds time) {
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

std::unique_ptr<Database> open_postgres(const std::string& url) {
  return std::make_unique<PostgresDatabase>(url);
}

}  // namespace palate::store
