// Writes to the tables, within a transaction that the caller holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/sql.hpp"

namespace palate::store {

class Writer {
 public:
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  virtual std::vector<WriteEffect> apply(std::span<const StoreWrite* const> writes) = 0;
  virtual void write_criteria(std::span<const Criterion> criteria);
  /// Begins the history anew: followers have to read all.
  void begin_history(std::uint64_t sequence);
  /// Forgets departures until `kept` are left.
  void trim(std::size_t kept);
  /// Notes where the sequence stands, and runs `and_then` with it; neither if nothing was changed.
  void finish(std::string_view and_then = {});

  /// For questions within the same transaction.
  [[nodiscard]] Session& session() { return db_; }
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  [[nodiscard]] std::size_t departures() const { return departures_; }
  /// Number and id of users that were met or made.
  using Users = std::vector<std::pair<std::int64_t, std::string>>;
  [[nodiscard]] const Users& users() const { return users_; }

 protected:
  /// Reads where the sequence stands.
  explicit Writer(Session& db);
  void check_criteria(const StoredRating& rating) const;

  std::uint64_t sequence_ = 0;
  std::size_t departures_ = 0;
  Users users_;

 private:
  Session& db_;
  std::uint64_t stored_ = 0;
  std::size_t criteria_ = 0;
};

}  // namespace palate::store
