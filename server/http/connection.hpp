// One client's connection. Only listener.cpp includes this.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <optional>

#include "server/http/http.hpp"
#include "server/http/problem.hpp"

namespace palate::server {

/// Everything runs on the one thread of the network, so there are no locks. A request is read,
/// handed to the handler and answered before the next one is looked at.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  /// What connections share.
  struct Shared {
    Handler& handler;
    ConnectionLimits limits;
    bool stopping = false;
    std::function<void(Connection*)> closed = {};
    /// Those that have no request under way, the longest first.
    std::list<Connection*> waiting = {};
    std::size_t held = 0;  ///< bytes of bodies and answers
    /// What nobody wants to read goes here, of all connections.
    std::array<char, std::size_t{16}* 1024> discarded = {};
  };

  /// It may be let go of on any thread, and ends on that of the network.
  [[nodiscard]] static std::shared_ptr<Connection> make(Socket socket, Shared& shared);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void await_request();
  /// Answers 503 and closes.
  void turn_away();
  /// Closes it if it waits for a request; otherwise it will close after the answer.
  void stop();
  void close();

 private:
  Connection(Socket socket, Shared& shared);
  enum class Phase { idle, head, body, working, writing, lingering };
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  using Failure = boost::system::error_code;

  /// What to go on with after reading or writing; a failure closes.
  template <class Next>
  auto then(Next next) {
    return [self = shared_from_this(), next](const Failure& failure, std::size_t bytes) {
      if (failure || self->closed_) {
        self->close();
      } else {
        next(bytes);
      }
    };
  }
  void read_head();
  void on_head(const Failure& failure);
  void on_bad_read(const Failure& failure);
  void fill_request();
  void take_plan();
  void on_plan(Handler::Plan plan);
  void send_continue();
  void read_body();
  void on_body(const Failure& failure);
  void on_piece(std::string piece, bool last);
  void dispatch();
  /// Answers without looking at what may still come.
  void refuse(const Problem& problem);
  void respond(Response response);
  void write_out();
  void on_written(const Failure& failure);
  void linger();
  /// What connections share counts it no more.
  void forget();
  void wait_in_line();
  void leave_line();
  /// Counts `bytes` as held by this connection, in place of what it held. False: there is no room.
  [[nodiscard]] bool hold(std::size_t bytes);
  void arm(double seconds);
  void on_timeout();
  [[nodiscard]] Respond responder();

  static constexpr std::size_t piece_bytes = 64 * 1024;

  Socket socket_;
  Shared& shared_;
  boost::asio::steady_timer timer_;
  std::uint64_t armed_ = 0;
  Phase phase_ = Phase::idle;
  std::optional<std::list<Connection*>::iterator> in_line_;
  std::size_t held_ = 0;
  boost::beast::flat_buffer buffer_;  ///< bounded: also what is around chunks has to fit
  std::optional<Parser> parser_;
  std::string address_;
  std::shared_ptr<Request> request_;
  std::shared_ptr<BodySink> sink_;
  std::size_t body_limit_ = 0;
  std::size_t body_bytes_ = 0;
  std::string piece_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Response response_;
  std::string head_out_;
  bool timed_out_ = false;
  bool unread_body_ = false;
  bool close_after_ = false;
  bool closed_ = false;
};

}  // namespace palate::server
