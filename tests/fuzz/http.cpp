// HTTP as it comes from the network: heads, chunks, bodies, one request after the other, cut off
// anywhere. The connection of the server reads it from a socket, as it does in service.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdint>

#include "fuzz/must.hpp"
#include "server/http/connection.hpp"

namespace {

using palate::fuzz::must;
using palate::server::BodySink;
using palate::server::Connection;
using palate::server::Handler;
using palate::server::Request;
using palate::server::Respond;
using palate::server::Response;

constexpr std::size_t limit = 4096;

class Counting : public BodySink {
 public:
  explicit Counting(std::size_t most) : most_(most) {}
  void take(std::string piece, std::function<void(bool)> next) override {
    bytes_ += piece.size();
    must(bytes_ <= most_);
    next(true);
  }
  void finish(Respond respond) override { respond({.content_type = "text/plain", .body = "ok"}); }

 private:
  const std::size_t most_;
  std::size_t bytes_ = 0;
};

/// What every request has to hold to before anything is done with it.
class Checking : public Handler {
 public:
  std::size_t input = 0;

  void plan(const std::shared_ptr<Request>& request, std::function<void(Plan)> go) override {
    const auto& headers = request->headers;
    const auto count = [&](std::string_view name) {
      return std::count_if(headers.begin(), headers.end(),
                           [&](const auto& header) { return header.first == name; });
    };
    must(count("host") <= 1 && count("content-length") <= 1 && count("authorization") <= 1);
    must(count("transfer-encoding") <= 1 - count("content-length"));
    must(headers.size() <= 100 && request->path.starts_with('/') | (request->path == "*"));
    Plan out{.body_limit = limit};
    if (request->path.starts_with("/s")) out.sink = std::make_shared<Counting>(limit);
    if (request->path.starts_with("/n")) out.answer = Response{.status = 204};
    go(std::move(out));
  }
  void handle(const std::shared_ptr<Request>& request, Respond respond) override {
    must(request->body.size() <= std::min(limit, input));
    respond({.content_type = "text/plain", .body = request->body});
  }
  void complete(Request&, Response&) override {}
  void finished(const Request&, const Response&, double) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static boost::asio::io_context context{1};
  constexpr std::size_t longest = std::size_t{128} * 1024;  // what the socket takes at once
  if (size > longest) return 0;
  std::array<int, 2> ends{};
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
  Checking handler;
  handler.input = size;
  bool closed = false;
  Connection::Shared shared{
      .handler = handler, .limits = {}, .closed = [&](Connection*) { closed = true; }};
  shared.limits.held_bytes = limit * 4;
  Connection::Socket socket(context);
  socket.assign(boost::asio::ip::tcp::v4(), ends[0]);
  std::weak_ptr<Connection> alive;
  {
    const auto connection = Connection::make(std::move(socket), shared);
    alive = connection;
    connection->await_request();
  }
  must(::write(ends[1], data, size) == static_cast<ssize_t>(size));
  ::shutdown(ends[1], SHUT_WR);
  std::array<char, 65536> answer{};
  context.restart();
  while (!closed || !alive.expired()) {
    must(context.run_one() > 0);
    while (::read(ends[1], answer.data(), answer.size()) > 0) continue;
  }
  ::close(ends[1]);
  must(shared.held == 0 && shared.waiting.empty());
  return 0;
}
