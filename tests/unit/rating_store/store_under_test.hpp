// One suite for both places where a store may live.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/sqlite/connection.hpp"
#include "rating_store/store.hpp"
#include "support/temporary_folder.hpp"
#include "unit/rating_store/postgres_server.hpp"

namespace palate::testing {

enum class Place { sqlite, postgres };

inline std::string place_name(const ::testing::TestParamInfo<Place>& place) {
  return place.param == Place::sqlite ? "SQLite" : "PostgreSQL";
}

class StoreUnderTest : public ::testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (GetParam() == Place::sqlite) {
      where_ = (folder_ / "ratings.db").string();
    } else if (PostgresServer* server = PostgresServer::instance()) {
      where_ = server->new_database();
    } else {
      GTEST_SKIP() << "PostgreSQL is not installed (Debian's package 'postgresql')";
    }
  }

  [[nodiscard]] const std::string& where() const { return where_; }
  /// Each is a store object of its own, as another process would have.
  [[nodiscard]] std::unique_ptr<RatingStore> open() const { return open_store(where_); }
  [[nodiscard]] std::unique_ptr<RatingStore> open_with_criteria() const {
    auto store = open();
    store->set_criteria(std::vector<Criterion>{{"overall", 1, 5}, {"taste", 1, 5}});
    return store;
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  /// Straight into the tables, as another version or another program would.
  void run_sql(const std::vector<std::string>& statements) const {
    if (GetParam() == Place::sqlite) {
      store::SqliteConnection db(where(), store::SqliteConnection::Use::writer);
      for (const std::string& sql : statements) db.script(sql);
    } else {
      pqxx::connection connection(where());
      pqxx::nontransaction db(connection);
      for (const std::string& sql : statements) db.exec(sql);
    }
  }

 private:
  TemporaryFolder folder_;
  std::string where_;
};

inline std::uint64_t write(RatingStore& store, std::vector<StoreWrite> writes) {
  return store.write(writes).sequence;
}

inline const float absent = std::nanf("");

inline StoredRating rating(std::string user, std::string item, float overall, float taste = absent,
                           std::int64_t time = no_time) {
  return {std::move(user), std::move(item), {overall, taste}, time};
}

}  // namespace palate::testing

namespace palate {

// Absent values are equal to each other, which NaN are not.
inline bool operator==(const StoredRating& a, const StoredRating& b) {
  const auto same = [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.user == b.user && a.item == b.item && a.time == b.time &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same);
}

inline void PrintTo(const StoredRating& rating, std::ostream* out) {
  *out << rating.user << " rates " << rating.item << " at " << rating.time << ":";
  for (const float value : rating.values) *out << " " << value;
}

}  // namespace palate
