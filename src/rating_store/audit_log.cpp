#include "rating_store/audit_log.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "palate/error.hpp"
#include "rating_store/store.hpp"

namespace palate {
namespace store {
namespace {

void check_detail(std::string_view detail) {
  constexpr std::size_t longest = 65'536;
  if (detail.size() <= longest && detail.starts_with('{') &&
      nlohmann::json::accept(detail.begin(), detail.end())) {
    return;
  }
  throw Error(ErrorCode::usage, "the detail of an event has to be a JSON object of at most 64 KB",
              {.field = "detail"});
}

AuditEvent event_in(const Row& row) {
  return {
      row.integer(0), row.integer(1), row.string(2), {row.string(3), row.string(4)}, row.string(5)};
}

class StoredAuditLog final : public AuditLog {
 public:
  explicit StoredAuditLog(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  void note(std::string_view event, const Actor& by, std::string_view detail) override {
    database_->change([&](Session& db) { note_event(db, event, by, detail); });
  }

  [[nodiscard]] std::vector<AuditEvent> list(std::size_t limit,
                                             std::optional<std::int64_t> before) const override {
    const std::int64_t end = before.value_or(std::numeric_limits<std::int64_t>::max());
    const auto most = static_cast<std::int64_t>(std::min<std::size_t>(limit, 1'000'000));
    return database_->ask([&](Session& db) {
      return db.list(
          "SELECT number, time, event, actor, origin, detail FROM palate_audit "
          "WHERE number < $1 ORDER BY number DESC LIMIT $2",
          event_in, end, most);
    });
  }

 private:
  std::unique_ptr<Database> database_;
};

}  // namespace

// So many of each kind: who may import can add imports without end, and must not be able to push
// out who made which key.
void note_event(Session& db, std::string_view event, const Actor& by, std::string_view detail) {
  check_detail(detail);
  db.run(
      "INSERT INTO palate_audit (time, event, actor, origin, detail) VALUES ($1, $2, $3, $4, $5)",
      now_seconds(), event, std::string_view(by.name), std::string_view(by.from), detail);
  db.run(
      "DELETE FROM palate_audit WHERE event = $1 AND number <= (SELECT number FROM palate_audit "
      "WHERE event = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)",
      event, static_cast<std::int64_t>(max_audit_events));
}

}  // namespace store

std::unique_ptr<AuditLog> open_audit_log(const std::string& where) {
  return std::make_unique<store::StoredAuditLog>(store::open_database(where));
}

}  // namespace palate
