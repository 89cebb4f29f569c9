#include "server/http/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <cctype>
#include <iterator>
#include <limits>

#include "server/http/framing.hpp"

namespace palate::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr double linger_seconds = 2;
constexpr std::size_t first_read = 4096;

const Problem malformed = {.code = "malformed", .detail = "the request is not valid HTTP/1.1"};
const Problem no_room = {.code = "overloaded",
                         .detail = "the server holds as many bodies as it has room for",
                         .headers = {{"Retry-After", "1"}}};
const Problem body_too_large = {.code = "too_large",
                                .detail = "the body is larger than this route takes",
                                .hint = "POST /v1/ratings takes many ratings, line by line"};

std::string to_string(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string lower(boost::beast::string_view text) {
  std::string out = to_string(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Whether the peer spoke something else than HTTP, rather than going away.
bool is_malformed(const boost::system::error_code& failure) {
  return failure.category() == http::make_error_code(http::error::bad_method).category() &&
         failure != http::error::partial_message && failure != http::error::end_of_stream;
}

std::string head_of(const Request& request, const Response& response, bool close) {
  const bool bodiless = response.status == 204 || response.status == 304;
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", response.status,
                                to_string(http::obsolete_reason(
                                    http::int_to_status(static_cast<unsigned>(response.status)))));
  for (const auto& [name, value] : response.headers) {
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  }
  if (!response.content_type.empty() && !bodiless) {
    out += "Content-Type: " + response.content_type + "\r\n";
  }
  if (!bodiless) out += fmt::format("Content-Length: {}\r\n", response.bytes().size());
  if (!request.id.empty()) out += "X-Request-Id: " + request.id + "\r\n";
  out += close ? "Connection: close\r\n\r\n" : "\r\n";
  return out;
}

}  // namespace

Connection::Connection(Socket socket, Shared& shared)
    : socket_(std::move(socket)),
      shared_(shared),
      timer_(socket_.get_executor()),
      buffer_(shared.limits.header_bytes + first_read),
      request_(std::make_shared<Request>()) {
  boost::system::error_code failure;
  const auto peer = socket_.remote_endpoint(failure);
  if (!failure) address_ = peer.address().to_string();
  socket_.set_option(asio::ip::tcp::no_delay(true), failure);
}

std::shared_ptr<Connection> Connection::make(Socket socket, Shared& shared) {
  const auto executor = socket.get_executor();
  return {new Connection(std::move(socket), shared), [executor](Connection* connection) {
            asio::dispatch(executor, [owned = std::unique_ptr<Connection>(connection)] {});
          }};
}

Connection::~Connection() {
  if (!closed_) forget();
}

void Connection::forget() {
  leave_line();
  static_cast<void>(hold(0));
  shared_.closed(this);
}

void Connection::wait_in_line() {
  if (!in_line_) in_line_ = shared_.waiting.insert(shared_.waiting.end(), this);
}

void Connection::leave_line() {
  if (in_line_) shared_.waiting.erase(*in_line_);
  in_line_.reset();
}

bool Connection::hold(std::size_t bytes) {
  const std::size_t others = shared_.held - held_;
  if (bytes > held_ && others + bytes > shared_.limits.held_bytes) return false;
  shared_.held = others + bytes;
  held_ = bytes;
  return true;
}

void Connection::turn_away() {
  request_->address = address_;
  refuse({.code = "overloaded",
          .detail = "there are too many connections",
          .headers = {{"Retry-After", "1"}}});
}

void Connection::stop() {
  if (phase_ == Phase::idle) close();
}

void Connection::await_request() {
  request_ = std::make_shared<Request>();
  request_->address = address_;
  sink_.reset();
  parser_.reset();
  response_ = {};
  static_cast<void>(hold(0));
  wait_in_line();
  body_bytes_ = 0;
  unread_body_ = false;
  phase_ = Phase::idle;
  if (shared_.stopping) {
    close();
    return;
  }
  if (buffer_.size() > 0) {
    read_head();
    return;
  }
  arm(shared_.limits.idle_seconds);
  socket_.async_read_some(buffer_.prepare(first_read), then([this](std::size_t n) {
                            buffer_.commit(n);
                            read_head();
                          }));
}

void Connection::read_head() {
  phase_ = Phase::head;
  begun_ = std::chrono::steady_clock::now();
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes));
  // Checked here, by route, once the head is known. (No limit at all, boost::none, is taken for 0
  // by Boost 1.74.)
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
  arm(shared_.limits.header_seconds);
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](const Failure& failure, std::size_t) { self->on_head(failure); });
}

