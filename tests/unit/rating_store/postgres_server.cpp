#include "unit/rating_store/postgres_server.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <pqxx/pqxx>
#include <stdexcept>
#include <thread>
#include <vector>

namespace palate::testing {
namespace fs = std::filesystem;
namespace {

std::optional<fs::path> newest_binaries() {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const fs::path folder = entry.path() / "bin";
    if (fs::exists(folder / "initdb") && fs::exists(folder / "postgres")) found.push_back(folder);
  }
  if (found.empty()) return std::nullopt;
  return *std::max_element(found.begin(), found.end());
}

// PostgreSQL refuses to run as root.
const passwd* other_user() {
  if (::getuid() != 0) return nullptr;
  const passwd* user = ::getpwnam("postgres");
  return user != nullptr ? user : ::getpwnam("nobody");
}

}  // namespace

PostgresServer* PostgresServer::instance() {
  static const std::optional<fs::path> binaries = newest_binaries();
  if (!binaries) return nullptr;
  static PostgresServer server(*binaries);
  return &server;
}

PostgresServer::PostgresServer(fs::path binaries) : binaries_(std::move(binaries)) {
  std::string name = "/tmp/palate-postgres-XXXXXX";  // a socket's path has to be short
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for PostgreSQL");
  folder_ = name;
  if (const passwd* user = other_user()) {
    if (::chown(name.c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("chown");
  }
  const pid_t made =
      launch({(binaries_ / "initdb").string(), "-D", (folder_ / "data").string(), "-U", "palate",
              "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"});
  int status = 0;
  if (::waitpid(made, &status, 0) != made || status != 0) {
    throw std::runtime_error("initdb failed; see " + (folder_ / "log").string());
  }
  start();
}

PostgresServer::~PostgresServer() {
  end(SIGQUIT);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

pid_t PostgresServer::launch(const std::vector<std::string>& command) const {
  const passwd* user = other_user();
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (user != nullptr && (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)) ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  const int log = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(log, 1);
  ::dup2(log, 2);
  if (::chdir("/") != 0) ::_exit(126);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

void PostgresServer::start() {
  // fsync guards against a loss of power, which no test brings about.
  process_ = launch({(binaries_ / "postgres").string(), "-D", (folder_ / "data").string(), "-k",
                     folder_.string(), "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                     "unix_socket_permissions=0777"});
  for (int patience = 0; patience < 600; ++patience) {
    try {
      const pqxx::connection probe(url("postgres"));
      return;
    } catch (const pqxx::broken_connection&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  throw std::runtime_error("PostgreSQL does not start; see " + (folder_ / "log").string());
}

void PostgresServer::end(int signal) {
  if (process_ == 0) return;
  ::kill(process_, signal);
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
}

void PostgresServer::stop() { end(SIGINT); }

void PostgresServer::crash_and_restart() {
  end(SIGQUIT);
  start();
}

std::string PostgresServer::url(const std::string& database) const {
  return "postgresql://palate@/" + database + "?host=" + folder_.string();
}

std::string PostgresServer::new_database() {
  const std::string name = "store" + std::to_string(++databases_);
  pqxx::connection connection(url("postgres"));
  pqxx::nontransaction(connection).exec("CREATE DATABASE " + name);
  return url(name);
}

}  // namespace palate::testing
