#include "live/names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace palate::live {
namespace {

TEST(Names, FindsWhatWasAdded) {
  Names names;
  for (std::uint32_t k = 0; k < 20000; ++k) {
    ASSERT_EQ(names.add("id " + std::to_string(k), 1), k);
  }
  ASSERT_EQ(names.size(), 20000U);
  for (std::uint32_t k = 0; k < 20000; ++k) {
    const std::string id = "id " + std::to_string(k);
    ASSERT_EQ(names.find(id), k);
    ASSERT_EQ(names[k], id);
  }
  EXPECT_EQ(names.find("id 20000"), std::nullopt);
  EXPECT_EQ(names.find(""), std::nullopt);
}

TEST(Names, EarlierVersionsDoNotKnowLaterNames) {
  Names first;
  first.add("a", 1);
  Names second = first;
  second.add("b", 2);
  EXPECT_EQ(first.find("b"), std::nullopt);
  EXPECT_EQ(first.size(), 1U);
  EXPECT_EQ(second.find("a"), 0U);
  EXPECT_EQ(second.find("b"), 1U);
}

}  // namespace
}  // namespace palate::live
