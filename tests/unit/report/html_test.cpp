#include "report/html.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace palate::cli::html {
namespace {

TEST(HtmlText, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(text("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
}

TEST(HtmlText, KeepsUnicodeAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(text("Phở 🍜"), "Phở 🍜");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(text("a\xFF"), "a" + bad);
  EXPECT_EQ(text("a\xC3"), "a" + bad);               // cut off
  EXPECT_EQ(text("\xC0\xAF"), bad + bad);            // overlong
  EXPECT_EQ(text("\xED\xA0\x80"), bad + bad + bad);  // surrogate
  EXPECT_EQ(text(std::string_view("a\0b\x1B", 4)), "a" + bad + "b" + bad);
}

TEST(HtmlScriptJson, CannotEndTheScriptAndReadsBackTheSame) {
  const std::string hostile = "</script><!--&\u2028\u2029\"\\";
  const std::string out = script_json({{"title", hostile}});
  EXPECT_EQ(out.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(out.find("\u2028"), std::string::npos);
  EXPECT_EQ(out.find("\u2029"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(out)["title"], hostile);
}

TEST(HtmlScriptJson, TakesBytesThatAreNotUtf8) {
  EXPECT_EQ(nlohmann::json::parse(script_json({{"title", "a\xFF"}}))["title"], "a\xEF\xBF\xBD");
}

TEST(HtmlNumbers, AreReadable) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "user", "users"), "1 user");
  EXPECT_EQ(counted(0, "user", "users"), "0 users");
  EXPECT_EQ(number(0.012345), "0.0123");
  EXPECT_EQ(number(12.345), "12.3");
  EXPECT_EQ(number(-12345), "−12,345");
  EXPECT_EQ(fixed(-0.00001, 3), "0.000");
  EXPECT_EQ(plain(4.5), "4.5");
  EXPECT_EQ(percent(0.125), "12.5\u00A0%");
}

TEST(HtmlNumbers, WhatIsNotFiniteIsADash) {
  const double nan = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double value : {nan, infinite, -infinite}) {
    EXPECT_EQ(number(value), "–");
    EXPECT_EQ(fixed(value, 2), "–");
    EXPECT_EQ(plain(value), "–");
    EXPECT_EQ(percent(value), "–");
  }
}

}  // namespace
}  // namespace palate::cli::html
