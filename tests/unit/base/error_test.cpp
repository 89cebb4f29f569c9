#include "palate/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace palate {
namespace {

constexpr ErrorCode all_codes[] = {
    ErrorCode::usage,     ErrorCode::bad_input, ErrorCode::not_found,
    ErrorCode::io,        ErrorCode::corrupt,   ErrorCode::unsupported,
    ErrorCode::too_large, ErrorCode::cancelled, ErrorCode::internal,
};

TEST(Where, SaysWhatIsKnown) {
  EXPECT_EQ((Where{.file = "beers.csv", .line = 12, .column = 3, .field = "aroma"}).text(),
            "beers.csv, line 12, column 3 (aroma)");
  EXPECT_EQ((Where{.file = "beers.csv", .line = 12}).text(), "beers.csv, line 12");
  EXPECT_EQ((Where{.file = "beers.csv", .field = "aroma"}).text(), "beers.csv (aroma)");
  EXPECT_EQ((Where{.file = "beers.csv"}).text(), "beers.csv");
  EXPECT_EQ((Where{.line = 12, .column = 3}).text(), "line 12, column 3");
  EXPECT_EQ((Where{.field = "aroma"}).text(), "aroma");
  EXPECT_EQ(Where{}.text(), "");
}

TEST(Error, KeepsItsPieces) {
  const Error error(ErrorCode::bad_input, "not a number", {.file = "a.csv", .line = 2}, "fix it");
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_EQ(error.message(), "not a number");
  EXPECT_EQ(error.where().file, "a.csv");
  EXPECT_EQ(error.where().line, 2);
  EXPECT_EQ(error.hint(), "fix it");
}

TEST(Error, WhatHasPlaceMessageAndHintInThisOrder) {
  const std::string text =
      Error(ErrorCode::bad_input, "not a number", {.file = "a.csv", .line = 2}, "fix it").what();
  const auto place = text.find("a.csv, line 2");
  const auto message = text.find("not a number");
  const auto hint = text.find("fix it");
  ASSERT_NE(hint, std::string::npos) << text;
  EXPECT_LT(place, message) << text;
  EXPECT_LT(message, hint) << text;
}

TEST(Error, WhatIsTheMessageAloneIfThereIsNothingElse) {
  EXPECT_STREQ(Error(ErrorCode::usage, "no such option").what(), "no such option");
}

TEST(Error, IsCaughtAsAStandardException) {
  try {
    throw Error(ErrorCode::io, "cannot open");
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "cannot open");
  }
}

TEST(ErrorTable, HasEveryCodeOnce) {
  EXPECT_EQ(error_table().size(), std::size(all_codes));
  for (const ErrorCode code : all_codes) {
    EXPECT_EQ(kind_of(code).code, code);
    EXPECT_EQ(std::count_if(error_table().begin(), error_table().end(),
                            [&](const ErrorKind& kind) { return kind.code == code; }),
              1);
  }
}

TEST(ErrorTable, NamesAndExitStatusTellCodesApart) {
  std::set<std::string_view> names;
  std::set<int> statuses;
  for (const ErrorKind& kind : error_table()) {
    names.insert(kind.name);
    statuses.insert(kind.exit_status);
    EXPECT_FALSE(kind.python_exception.empty()) << kind.name;
    EXPECT_FALSE(kind.meaning.empty()) << kind.name;
    EXPECT_GE(kind.http_status, 400) << kind.name;
    EXPECT_LE(kind.http_status, 599) << kind.name;
    // 0 means success; above 128 a shell reads the number of a signal.
    EXPECT_GT(kind.exit_status, 0) << kind.name;
    EXPECT_LT(kind.exit_status, 256) << kind.name;
  }
  EXPECT_EQ(names.size(), error_table().size());
  EXPECT_EQ(statuses.size(), error_table().size());
}

TEST(ErrorTable, NamesAreStable) {
  EXPECT_EQ(kind_of(ErrorCode::usage).name, "usage");
  EXPECT_EQ(kind_of(ErrorCode::bad_input).name, "bad_input");
  EXPECT_EQ(kind_of(ErrorCode::not_found).name, "not_found");
  EXPECT_EQ(kind_of(ErrorCode::io).name, "io");
  EXPECT_EQ(kind_of(ErrorCode::corrupt).name, "corrupt");
  EXPECT_EQ(kind_of(ErrorCode::unsupported).name, "unsupported");
  EXPECT_EQ(kind_of(ErrorCode::too_large).name, "too_large");
  EXPECT_EQ(kind_of(ErrorCode::cancelled).name, "cancelled");
  EXPECT_EQ(kind_of(ErrorCode::internal).name, "internal");
}

}  // namespace
}  // namespace palate
