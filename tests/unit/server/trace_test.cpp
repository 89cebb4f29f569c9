#include "server/http/trace.hpp"

#include <gtest/gtest.h>

#include <set>

namespace palate::server {
namespace {

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string parent_id = "00f067aa0ba902b7";

Trace trace_with(const std::vector<std::string>& given) {
  static std::mt19937_64 random = id_source();
  Request request;
  for (const std::string& value : given) request.headers.emplace_back("traceparent", value);
  return trace_of(request, random);
}

TEST(Trace, GoesOnWithThatOfTheRequest) {
  for (const std::string& given :
       {"00-" + trace_id + "-" + parent_id + "-01", "00-" + trace_id + "-" + parent_id + "-00",
        "cc-" + trace_id + "-" + parent_id + "-01", "cc-" + trace_id + "-" + parent_id + "-01-x"}) {
    const Trace trace = trace_with({given});
    EXPECT_EQ(trace.id, trace_id) << given;
    EXPECT_EQ(trace.parent, parent_id) << given;
    EXPECT_EQ(trace.span.size(), 16U);
    EXPECT_NE(trace.span, parent_id);
  }
}

TEST(Trace, BeginsWhereNoneIsGivenOrNotAsItShouldBe) {
  const std::string good = "00-" + trace_id + "-" + parent_id + "-01";
  std::string upper = good;
  upper[3 + 1] = 'B';
  std::set<std::string> ids;
  const std::vector<std::vector<std::string>> all = {
      {},
      {""},
      {good, good},
      {good + "-x"},
      {good + "0"},
      {good.substr(0, good.size() - 1)},
      {"ff" + good.substr(2)},
      {"0g" + good.substr(2)},
      {"00-" + std::string(32, '0') + "-" + parent_id + "-01"},
      {"00-" + trace_id + "-" + std::string(16, '0') + "-01"},
      {"00-" + trace_id + "-" + parent_id + "-0x"},
      {"00_" + trace_id + "-" + parent_id + "-01"},
      {"cc-" + trace_id + "-" + parent_id + "-01x"},
      {upper}};
  for (const auto& given : all) {
    const Trace trace = trace_with(given);
    const std::string shown = given.empty() ? "" : given.front();
    EXPECT_EQ(trace.parent, "") << shown;
    EXPECT_EQ(trace.id.size(), 32U) << shown;
    EXPECT_EQ(trace.id.find_first_not_of("0123456789abcdef"), std::string::npos) << shown;
    EXPECT_NE(trace.id, trace_id) << shown;
    ids.insert(trace.id);
    ids.insert(trace.span);
  }
  EXPECT_EQ(ids.size(), 2 * all.size());
}

}  // namespace
}  // namespace palate::server
