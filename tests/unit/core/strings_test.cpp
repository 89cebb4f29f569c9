// Texts by number and numbers by text.
#include <gtest/gtest.h>

#include <map>

#include "base/random.hpp"
#include "core/interner.hpp"
#include "core/string_table.hpp"
#include "support/errors.hpp"

namespace palate {
namespace {

using testing::thrown_by;

TEST(StringTable, FindsEveryTextInAnyOrder) {
  const std::vector<std::string> texts = {"pear",  "",    "Äpfel",
                                          "apple", "app", std::string("a\0b", 3)};
  const StringTable table(texts);
  ASSERT_EQ(table.size(), texts.size());
  for (std::uint32_t k = 0; k < texts.size(); ++k) {
    EXPECT_EQ(table[k], texts[k]);
    EXPECT_EQ(table.find(texts[k]), k);
  }
  for (const char* unknown : {"a", "appl", "apples", "zebra", "äpfel"}) {
    EXPECT_FALSE(table.find(unknown).has_value()) << unknown;
  }
}

TEST(StringTable, EmptyTableFindsNothing) {
  EXPECT_EQ(StringTable().size(), 0U);
  EXPECT_FALSE(StringTable().find("").has_value());
  EXPECT_FALSE(StringTable(std::vector<std::string>{}).find("").has_value());
}

TEST(StringTable, ComesBackFromItsParts) {
  const std::vector<std::string> texts = {"b", "a", "", "日本"};
  Parts parts;
  StringTable(texts).save(parts, "names");
  const StringTable back = StringTable::load(parts, "names");
  ASSERT_EQ(back.size(), texts.size());
  for (std::uint32_t k = 0; k < texts.size(); ++k) EXPECT_EQ(back.find(texts[k]), k);
}

TEST(StringTable, EmptyTableComesBack) {
  Parts parts;
  StringTable().save(parts, "names");
  EXPECT_EQ(StringTable::load(parts, "names").size(), 0U);
}

TEST(StringTable, RefusesDamage) {
  const auto code_with = [](std::vector<std::uint64_t> offsets, std::vector<std::uint32_t> order) {
    Parts parts;
    StringTable(std::vector<std::string>{"one", "two"}).save(parts, "names");
    parts.put("names/offsets", Array<std::uint64_t>(std::move(offsets)));
    parts.put("names/order", Array<std::uint32_t>(std::move(order)));
    return thrown_by([&] { static_cast<void>(StringTable::load(parts, "names")); }).code();
  };
  EXPECT_EQ(code_with({0, 3, 7}, {0, 1}), ErrorCode::corrupt);
  EXPECT_EQ(code_with({0, 9, 6}, {0, 1}), ErrorCode::corrupt);
  EXPECT_EQ(code_with({1, 3, 6}, {0, 1}), ErrorCode::corrupt);
  EXPECT_EQ(code_with({0, 3, 6}, {0, 2}), ErrorCode::corrupt);
  EXPECT_EQ(code_with({0, 3, 6}, {0}), ErrorCode::corrupt);
  EXPECT_EQ(code_with({}, {}), ErrorCode::corrupt);
}

TEST(Interner, NumbersTextsInOrderOfFirstAppearance) {
  Interner interner;
  EXPECT_EQ(interner.intern("b"), 0U);
  EXPECT_EQ(interner.intern("a"), 1U);
  EXPECT_EQ(interner.intern("b"), 0U);
  EXPECT_EQ(interner.intern(""), 2U);
  EXPECT_EQ(interner.intern(""), 2U);
  EXPECT_EQ(interner.size(), 3U);
  EXPECT_EQ(interner.strings(), (std::vector<std::string>{"b", "a", ""}));
}

TEST(Interner, StaysRightWhileItGrows) {
  Interner interner;
  Random random(4);
  std::vector<std::uint32_t> number(5000, 0xffffffffU);
  std::uint32_t next = 0;
  for (int n = 0; n < 40000; ++n) {
    const auto which = random.below(number.size());
    const std::uint32_t got = interner.intern("id " + std::to_string(which));
    if (number[which] == 0xffffffffU) number[which] = next++;
    ASSERT_EQ(got, number[which]);
  }
  EXPECT_EQ(interner.size(), next);
}

TEST(Interner, TellsTextsOfEveryLengthApart) {
  Interner interner;
  Random random(5);
  std::map<std::string, std::uint32_t> expected;
  for (int n = 0; n < 60000; ++n) {
    std::string text;
    const std::uint64_t length = random.below(21);
    while (text.size() < length) text += "ab\0\xc3"[random.below(4)];
    const auto next = static_cast<std::uint32_t>(expected.size());
    const std::uint32_t number = expected.try_emplace(text, next).first->second;
    ASSERT_EQ(interner.intern(text), number);
  }
  ASSERT_EQ(interner.size(), expected.size());
  for (const auto& [text, number] : expected) EXPECT_EQ(interner.strings()[number], text);
}

}  // namespace
}  // namespace palate
