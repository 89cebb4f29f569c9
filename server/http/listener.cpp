#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <charconv>
#include <csignal>
#include <unordered_set>

#include "palate/error.hpp"
#include "server/http/connection.hpp"

namespace palate::server {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Failure = boost::system::error_code;

Tcp::endpoint parse_endpoint(const std::string& text) {
  const Error wrong(ErrorCode::usage, fmt::format("'{}' is no address to listen on", text),
                    {.field = "--listen"},
                    "for example 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw wrong;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  unsigned port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
  constexpr unsigned max_port = 65535;
  if (error != std::errc() || stop != end || port > max_port) throw wrong;
  Failure failure;
  const auto address = asio::ip::make_address(host, failure);
  if (failure) throw wrong;
  return {address, static_cast<std::uint16_t>(port)};
}

}  // namespace

bool is_loopback(const std::string& address) {
  return parse_endpoint(address).address().is_loopback();
}

struct Listener::Impl {
  Impl(const std::string& address, ConnectionLimits limits, Handler& handler)
      : shared{.handler = handler, .limits = limits} {
    shared.closed = [this](Connection* connection) { gone(connection); };
    const Tcp::endpoint endpoint = parse_endpoint(address);
    try {
      acceptor.open(endpoint.protocol());
      acceptor.set_option(Tcp::acceptor::reuse_address(true));
      acceptor.bind(endpoint);
      constexpr int backlog = 4096;
      acceptor.listen(backlog);
    } catch (const boost::system::system_error& failure) {
      throw Error(ErrorCode::io,
                  fmt::format("cannot listen on {}: {}", address, failure.code().message()), {},
                  "is another server using it? choose another with --listen");
    }
    // Before anybody is told that it listens: whoever knows may also want it to end.
    signals.add(SIGINT);
    signals.add(SIGTERM);
    signals.async_wait([this](const Failure& failure, int) {
      if (!failure) begin_stop();
    });
  }

  void gone(Connection* connection) {
    open.erase(connection);
    count = open.size();
    if (shared.stopping && open.empty()) finish_stop();
  }

  void accept() {
    acceptor.async_accept([this](const Failure& failure, Tcp::socket socket) {
      if (shared.stopping || failure == asio::error::operation_aborted) return;
      if (failure) {
        // Out of descriptors: others have to end first.
        pause.expires_after(std::chrono::milliseconds(50));
        pause.async_wait([this](const Failure& stopped) {
          if (!stopped) accept();
        });
        return;
      }
      const auto connection = Connection::make(std::move(socket), shared);
      // Who has asked for nothing for longest makes room. Of those who are turned away only so many
      // are told.
      constexpr std::size_t most_told = 64;
      if (open.size() >= shared.limits.connections && !shared.waiting.empty()) {
        shared.waiting.front()->close();
      }
      const std::size_t others = open.size();
      open.insert(connection.get());
      count = open.size();
      if (others < shared.limits.connections) {
        connection->await_request();
      } else if (others < shared.limits.connections + most_told) {
        connection->turn_away();
      } else {
        connection->close();
      }
      accept();
    });
  }

  void begin_stop() {
    if (shared.stopping) return;
    shared.stopping = true;
    Failure ignored;
    acceptor.close(ignored);
    pause.cancel();
    if (stop_call) stop_call();
    const std::unordered_set<Connection*> all = open;
    for (Connection* connection : all) {
      if (open.contains(connection)) connection->stop();
    }
    if (open.empty()) {
      finish_stop();
      return;
    }
    pause.expires_after(
        std::chrono::milliseconds(static_cast<std::int64_t>(shared.limits.stop_seconds * 1e3)));
    pause.async_wait([this](const Failure& stopped) {
      if (stopped) return;
      const std::unordered_set<Connection*> left = open;
      for (Connection* connection : left) {
        if (open.contains(connection)) connection->close();
      }
      context.stop();
    });
  }

  void finish_stop() {
    pause.cancel();
    signals.cancel();
    context.stop();
  }

  Connection::Shared shared;  // first: connections that end with the context still tell it
  asio::io_context context{1};
  Tcp::acceptor acceptor{context};
  asio::steady_timer pause{context};
  asio::signal_set signals{context};
  std::unordered_set<Connection*> open;
  std::atomic<std::size_t> count = 0;
  std::function<void()> stop_call;
};

Listener::Listener(const std::string& address, ConnectionLimits limits, Handler& handler)
    : impl_(std::make_unique<Impl>(address, limits, handler)) {}

// Connections that are still waiting for something end with the context; none may then look at
// what is already gone.
Listener::~Listener() {
  impl_->shared.closed = [](Connection*) {};
}

std::string Listener::url() const {
  const Tcp::endpoint bound = impl_->acceptor.local_endpoint();
  const std::string host = bound.address().is_v6()
                               ? fmt::format("[{}]", bound.address().to_string())
                               : bound.address().to_string();
  return fmt::format("http://{}:{}", host, bound.port());
}

std::size_t Listener::connections() const noexcept { return impl_->count; }

void Listener::run() {
  impl_->accept();
  impl_->context.run();
}

void Listener::stop() {
  asio::post(impl_->context, [this] { impl_->begin_stop(); });
}

void Listener::on_stop(std::function<void()> call) { impl_->stop_call = std::move(call); }

}  // namespace palate::server
