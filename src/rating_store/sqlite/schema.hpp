// The tables in SQLite, and how an older file becomes a newer one.
#pragma once

#include "rating_store/sqlite/connection.hpp"

namespace palate::store {

/// Makes the tables in an empty file, brings older ones up to date. Throws Error{corrupt} for a
/// newer schema and for a database of another program, Error{io} where write-ahead logging does not
/// work.
void prepare_sqlite(SqliteConnection& connection);

}  // namespace palate::store