void Connection::on_head(const Failure& failure) {
  if (closed_) return;
  if (failure || timed_out_) {
    on_bad_read(failure);
    return;
  }
  leave_line();
  const auto& head = parser_->get();
  if (std::distance(head.begin(), head.end()) >
      static_cast<std::ptrdiff_t>(shared_.limits.header_fields)) {
    refuse({.code = "header_too_large", .detail = "the request has too many header fields"});
    return;
  }
  fill_request();
  if (ambiguous(*request_, head.version() >= 11)) {
    refuse(malformed);
    return;
  }
  take_plan();
}

void Connection::on_bad_read(const Failure& failure) {
  if (timed_out_) {
    refuse({.code = "timeout", .detail = "the request was not complete in time"});
  } else if (failure == http::error::header_limit && phase_ == Phase::head) {
    refuse({.code = "header_too_large", .detail = "request line and headers are too long"});
  } else if (is_malformed(failure)) {
    refuse(malformed);
  } else {
    close();
  }
}

void Connection::fill_request() {
  const auto& head = parser_->get();
  Request& request = *request_;
  request.method = to_string(head.method_string());
  const std::string target = to_string(head.target());
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string::npos) request.query = target.substr(mark + 1);
  for (const auto& field : head) {
    request.headers.emplace_back(lower(field.name_string()), to_string(field.value()));
  }
  const bool sane_target = target.starts_with('/') || target == "*";
  if (!sane_target) {
    // The absolute form, as sent to proxies: what counts is the path.
    const std::size_t scheme = target.find("://");
    const std::size_t slash =
        scheme == std::string::npos ? std::string::npos : request.path.find('/', scheme + 3);
    request.path = slash == std::string::npos ? "/" : request.path.substr(slash);
  }
}

void Connection::take_plan() {
  begun_ = std::chrono::steady_clock::now();
  close_after_ = !parser_->keep_alive();
  phase_ = Phase::working;
  timer_.cancel();
  ++armed_;
  shared_.handler.plan(request_, [self = shared_from_this()](Handler::Plan plan) {
    asio::dispatch(self->socket_.get_executor(), [self, plan = std::move(plan)]() mutable {
      if (!self->closed_) self->on_plan(std::move(plan));
    });
  });
}

void Connection::on_plan(Handler::Plan plan) {
  const auto announced = parser_->content_length();
  const bool has_body = parser_->chunked() || (announced && *announced > 0);
  if (plan.answer) {
    unread_body_ = has_body;
    respond(std::move(*plan.answer));
    return;
  }
  if (!has_body && !plan.sink) {
    dispatch();
    return;
  }
  body_limit_ = plan.body_limit;
  if (announced && *announced > body_limit_) {
    refuse(body_too_large);
    return;
  }
  sink_ = std::move(plan.sink);
  if (boost::beast::iequals(std::string(request_->header("expect")), "100-continue") && has_body) {
    send_continue();
  } else {
    read_body();
  }
}

void Connection::send_continue() {
  static constexpr std::string_view interim = "HTTP/1.1 100 Continue\r\n\r\n";
  arm(shared_.limits.write_seconds);
  asio::async_write(socket_, asio::buffer(interim.data(), interim.size()),
                    then([this](std::size_t) { read_body(); }));
}

void Connection::read_body() {
  if (phase_ != Phase::body || sink_) arm(shared_.limits.body_seconds);
  phase_ = Phase::body;
  const auto left = parser_->content_length_remaining();
  const std::size_t room =
      left ? static_cast<std::size_t>(std::clamp<std::uint64_t>(*left, 1, piece_bytes))
           : piece_bytes;
  if (!hold(request_->body.size() + room)) {
    refuse(no_room);
    return;
  }
  piece_.resize(room);
  auto& body = parser_->get().body();
  body.data = piece_.data();
  body.size = piece_.size();
  body.more = true;
  http::async_read(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](const Failure& failure, std::size_t) { self->on_body(failure); });
}

