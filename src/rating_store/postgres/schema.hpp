// The tables in PostgreSQL, and how an older database becomes a newer one.
#pragma once

#include "rating_store/postgres/connection.hpp"

namespace palate::store {

/// Makes the tables where there are none, brings older ones up to date. Throws Error{corrupt} for a
/// newer schema, Error{unsupported} for a database that does not hold UTF-8.
void prepare_postgres(PostgresConnection& connection, const PostgresAddress& address);

}  // namespace palate::store
