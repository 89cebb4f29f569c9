// A real PostgreSQL server of our own: one per test program, gone when the program is.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace palate::testing {

class PostgresServer {
 public:
  /// The one of this program, started on first use; null if PostgreSQL is not installed.
  static PostgresServer* instance();

  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// The URL of a new, empty database.
  [[nodiscard]] std::string new_database();
  /// As an operator or a power cut would.
  void crash_and_restart();
  void stop();
  void start();

 private:
  explicit PostgresServer(std::filesystem::path binaries);
  ~PostgresServer();
  [[nodiscard]] std::string url(const std::string& database) const;
  [[nodiscard]] pid_t launch(const std::vector<std::string>& command) const;
  void end(int signal);

  std::filesystem::path binaries_;
  std::filesystem::path folder_;
  pid_t process_ = 0;
  int databases_ = 0;
};

}  // namespace palate::testing
