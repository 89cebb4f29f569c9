#include "server/http/guard.hpp"

#include <algorithm>

#include "server/http/problem.hpp"
#include "server/http/text.hpp"

namespace palate::server {
namespace {

using Clock = std::chrono::steady_clock;

bool is_local(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

Problem unauthorized(std::string detail) {
  return {.code = "unauthorized",
          .detail = std::move(detail),
          .hint = "send Authorization: Bearer SECRET; palate keys add makes one",
          .headers = {{"WWW-Authenticate", "Bearer"}}};
}

}  // namespace

void Keys::require(const Request& request, Role role) {
  if (!needed()) return;
  constexpr std::string_view scheme = "bearer ";
  const std::string_view given = request.header("authorization");
  if (given.empty()) throw unauthorized("this server needs an API key");
  if (given.size() <= scheme.size() || fold_case(given.substr(0, scheme.size())) != scheme) {
    throw unauthorized("the Authorization header is not of the form 'Bearer SECRET'");
  }
  const std::optional<ApiKey> key = keys_->check(given.substr(scheme.size()));
  if (!key) throw unauthorized("the API key is not known");
  if (key->role < role) {
    throw Problem{.code = "forbidden",
                  .detail = role == Role::admin ? "this needs a key with the role admin"
                                                : "this needs a key with the role write"};
  }
}

std::optional<std::string> Keys::name_of(const Request& request) const {
  constexpr std::string_view scheme = "bearer ";
  const std::string_view given = request.header("authorization");
  if (!needed() || given.size() <= scheme.size()) return std::nullopt;
  const std::optional<ApiKey> key = keys_->check(given.substr(scheme.size()));
  return key ? std::optional(key->name) : std::nullopt;
}

void RateLimit::forget_full(Time now, double rate) {
  std::erase_if(buckets_, [&](const auto& entry) {
    const std::chrono::duration<double> since = now - entry.second.filled;
    return entry.second.tokens + since.count() * rate >= 2 * rate;
  });
}

double RateLimit::wait(const std::string& address) {
  constexpr double usual = 1000;
  constexpr std::size_t most_addresses = 100'000;
  if (!rate_ && is_local(address)) return 0;
  const double rate = rate_.value_or(usual);
  if (rate <= 0) return 0;
  const double depth = std::max(1.0, 2 * rate);
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= most_addresses) forget_full(now, rate);
  const auto [place, fresh] = buckets_.try_emplace(address, Bucket{depth, now});
  Bucket& bucket = place->second;
  const std::chrono::duration<double> since = now - bucket.filled;
  bucket.tokens = std::min(depth, bucket.tokens + since.count() * rate);
  bucket.filled = now;
  if (bucket.tokens < 1) return (1 - bucket.tokens) / rate;
  bucket.tokens -= 1;
  return 0;
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
  if (!behind_proxy || !is_local(request.address)) return request.address;
  // The last entry is the proxy's own observation; what stands before it anyone may have written.
  const std::string_view chain = request.header("x-forwarded-for");
  const std::size_t comma = chain.rfind(',');
  std::string_view last = comma == std::string_view::npos ? chain : chain.substr(comma + 1);
  while (last.starts_with(' ')) last.remove_prefix(1);
  constexpr std::size_t longest = 64;
  return last.empty() || last.size() > longest ? request.address : std::string(last);
}

}  // namespace palate::server
