// What the rest of the server knows of HTTP. The library behind it shows only in connection.cpp and
// listener.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palate::server {

/// The place of a request in a trace that spans many services: https://www.w3.org/TR/trace-context.
/// Ids are lower-case hexadecimal.
struct Trace {
  std::string id = {};      ///< 32 digits, of all that belongs together
  std::string span = {};    ///< 16 digits, of this request
  std::string parent = {};  ///< 16 digits, of the span that sent it; empty: it begins the trace
};

struct Request {
  std::string method = {};   ///< "GET"
  std::string path = {};     ///< as sent: percent-encoded, without the query
  std::string query = {};    ///< as sent, without the question mark
  std::string address = {};  ///< of the client
  std::string id = {};       ///< for logs; from X-Request-Id if that is sane
  Trace trace = {};          ///< for logs; goes on where traceparent is valid
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< names in lower case
  std::string body = {};
  std::shared_ptr<void> context = {};  ///< whatever the handler keeps with it

  /// The first header of that name (lower case); empty if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const noexcept {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

struct Response {
  int status = 200;
  std::string content_type = {};
  std::string body = {};
  std::string_view fixed = {};  ///< instead of body: bytes that live as long as the program
  std::vector<std::pair<std::string, std::string>> headers = {};

  [[nodiscard]] std::string_view bytes() const noexcept {
    return fixed.empty() ? std::string_view(body) : fixed;
  }
};

/// Called once, from any thread.
using Respond = std::function<void(Response)>;

/// Takes a body as it arrives, one piece at a time.
class BodySink {
 public:
  BodySink() = default;
  virtual ~BodySink() = default;
  BodySink(const BodySink&) = delete;
  BodySink& operator=(const BodySink&) = delete;

  /// Returns at once; `next` is called, from any thread, when the next piece may come: with true,
  /// or with false if an answer is ready and the rest of the body is of no interest.
  virtual void take(std::string piece, std::function<void(bool more)> next) = 0;
  virtual void finish(Respond respond) = 0;
};

/// What answers. All functions are called from the thread of the network and return at once.
/// Whatever they give later may come from any thread.
class Handler {
 public:
  struct Plan {
    std::optional<Response> answer = {};  ///< without reading the body
    std::size_t body_limit = 0;           ///< bytes
    std::shared_ptr<BodySink> sink = {};  ///< if the body is to be taken as it arrives
  };

  Handler() = default;
  virtual ~Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

  /// The head of a request has come; no byte of its body is read before `go` is called, once.
  virtual void plan(const std::shared_ptr<Request>& request, std::function<void(Plan)> go) = 0;
  /// The whole request has come.
  virtual void handle(const std::shared_ptr<Request>& request, Respond respond) = 0;
  /// Headers that every answer gets, and whatever else depends on both.
  virtual void complete(Request& request, Response& response) = 0;
  /// The answer has been handed to the system.
  virtual void finished(const Request& request, const Response& response, double seconds) = 0;
};

struct ConnectionLimits {
  std::size_t connections = 10'000;
  std::size_t header_bytes = 16 * 1024;
  std::size_t header_fields = 100;
  /// Of bodies that are being collected and answers that are being sent, all connections together.
  std::size_t held_bytes = std::size_t{256} << 20;
  double idle_seconds = 75;    ///< between requests
  double header_seconds = 10;  ///< from the first byte of a head to its last
  double body_seconds = 30;    ///< for a body, or for each 64 KB of one that is streamed
  double write_seconds = 30;
  double stop_seconds = 20;  ///< for what is under way when the server is to stop
};

/// Accepts connections and speaks HTTP/1.1 on them, on one thread of its own; the handler does its
/// work elsewhere.
class Listener {
 public:
  /// Binds at once; Error{io} if it cannot. `address`: "127.0.0.1:8080", "[::1]:0".
  Listener(const std::string& address, ConnectionLimits limits, Handler& handler);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// "http://127.0.0.1:8080", with the port that was given out.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::size_t connections() const noexcept;

  /// Serves until stop(), SIGINT or SIGTERM; then lets requests under way finish.
  void run();
  /// From any thread.
  void stop();
  /// Called once, on the network's thread, when stopping begins.
  void on_stop(std::function<void()> call);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// Whether the address is reachable from this machine alone; Error{usage} if it is no address.
[[nodiscard]] bool is_loopback(const std::string& address);

}  // namespace palate::server
