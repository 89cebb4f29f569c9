// How long do clients of a running server wait, and how many can it serve? Driven by serve.py.
//
// Open loop (--rate): requests are due at fixed times whatever the server does, and a latency
// counts from the time when its request was due, so that a pause of the server is felt by all who
// would have come meanwhile. Closed loop (no --rate): every connection asks again as soon as it has
// its answer.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "measure.hpp"

namespace {

constexpr auto usage =
    "bench_serve PORT USERS_FILE ITEMS_FILE [--rate PER_SECOND] [--writes PER_SECOND]"
    " [--seconds N] [--connections N] [--top N] [--seed N] [--json FILE]";

using Clock = std::chrono::steady_clock;

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.empty()) throw std::runtime_error(path + " is empty");
  return lines;
}

struct Job {
  double due = 0;
  bool write = false;
  std::string text;
};

struct Client {
  int socket = -1;
  bool busy = false;
  Job job;
  std::size_t sent = 0;
  std::string in;
};

class Load {
 public:
  explicit Load(const bench::Arguments& arguments)
      : users_(lines_of(arguments.text(1))),
        items_(lines_of(arguments.text(2))),
        port_(static_cast<std::uint16_t>(arguments.number(0, 8080))),
        rate_(static_cast<double>(arguments.number("rate", 0))),
        writes_(static_cast<double>(arguments.number("writes", 0))),
        seconds_(static_cast<double>(arguments.number("seconds", 10))),
        top_(arguments.number("top", 10)),
        random_(arguments.number("seed", 1)),
        readers_(arguments.number("connections", 32)),
        clients_(readers_ + (writes_ > 0 ? readers_ : 0)) {
    epoll_ = epoll_create1(0);
    for (std::size_t k = 0; k < clients_.size(); ++k) connect(k);
  }
  ~Load() {
    for (const Client& client : clients_) close(client.socket);
    close(epoll_);
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void run() {
    start_ = Clock::now();
    for (std::size_t k = clients_.size(); k-- > 0;) set_free(k);
    double next_read = 0;
    double next_write = 0;
    for (;;) {
      const double now = elapsed();
      const bool over = now >= seconds_;
      if (!over && rate_ > 0) {
        for (; next_read <= now; next_read += 1 / rate_) {
          read_side_.waiting.push_back(read_job(next_read));
        }
      }
      if (!over && writes_ > 0) {
        for (; next_write <= now; next_write += 1 / writes_) {
          write_side_.waiting.push_back(write_job(next_write));
        }
      }
      start_waiting(read_side_);
      start_waiting(write_side_);
      while (!over && rate_ == 0 && !read_side_.free.empty()) {
        begin(take_free(read_side_), read_job(now));
      }
      if (over && idle()) break;
      if (now > seconds_ + 30) throw std::runtime_error("answers did not come in time");
      wait(over ? 0.05 : pause(next_read, next_write));
    }
    took_ = elapsed();
  }

  [[nodiscard]] bench::Json results() {
    const auto part = [&](std::vector<double>& all) {
      std::sort(all.begin(), all.end());
      const auto ms = [&](double p) { return 1e3 * bench::percentile(all, p); };
      return bench::Json{
          {"count", all.size()}, {"p50_ms", ms(0.5)},
          {"p90_ms", ms(0.9)},   {"p99_ms", ms(0.99)},
          {"max_ms", ms(1)},     {"per_second", static_cast<double>(all.size()) / took_}};
    };
    bench::Json out = {{"reads", part(reads_seen_)}, {"errors", errors_}};
    if (!writes_seen_.empty()) out["writes"] = part(writes_seen_);
    return out;
  }

 private:
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void connect(std::size_t k) {
    Client& client = clients_[k];
    if (client.socket >= 0) close(client.socket);
    client = {};
    client.socket = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(client.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0) {
      throw std::runtime_error(std::string("cannot connect: ") + std::strerror(errno));
    }
    const int one = 1;
    setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(client.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = k;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, client.socket, &event);
  }

  Job read_job(double due) {
    const std::string& user = users_[random_() % users_.size()];
    return {due, false,
            "GET /v1/users/" + user + "/recommendations?top=" + std::to_string(top_) +
                " HTTP/1.1\r\nHost: localhost\r\n\r\n"};
  }

  Job write_job(double due) {
    const std::string body = R"({"values":{"overall":)" + std::to_string(1 + random_() % 5) + "}}";
    return {due, true,
            "PUT /v1/ratings/" + users_[random_() % users_.size()] + "/" +
                items_[random_() % items_.size()] +
                " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Content-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body};
  }

  // Who reads and who writes are different people: neither waits for a connection of the other's.
  struct Side {
    std::vector<std::size_t> free = {};
    std::deque<Job> waiting = {};
  };

  void set_free(std::size_t k) { (k < readers_ ? read_side_ : write_side_).free.push_back(k); }

  static std::size_t take_free(Side& side) {
    const std::size_t k = side.free.back();
    side.free.pop_back();
    return k;
  }

  void start_waiting(Side& side) {
    while (!side.waiting.empty() && !side.free.empty()) {
      begin(take_free(side), std::move(side.waiting.front()));
      side.waiting.pop_front();
    }
  }

  [[nodiscard]] bool idle() const {
    return read_side_.waiting.empty() && write_side_.waiting.empty() &&
           read_side_.free.size() + write_side_.free.size() == clients_.size();
  }

  void begin(std::size_t k, Job job) {
    Client& client = clients_[k];
    client.busy = true;
    client.job = std::move(job);
    const std::string& text = client.job.text;
    // A request is far smaller than the socket's buffer.
    if (send(client.socket, text.data(), text.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(text.size())) {
      fail(k);
    }
  }

  void fail(std::size_t k) {
    ++errors_;
    connect(k);
    set_free(k);
  }

  [[nodiscard]] double pause(double next_read, double next_write) const {
    double until = seconds_;
    if (rate_ > 0) until = std::min(until, next_read);
    if (writes_ > 0) until = std::min(until, next_write);
    return std::max(0.0, until - elapsed());
  }

  void wait(double seconds) {
    std::array<epoll_event, 64> events{};
    // Milliseconds are too coarse for a schedule, and looking all the time would take a core.
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(seconds);
    timeout.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    const int n =
        epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
    if (n < 0 && errno != EINTR) throw std::runtime_error(std::strerror(errno));
    for (int e = 0; e < n; ++e) receive(events[static_cast<std::size_t>(e)].data.u64);
  }

  void receive(std::size_t k) {
    Client& client = clients_[k];
    std::array<char, 65536> bytes;
    const ssize_t n = recv(client.socket, bytes.data(), bytes.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      const bool busy = client.busy;
      if (busy) {
        fail(k);
      } else {
        connect(k);
      }
      return;
    }
    client.in.append(bytes.data(), static_cast<std::size_t>(n));
    const std::size_t head = client.in.find("\r\n\r\n");
    if (head == std::string::npos) return;
    const std::size_t at = client.in.find("Content-Length: ");
    const std::size_t length =
        at < head ? std::strtoul(client.in.c_str() + at + 16, nullptr, 10) : 0;
    if (client.in.size() < head + 4 + length) return;
    const bool fine = client.in.compare(0, 10, "HTTP/1.1 2") == 0;
    if (fine) {
      (client.job.write ? writes_seen_ : reads_seen_).push_back(elapsed() - client.job.due);
    } else {
      ++errors_;
    }
    client.in.clear();
    client.busy = false;
    set_free(k);
  }

  const std::vector<std::string> users_, items_;
  const std::uint16_t port_;
  const double rate_, writes_, seconds_;
  const std::size_t top_;
  std::mt19937_64 random_;
  const std::size_t readers_;  // the first so many clients
  std::vector<Client> clients_;
  Side read_side_, write_side_;
  std::vector<double> reads_seen_, writes_seen_;
  std::size_t errors_ = 0;
  int epoll_ = -1;
  Clock::time_point start_;
  double took_ = 0;
};

void measure(const bench::Arguments& arguments) {
  Load load(arguments);
  load.run();
  const bench::Json results = load.results();
  std::printf("%s\n", results.dump().c_str());
  bench::write_json(arguments.text("json"), results);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(
      {argc, argv, usage, 3, {"rate", "writes", "seconds", "connections", "top", "seed", "json"}},
      measure);
}
