#include "server/http/guard.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <iterator>

#include "server/http/text.hpp"

namespace palate::server {
namespace {

using Clock = std::chrono::steady_clock;

bool is_local(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

// "2001:db8:1:2::/64" for an IPv6 address, what is given for anything else.
std::string network_of(const std::string& address) {
  constexpr std::ptrdiff_t network_bytes = 8;
  in6_addr bytes{};
  if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1 || is_local(address) ||
      IN6_IS_ADDR_V4MAPPED(&bytes)) {
    return address;
  }
  std::fill(bytes.s6_addr + network_bytes, std::end(bytes.s6_addr), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, &bytes, text.data(), text.size());
  return std::string(text.data()) + "/64";
}

Problem unauthorized(std::string detail) {
  return {.code = "unauthorized",
          .detail = std::move(detail),
          .hint = "send Authorization: Bearer SECRET; palate keys add makes one",
          .headers = {{"WWW-Authenticate", "Bearer"}}};
}

}  // namespace

bool works(const ApiKey& key) noexcept {
  return !key.expires || *key.expires > static_cast<std::int64_t>(std::time(nullptr));
}

bool Keys::refresh() {
  const std::vector<ApiKey> all = keys_->list();
  if (!all.empty()) needed_ = true;
  const bool now = std::any_of(all.begin(), all.end(), works);
  return any_.exchange(now) != now;
}

std::string_view Keys::secret_of(const Request& request) {
  constexpr std::string_view scheme = "bearer ";
  const std::string_view given = request.header("authorization");
  if (given.empty()) throw unauthorized("this server needs an API key");
  if (given.size() <= scheme.size() || fold_case(given.substr(0, scheme.size())) != scheme) {
    throw unauthorized("the Authorization header is not of the form 'Bearer SECRET'");
  }
  return given.substr(scheme.size());
}

ApiKey Keys::look_up(std::string_view secret) const {
  std::optional<ApiKey> key = keys_->check(secret);
  if (!key) throw unauthorized("the API key is not known, or has expired");
  return std::move(*key);
}

void Keys::count(const ApiKey& key) {
  if (!key.rate) return;
  const double wait = rates_.wait(key.name, *key.rate);
  if (wait > 0) throw too_often("too many requests with this key", wait);
}

void Keys::allow(const ApiKey& key, Role role) {
  if (key.role >= role) return;
  throw Problem{.code = "forbidden",
                .detail = role == Role::admin ? "this needs a key with the role admin"
                                              : "this needs a key with the role write"};
}

// Two generations: no call ever looks at all that there are. Who is forgotten has a full bucket,
// which takes as many others as one generation holds.
Buckets::Bucket& Buckets::bucket_of(const std::string& who, const Bucket& full) {
  constexpr std::size_t most = 50'000;
  const auto known = recent_.find(who);
  if (known != recent_.end()) return known->second;
  const auto before = older_.find(who);
  const Bucket bucket = before == older_.end() ? full : before->second;
  if (recent_.size() >= most) {
    older_ = std::move(recent_);
    recent_ = {};
  }
  return recent_.emplace(who, bucket).first->second;
}

double Buckets::wait(const std::string& who, double rate) {
  const double depth = std::max(1.0, 2 * rate);
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  Bucket& bucket = bucket_of(who, {depth, now});
  const std::chrono::duration<double> since = now - bucket.filled;
  bucket.tokens = std::min(depth, bucket.tokens + since.count() * rate);
  bucket.filled = now;
  if (bucket.tokens < 1) return (1 - bucket.tokens) / rate;
  bucket.tokens -= 1;
  return 0;
}

double RateLimit::wait(const std::string& address) {
  constexpr double usual = 1000;
  if (!rate_ && is_local(address)) return 0;
  const double rate = rate_.value_or(usual);
  return rate > 0 ? buckets_.wait(address, rate) : 0;
}

Problem too_often(std::string detail, double wait) {
  return {.code = "rate_limited",
          .detail = std::move(detail),
          .headers = {{"Retry-After", fmt::format("{}", std::ceil(wait))}}};
}

bool host_expected(std::string_view host, const std::vector<std::string>& allowed) {
  // The port is of no interest; an IPv6 address has colons of its own, in brackets.
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  const std::string name = fold_case(host);
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]" ||
         std::find(allowed.begin(), allowed.end(), name) != allowed.end();
}

std::string client_address(const Request& request, bool behind_proxy) {
  if (!behind_proxy || !is_local(request.address)) return network_of(request.address);
  // The last entry of the last line is the proxy's own observation; what stands before it anyone
  // may have written.
  std::string_view chain;
  for (const auto& [name, value] : request.headers) {
    if (name == "x-forwarded-for") chain = value;
  }
  const std::size_t comma = chain.rfind(',');
  std::string_view last = comma == std::string_view::npos ? chain : chain.substr(comma + 1);
  while (last.starts_with(' ') || last.starts_with('\t')) last.remove_prefix(1);
  while (last.ends_with(' ') || last.ends_with('\t')) last.remove_suffix(1);
  // Some proxies add the port: "10.0.0.7:4711", "[2001:db8::1]:4711".
  if (last.starts_with('[')) {
    last = last.substr(1, last.find(']') - 1);
  } else if (std::count(last.begin(), last.end(), ':') == 1) {
    last = last.substr(0, last.find(':'));
  }
  constexpr std::size_t longest = 64;
  return last.empty() || last.size() > longest ? request.address : network_of(std::string(last));
}

}  // namespace palate::server