void Connection::on_body(const Failure& failure) {
  if (closed_) return;
  if (timed_out_ || (failure && failure != http::error::need_buffer)) {
    on_bad_read(failure);
    return;
  }
  piece_.resize(piece_.size() - parser_->get().body().size);
  body_bytes_ += piece_.size();
  if (body_bytes_ > body_limit_) {
    refuse(body_too_large);
    return;
  }
  on_piece(std::move(piece_), parser_->is_done());
}

void Connection::on_piece(std::string piece, bool last) {
  if (!sink_) {
    request_->body += piece;
    if (last) {
      dispatch();
    } else {
      read_body();
    }
    return;
  }
  phase_ = Phase::working;
  timer_.cancel();
  ++armed_;
  sink_->take(std::move(piece), [self = shared_from_this(), last](bool more) {
    asio::post(self->socket_.get_executor(), [self, last, more] {
      if (self->closed_) return;
      if (more && !last) {
        self->read_body();
      } else {
        self->unread_body_ = !last;
        self->sink_->finish(self->responder());
      }
    });
  });
}

void Connection::dispatch() {
  begun_ = std::chrono::steady_clock::now();
  phase_ = Phase::working;
  timer_.cancel();
  ++armed_;
  shared_.handler.handle(request_, responder());
}

Respond Connection::responder() {
  return [self = shared_from_this()](Response response) {
    asio::post(self->socket_.get_executor(), [self, response = std::move(response)]() mutable {
      self->respond(std::move(response));
    });
  };
}

void Connection::refuse(const Problem& problem) {
  unread_body_ = true;
  respond(to_response(problem, request_->id));
}

void Connection::respond(Response response) {
  if (closed_) return;
  leave_line();
  request_->body = {};
  piece_ = {};
  response_ = std::move(response);
  if (!hold(response_.body.size())) {
    static_cast<void>(hold(0));
    response_ = to_response(no_room, request_->id);
  }
  if (unread_body_ || shared_.stopping) close_after_ = true;
  shared_.handler.complete(*request_, response_);
  write_out();
}

void Connection::write_out() {
  phase_ = Phase::writing;
  head_out_ = head_of(*request_, response_, close_after_);
  std::string_view body = response_.bytes();
  if (request_->method == "HEAD" || response_.status == 204 || response_.status == 304) body = {};
  arm(shared_.limits.write_seconds);
  const std::array<asio::const_buffer, 2> out = {asio::buffer(head_out_),
                                                 asio::buffer(body.data(), body.size())};
  asio::async_write(socket_, out, [self = shared_from_this()](const Failure& failure, std::size_t) {
    self->on_written(failure);
  });
}

void Connection::on_written(const Failure& failure) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
  shared_.handler.finished(*request_, response_, took.count());
  if (failure || closed_) {
    close();
    return;
  }
  if (!close_after_) {
    await_request();
    return;
  }
  Failure ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  if (unread_body_) {
    linger();
  } else {
    close();
  }
}

// A close with unread bytes makes the system reset the connection, and the client may lose the
// answer. So what still comes is thrown away for a moment.
void Connection::linger() {
  if (phase_ != Phase::lingering) {
    arm(linger_seconds);
    parser_.reset();
    request_ = std::make_shared<Request>();
    response_ = {};
    buffer_.clear();
    buffer_.shrink_to_fit();
    static_cast<void>(hold(0));
  }
  phase_ = Phase::lingering;
  socket_.async_read_some(asio::buffer(shared_.discarded), then([this](std::size_t) { linger(); }));
}

void Connection::arm(double seconds) {
  timed_out_ = false;
  timer_.expires_after(std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3)));
  timer_.async_wait([weak = weak_from_this(), number = ++armed_](const Failure& failure) {
    const auto self = weak.lock();
    if (!self || failure || number != self->armed_ || self->closed_) return;
    self->on_timeout();
  });
}

void Connection::on_timeout() {
  if (phase_ == Phase::head || phase_ == Phase::body) {
    // The read ends with an error, and its continuation answers 408.
    timed_out_ = true;
    Failure ignored;
    socket_.cancel(ignored);
  } else {
    close();
  }
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  forget();
  timer_.cancel();
  Failure ignored;
  socket_.close(ignored);
}

}  // namespace palate::server
