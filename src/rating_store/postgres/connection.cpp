#include "rating_store/postgres/connection.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "rating_store/postgres/text.hpp"

namespace palate::store {
namespace {

std::string without_password(std::string url) {
  const std::size_t begin = url.find("://") + 3;
  const std::size_t end = std::min(url.find_first_of("/?", begin), url.size());
  const std::size_t at = url.rfind('@', end);
  const std::size_t colon = url.find(':', begin);
  if (at != std::string::npos && at >= begin && colon < at) url.erase(colon, at - colon);
  const std::size_t option = url.find("password=");
  if (option != std::string::npos) {
    url.erase(option, std::min(url.find('&', option), url.size()) - option);
  }
  return url;
}

// What the caller did not decide.
std::string with_defaults(std::string url) {
  for (const std::string_view option :
       {"connect_timeout=10", "application_name=palate", "client_encoding=UTF8"}) {
    if (url.find(option.substr(0, option.find('=') + 1)) != std::string::npos) continue;
    url += url.find('?') == std::string::npos ? '?' : '&';
    url += option;
  }
  return url;
}

// libpq's messages end in a line break and may have several lines.
std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::string out;
  for (const char ch : text) {
    if (ch != '\n' && ch != '\t') {
      out += ch;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

Error from_sql(const pqxx::sql_error& error, const PostgresAddress& address) {
  const std::string& state = error.sqlstate();
  const Where where{.file = address.shown()};
  const std::string message = one_line(error.what());
  if (state == "55P03" || state == "40P01") {
    return {ErrorCode::io, "another program keeps the store locked", where,
            "is a long import running? try again when it is done"};
  }
  if (state.starts_with("53")) {
    return {ErrorCode::io, "the database lacks room; nothing of this write was stored: " + message,
            where, "free some space on the database's machine, then write again"};
  }
  if (state == "42501" || state == "25006") {
    return {ErrorCode::io, "the database refuses: " + message, where,
            "the user needs CREATE on the schema once, and to read and write Palate's tables; the "
            "server must not be a read-only standby"};
  }
  if (state.starts_with("57P") || state.starts_with("08")) {
    return {ErrorCode::io, "the database is not to be reached: " + message, where,
            "is it starting or shutting down? try again"};
  }
  if (state.starts_with("XX"))
    return {ErrorCode::corrupt, "the database is damaged: " + message, where};
  return {ErrorCode::internal, "the database refuses: " + message, where};
}

// A value as a parameter.
struct AsText {
  using Text = std::optional<std::string>;
  Text operator()(std::nullptr_t) const { return std::nullopt; }
  Text operator()(std::string_view value) const { return std::string(value); }
  Text operator()(std::int64_t value) const { return std::to_string(value); }
  Text operator()(double value) const { return pqxx::to_string(value); }
  Text operator()(std::span<const std::byte> value) const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "\\x";
    for (const std::byte byte : value) {
      out += digits[std::to_integer<std::size_t>(byte >> 4)];
      out += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return out;
  }
};

class PostgresRow final : public Row {
 public:
  explicit PostgresRow(const pqxx::row& row) : row_(row) {}

  [[nodiscard]] bool null(int column) const override { return row_[column].is_null(); }
  [[nodiscard]] std::int64_t integer(int column) const override {
    return row_[column].as<std::int64_t>(0);
  }
  [[nodiscard]] double real(int column) const override { return row_[column].as<double>(); }
  [[nodiscard]] std::string_view text(int column) const override {
    const pqxx::field field = row_[column];
    return {field.c_str(), field.size()};
  }
  [[nodiscard]] bool values(int column, std::size_t count, std::vector<float>& out) const override {
    return parse_real_array(text(column), count, out);
  }

 private:
  const pqxx::row& row_;
};

}  // namespace

PostgresAddress::PostgresAddress(const std::string& url)
    : url_(with_defaults(url)), shown_(without_password(url)) {}

PostgresConnection::PostgresConnection(const PostgresAddress& address)
    : connection_(address.to_connect()) {
  // A program that hangs halfway through a write must not stop all others for good, and what is
  // acknowledged is durable, whatever the server's default. Compiling our small statements takes
  // longer than running them.
  pqxx::nontransaction setup(connection_);
  setup.exec(
      "SET jit = off; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '60s';"
      "SELECT set_config('synchronous_commit', 'on', false) "
      "WHERE current_setting('synchronous_commit') = 'off'");
}

const std::string& PostgresConnection::prepared(std::string_view sql) {
  auto [place, is_new] = names_.try_emplace(sql, "s" + std::to_string(names_.size()));
  if (is_new) connection_.prepare(place->second, std::string(sql));
  return place->second;
}

Error as_error(const PostgresAddress& address) {
  const Where where{.file = address.shown()};
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const pqxx::broken_connection& error) {
    return {ErrorCode::io, "the database cannot be reached: " + one_line(error.what()), where,
            "is the server running, and are host, name and password right?"};
  } catch (const pqxx::in_doubt_error& error) {
    return {
        ErrorCode::io,
        "the connection was lost while the database stored the write: " + one_line(error.what()),
        where, "it may or may not be there; write it again"};
  } catch (const pqxx::sql_error& error) {
    if (connection_lost()) {
      return {ErrorCode::io, "the database cannot be reached: " + one_line(error.what()), where,
              "is the server running?"};
    }
    return from_sql(error, address);
  } catch (const std::bad_alloc&) {
    return {ErrorCode::too_large, "there is not enough memory for this", where};
  } catch (const std::exception& error) {
    return {ErrorCode::internal, one_line(error.what()), where};
  }
}

bool connection_lost() {
  try {
    throw;
  } catch (const pqxx::broken_connection&) {
    return true;
  } catch (const pqxx::sql_error& error) {
    // A server that shuts down says so before it closes.
    return error.sqlstate().starts_with("57P") || error.sqlstate().starts_with("08");
  } catch (const std::exception&) {
    return false;
  }
}

std::int64_t PostgresSession::execute(std::string_view sql, std::span<const Value> values,
                                      const Take& take) {
  std::vector<std::optional<std::string>> texts;
  for (const Value& value : values) texts.push_back(std::visit(AsText{}, value));
  const pqxx::result result = rows(sql, pqxx::prepare::make_dynamic_params(texts));
  for (const pqxx::row& row : result) take(PostgresRow(row));
  return static_cast<std::int64_t>(result.affected_rows());
}

void PostgresSession::scan(std::string_view sql, const Take& take) {
  transaction_.exec("DECLARE palate_scan NO SCROLL CURSOR FOR " + std::string(sql));
  for (;;) {
    const pqxx::result result = transaction_.exec("FETCH 20000 FROM palate_scan");
    if (result.empty()) return;
    for (const pqxx::row& row : result) take(PostgresRow(row));
  }
}

}  // namespace palate::store
