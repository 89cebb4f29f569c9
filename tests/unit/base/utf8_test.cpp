#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace palate {
namespace {

TEST(FirstCharacter, IsDecodedWithItsLength) {
  const auto expect = [](std::string_view text, char32_t code, std::size_t bytes) {
    const Character c = first_character(text);
    EXPECT_EQ(c.code, code) << text;
    EXPECT_EQ(c.bytes, bytes) << text;
  };
  expect("az", U'a', 1);
  expect(std::string_view("\0a", 2), U'\0', 1);
  expect("\xC3\xA4z", U'\u00E4', 2);
  expect("\xE2\x82\xAC", U'\u20AC', 3);
  expect("\xF0\x9F\x8D\xBA!", U'\U0001F37A', 4);
  expect("\xF4\x8F\xBF\xBF", U'\U0010FFFF', 4);
}

TEST(FirstCharacter, IsNoneWhereNoValidOneBegins) {
  for (const std::string text : {"", "\x80", "\xC3", "\xC3(", "\xC0\x80", "\xE0\x80\x80",
                                 "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(first_character(text).bytes, 0U) << text;
    EXPECT_EQ(valid_utf8(text), text.empty()) << text;
  }
}

}  // namespace
}  // namespace palate
