#include "server/http/framing.hpp"

#include <gtest/gtest.h>

namespace palate::server {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

TEST(Framing, RefusesWhatTwoProgramsMayReadInTwoWays) {
  for (const Headers& more :
       std::vector<Headers>{{{"transfer-encoding", "xchunked"}},
                            {{"transfer-encoding", "chunked, identity"}},
                            {{"transfer-encoding", ""}},
                            {{"transfer-encoding", "chunked"}, {"content-length", "0"}},
                            {{"transfer-encoding", "identity"}, {"transfer-encoding", "chunked"}},
                            {{"content-length", "1"}, {"content-length", "1"}},
                            {{"content-length", "1, 1"}},
                            {{"content-length", ""}},
                            {{"host", "again"}},
                            {{"authorization", "a"}, {"authorization", "b"}}}) {
    Request request{.headers = {{"host", "localhost"}}};
    request.headers.insert(request.headers.end(), more.begin(), more.end());
    EXPECT_TRUE(ambiguous(request, true)) << more.front().second;
  }
  EXPECT_TRUE(ambiguous({.headers = {}}, true));
  EXPECT_FALSE(ambiguous({.headers = {}}, false));
  EXPECT_TRUE(ambiguous({.headers = {{"host", "a"}, {"transfer-encoding", "chunked"}}}, false));
  EXPECT_FALSE(ambiguous({.headers = {{"host", "a"}, {"transfer-encoding", "Chunked"}}}, true));
  EXPECT_FALSE(ambiguous({.headers = {{"host", "[::1]:80"}, {"content-length", "12"}}}, true));
}

}  // namespace
}  // namespace palate::server
