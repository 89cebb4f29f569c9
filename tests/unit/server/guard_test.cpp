#include "server/http/guard.hpp"

#include <gtest/gtest.h>

#include "server/http/pool.hpp"

namespace palate::server {
namespace {

double cost_of(RateLimit& limit, int from, int count) {
  const double before = processor_seconds();
  for (int k = from; k < from + count; ++k) {
    static_cast<void>(limit.wait("a" + std::to_string(k)));
  }
  return processor_seconds() - before;
}

TEST(RateLimit, TakesAsLongForManyAddressesAsForFew) {
  // A hundredth of a request a second: no bucket is full again while this runs.
  RateLimit limit(0.01);
  const double few = cost_of(limit, 0, 90'000);
  const double many = cost_of(limit, 90'000, 90'000);
  // A look at all of them for each would be some ten thousand times as much.
  EXPECT_LT(many, 20 * few + 0.05);
}

TEST(RateLimit, AnAddressThatKeepsComingIsNotForgotten) {
  RateLimit limit(0.001);
  EXPECT_EQ(limit.wait("greedy"), 0);
  for (int k = 0; k < 300'000; ++k) {
    static_cast<void>(limit.wait(std::to_string(k)));
    if (k % 40'000 == 0) {
      EXPECT_GT(limit.wait("greedy"), 0) << k;
    }
  }
}

TEST(Buckets, EachWhoAsksHasOneOfItsOwnRate) {
  Buckets buckets;
  EXPECT_EQ(buckets.wait("slow", 0.002), 0);
  EXPECT_GT(buckets.wait("slow", 0.002), 60);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(buckets.wait("quick", 1e6), 0);
  EXPECT_GT(buckets.wait("slow", 0.002), 60);
}

TEST(ClientAddress, IsWhatTheProxySaw) {
  Request request{.address = "127.0.0.1"};
  request.headers = {{"x-forwarded-for", "1.1.1.1"}, {"x-forwarded-for", "2.2.2.2, 3.3.3.3 "}};
  EXPECT_EQ(client_address(request, true), "3.3.3.3");
  EXPECT_EQ(client_address(request, false), "127.0.0.1");
  for (const auto& [given, seen] : std::vector<std::pair<std::string, std::string>>{
           {"4.4.4.4:80", "4.4.4.4"},
           {"2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
           {"[2001:db8:1:2:9::9]:80", "2001:db8:1:2::/64"},
           {"", "127.0.0.1"},
           {"[", "127.0.0.1"},
           {std::string(99, 'x'), "127.0.0.1"}}) {
    request.headers = {{"x-forwarded-for", given}};
    EXPECT_EQ(client_address(request, true), seen) << given;
  }
  request = {.address = "2001:db8::1"};
  EXPECT_EQ(client_address(request, true), "2001:db8::/64");
}

}  // namespace
}  // namespace palate::server
