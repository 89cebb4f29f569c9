// Files as people have them, with columns that nobody named: made up, but shaped like the real
// ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/random.hpp"
#include "unit/io/temp_folder.hpp"

namespace palate::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OwnFiles : public TempFolder {
 protected:
  /// A header, and rows numbered from 0.
  std::filesystem::path table(const std::string& header, int rows,
                              const std::function<std::string(int, Random&)>& row) const {
    Random random(5);
    std::string text = header + "\n";
    for (int k = 0; k < rows; ++k) text += row(k, random) + "\n";
    return file("own.csv", text);
  }

  /// Films on a scale of 1 to 5, with `cell` as the story rating of one row.
  std::filesystem::path films(int rows, int bad_row, const std::string& cell) const {
    return table("user,film,overall,story", rows, [&](int k, Random& random) {
      const std::string story = k == bad_row ? cell : std::to_string(1 + random.below(5));
      return fmt::format("u{},f{},{},{}", k % 97, k % 89, 1 + random.below(5), story);
    });
  }
};

std::string pick(Random& random, const std::vector<std::string>& words) {
  return words[random.below(words.size())];
}

TEST_F(OwnFiles, AnOddCellIsABadRowWhereverItStands) {
  for (const int rows : {10, 500, 20'000}) {
    for (const char* cell : {"-3", "abc", "5000", "1e9"}) {
      for (const int at : {2, rows - 2}) {
        const Import in = read(films(rows, at, cell));
        EXPECT_THAT(in.report.criterion_columns, ElementsAre("overall", "story"))
            << cell << " in row " << at << " of " << rows;
        ASSERT_EQ(in.report.bad_rows, 1U) << cell << " in row " << at << " of " << rows;
        const BadRow& bad = in.report.first_bad_rows[0];
        EXPECT_EQ(bad.line, at + 2);
        EXPECT_EQ(bad.field, "story");
        EXPECT_THAT(bad.reason, HasSubstr(cell));
        EXPECT_EQ(in.ratings.criteria()[1].max, 5);
      }
    }
  }
}

TEST_F(OwnFiles, WordsForNotRatedAreNoBadRows) {
  for (const char* word : {"n.a.", "NA", "N/A", "#N/A", "NULL", "None", "-", "?", "\\N", ""}) {
    const Import in = read(films(500, 7, word));
    EXPECT_THAT(in.report.criterion_columns, ElementsAre("overall", "story")) << word;
    EXPECT_EQ(in.report.bad_rows, 0U) << word;
    EXPECT_EQ(in.report.empty_as_missing, 1U) << word;
  }
}

TEST_F(OwnFiles, AColumnWithManyOddCellsIsSetAsideWithAWord) {
  const auto path = table("user,film,overall,story", 400, [](int k, Random& random) {
    return fmt::format("u{},f{},4,{}", k % 20, k, k % 5 == 0 ? "good" : pick(random, {"1", "5"}));
  });
  const ImportReport report = read(path).report;
  EXPECT_THAT(reason(report, "story"), HasSubstr("20 % of its cells are not numbers"));
  EXPECT_THAT(report.advice, Contains(HasSubstr("'story' is not used")));
  ReadOptions options;
  options.criteria = {"story"};
  EXPECT_EQ(read(path, options).report.bad_rows, 80U);
}

TEST_F(OwnFiles, TheHighestRatingCanBeGiven) {
  ReadOptions options;
  options.highest = 5000;
  EXPECT_EQ(read(films(500, 7, "5000"), options).report.bad_rows, 0U);
  options.highest = 4;
  EXPECT_GT(read(films(500, 7, "1"), options).report.bad_rows, 50U);
}

TEST_F(OwnFiles, WideScalesAreNoOutliers) {
  for (const int top : {2, 5, 10, 13, 20, 100}) {
    const auto path = table("user,item,overall,ease", 3000, [&](int k, Random& random) {
      const auto step = [&] { return 1 + random.below(static_cast<std::uint64_t>(top)); };
      return fmt::format("u{},i{},{},{}", k % 97, k % 89, step(), k % 200 == 0 ? 1 : step());
    });
    const Import in = read(path);
    EXPECT_EQ(in.report.bad_rows, 0U) << top;
    EXPECT_THAT(in.report.criterion_columns, ElementsAre("overall", "ease")) << top;
    EXPECT_EQ(in.ratings.criteria()[0].max, top);
  }
}

TEST_F(OwnFiles, AFileSortedByRatingHasNoOutliers) {
  const auto path = table("user,item,rating", 50'000, [](int k, Random&) {
    return fmt::format("u{},i{},{}", k % 997, k % 991, k < 30'000 ? 1 : 1 + (k - 30'000) / 4'000);
  });
  const Import in = read(path);
  EXPECT_EQ(in.report.bad_rows, 0U);
  EXPECT_EQ(in.ratings.criteria()[0].max, 5);
}

TEST_F(OwnFiles, ASentinelIsPointedOut) {
  const auto path = table("user,item,overall,ease", 1000, [](int k, Random& random) {
    return fmt::format("u{},i{},{},{}", k % 20, k, 1 + random.below(5), k % 12 == 0 ? 99 : 3);
  });
  EXPECT_THAT(read(path).report.advice, Contains(HasSubstr("'ease' has 99")));
}

TEST_F(OwnFiles, ZerosOfASmallScaleAreSpokenOf) {
  const auto path = table("user,item,overall,fun", 1000, [](int k, Random& random) {
    return fmt::format("u{},i{},{},{}", k % 20, k, random.below(3), 1 + random.below(2));
  });
  const Import in = read(path);
  EXPECT_GT(in.report.zeros_as_missing, 250U);
  EXPECT_THAT(in.report.advice, Contains(HasSubstr("ReadOptions::zero_is_missing = false")));
  ReadOptions options;
  options.zero_is_missing = false;
  const Import kept = read(path, options);
  EXPECT_THAT(kept.report.advice, IsEmpty());
  EXPECT_EQ(kept.ratings.criteria()[0].min, 0);
}

TEST_F(OwnFiles, ARowOfZerosSaysHowToKeepIt) {
  const Import in = read(file("z.csv", "user,item,overall\na,x,2\na,y,0\na,z,1\n"));
  ASSERT_EQ(in.report.bad_rows, 1U);
  EXPECT_THAT(in.report.first_bad_rows[0].reason, HasSubstr("a 0 counts as \"not rated\""));
}

TEST_F(OwnFiles, AirlineReviews) {
  const auto path = table(
      "airline,link,title,author,author_country,date,content,cabin_flown,overall_rating,"
      "seat_comfort_rating,food_rating,recommended",
      600, [](int k, Random& random) {
        const auto airline = random.below(40);
        return fmt::format(
            "air-{0},/reviews/air-{0},Air {0} customer review,p{1},{2},2015-04-{3:02},\"Flight {1} "
            "was\nfine, \"\"really\"\" fine, and the staff of the day kind to all of us.\",{4},{5},"
            "{6},{7},{8}",
            airline, k % 300, pick(random, {"Peru", "Chad"}), 1 + k % 28,
            pick(random, {"Economy", "First"}), 1 + random.below(10), 1 + random.below(5),
            random.below(6), random.below(2));
      });
  const ImportReport report = read(path).report;
  EXPECT_EQ(report.user_column, "author");
  EXPECT_EQ(report.item_column, "airline");
  EXPECT_EQ(report.title_column, "");
  EXPECT_EQ(report.time_column, "date");
  EXPECT_THAT(report.criterion_columns,
              ElementsAre("overall_rating", "seat_comfort_rating", "food_rating"));
  EXPECT_THAT(reason(report, "recommended"), HasSubstr("only 0 and 1"));
  EXPECT_EQ(reason(report, "content"), "text");
}

TEST_F(OwnFiles, AnItemThatNoNameGivesAwayIsTheColumnThatComesBack) {
  const auto path =
      table("id,ferry_name,title,nickname,rating,cabins", 300, [](int k, Random& random) {
        return fmt::format("{},Ferry {},Trip {} was good,p{},{},{}", 7 * k, random.below(12), k,
                           k % 90, 1 + random.below(5), 1 + random.below(5));
      });
  const ImportReport report = read(path).report;
  EXPECT_EQ(report.item_column, "ferry_name");
  EXPECT_EQ(report.user_column, "nickname");
  EXPECT_EQ(report.title_column, "");
  EXPECT_THAT(report.criterion_columns, ElementsAre("rating", "cabins"));
  EXPECT_THAT(report.notes, Contains(HasSubstr("'ferry_name' is taken")));
}

TEST_F(OwnFiles, HotelReviews) {
  const auto path = table(
      "review_id,hotel_id,hotel_name,hotel_class,guest,guest_age,nights,rating,rooms,service,"
      "helpful_votes",
      1000, [](int k, Random& random) {
        const auto hotel = random.below(50);
        const auto nights = random.below(30) == 0 ? 14 + random.below(20) : 1 + random.below(3);
        return fmt::format("{},h{},\"Inn, No. {}\",{},g{},{},{},{},{},{},{}", 1000 + 3 * k, hotel,
                           hotel, 1 + hotel % 5, k % 200, 20 + k % 200 * 37 % 60, nights,
                           1 + random.below(5), 1 + random.below(5), pick(random, {"", "3", "5"}),
                           random.below(9));
      });
  const ImportReport report = read(path).report;
  EXPECT_EQ(report.user_column, "guest");
  EXPECT_EQ(report.item_column, "hotel_id");
  EXPECT_EQ(report.title_column, "hotel_name");
  EXPECT_THAT(report.criterion_columns, ElementsAre("rating", "rooms", "service"));
  EXPECT_EQ(reason(report, "hotel_class"), "the same in all rows of an item");
  EXPECT_EQ(reason(report, "guest_age"), "the same in all rows of a user");
  EXPECT_THAT(reason(report, "nights"), HasSubstr("like a count"));
}

TEST_F(OwnFiles, ProductReviews) {
  const auto path = table(
      "asins,name,reviews.date,reviews.doRecommend,reviews.numHelpful,reviews.rating,"
      "reviews.title,reviews.username",
      300, [](int k, Random& random) {
        return fmt::format(
            "B{0},Lamp {0},2017-01-13T00:00:00.000Z,{1},{2},{3},Bright {4},buyer {4}",
            random.below(20), pick(random, {"true", "false"}), random.below(3), 1 + random.below(5),
            k);
      });
  const ImportReport report = read(path).report;
  EXPECT_EQ(report.user_column, "reviews.username");
  EXPECT_EQ(report.item_column, "asins");
  EXPECT_EQ(report.title_column, "name");
  EXPECT_EQ(report.time_column, "reviews.date");
  EXPECT_THAT(report.criterion_columns, ElementsAre("reviews.rating"));
}

TEST_F(OwnFiles, FilmRatingsWithTimes) {
  const auto path = table("userId,movieId,rating,timestamp", 500, [](int k, Random& random) {
    return fmt::format("{},{},{},{}", 1 + k % 30, 1 + random.below(200),
                       0.5 * static_cast<double>(1 + random.below(10)), 964982703 + k);
  });
  const ImportReport report = read(path).report;
  EXPECT_EQ(report.user_column, "userId");
  EXPECT_EQ(report.item_column, "movieId");
  EXPECT_EQ(report.time_column, "timestamp");
  EXPECT_THAT(report.criterion_columns, ElementsAre("rating"));
  EXPECT_THAT(report.duplicates_text(), HasSubstr("newest"));
}

TEST_F(OwnFiles, SemicolonsAndDecimalCommas) {
  const Import in = read(file("de.csv",
                              "Benutzer;Film;Gesamt;Handlung\r\nanna;f1;4,5;3,25\r\n"
                              "bert;f1;2;1,0\r\n"),
                         {.user = "Benutzer", .overall = "Gesamt"});
  EXPECT_EQ(in.report.bad_rows, 0U);
  EXPECT_EQ(value(in.ratings, "anna", "f1", "overall"), 4.5F);
  EXPECT_EQ(value(in.ratings, "anna", "f1", "Handlung"), 3.25F);
}

TEST_F(OwnFiles, WhatSpreadsheetsWriteIsRead) {
  const std::string rows =
      "sep=;\r\nuser;item;overall;story;;\r\nanna;f1;4,5;3;;\r\nbert;f1;x;1;;\r\n;;;;;\r\n";
  const Import in = read(file("excel.csv", rows));
  EXPECT_EQ(value(in.ratings, "anna", "f1", "overall"), 4.5F);
  EXPECT_THAT(in.report.ignored_columns, IsEmpty());
  ASSERT_EQ(in.report.bad_rows, 1U);  // a row without anything is none
  EXPECT_EQ(in.report.first_bad_rows[0].line, 4);
  for (const bool high_first : {false, true}) {
    std::string wide;
    for (const char16_t unit : std::u16string(u"\uFEFFuser\titem\toverall\nZoë\t李🍕\t4\n")) {
      const char low = static_cast<char>(unit & 0xFF);
      const char high = static_cast<char>(unit >> 8);
      wide += high_first ? std::string{high, low} : std::string{low, high};
    }
    EXPECT_EQ(value(read(file("excel.txt", wide)).ratings, "Zoë", "李🍕", "overall"), 4);
    EXPECT_EQ(read(file("excel.txt", wide + "\xD8")).ratings.interactions(), 1U);
  }
}

TEST_F(OwnFiles, AFileThatIsNotUtf8SaysHowToConvertIt) {
  const Import in = read(file("w.csv", "user,item,overall\nJ\xf6rg,a,4\nann,a,3\n"));
  ASSERT_EQ(in.report.bad_rows, 1U);
  EXPECT_THAT(in.report.first_bad_rows[0].reason, HasSubstr("iconv -f windows-1252"));
}

TEST_F(OwnFiles, AnOverallRatingInWordsIsNotPassedOverInSilence) {
  const auto path = table("user,item,overall,food", 60, [](int k, Random& random) {
    return fmt::format("u{},i{},{},{}", k % 9, k, pick(random, {"good", "bad"}),
                       1 + random.below(5));
  });
  const ImportReport report = read(path).report;
  EXPECT_THAT(report.advice, Contains(HasSubstr("'overall' holds text")));
  EXPECT_THAT(report.advice, Contains(HasSubstr("'food' is taken")));
}

TEST_F(OwnFiles, TwoValuesAreAScale) {
  const auto path = table("user,item,rating", 400, [](int k, Random& random) {
    return fmt::format("u{},i{},{}", k % 20, k, random.below(2));
  });
  ReadOptions options;
  options.zero_is_missing = false;
  EXPECT_THAT(read(path, options).report.advice, IsEmpty());
}

TEST_F(OwnFiles, VotesThatHardlyAnybodyGivesAreNoCriteria) {
  const auto path = table("user_id,business_id,stars,useful,funny", 900, [](int k, Random& random) {
    const auto votes = [&] { return random.below(3) > 0 ? 0 : 1 + random.below(4) / 3; };
    return fmt::format("u{},b{},{},{},{}", k % 97, k % 89, 1 + random.below(5), votes(), votes());
  });
  const ImportReport report = read(path).report;
  EXPECT_THAT(report.criterion_columns, ElementsAre("stars"));
  EXPECT_THAT(reason(report, "useful"), HasSubstr("mostly 0 and 1"));
}

TEST_F(OwnFiles, ARowPerCriterionIsRecognised) {
  const auto path = table("user,item,aspect,rating", 600, [](int k, Random& random) {
    const char* const aspects[] = {"overall", "food", "service"};
    return fmt::format("u{},i{},{},{}", k / 3 % 20, k / 3, aspects[k % 3], 1 + random.below(5));
  });
  EXPECT_THAT(read(path).report.advice, Contains(HasSubstr("'aspect' tells them apart")));
}

TEST_F(OwnFiles, ErrorsSayHowToGoOn) {
  const auto hint = [&](const std::string& text) {
    return error_of([&] { (void)read(file("e.csv", text)); }).hint();
  };
  EXPECT_THAT(hint("1::12::5::978300760\n1::66::3::978302109\n"), HasSubstr("sed"));
  EXPECT_THAT(hint("196\t242\t3\t881250949\n186\t302\t3\t891717742\n"), HasSubstr("tab"));
  std::string bought = "user,item,bought\n";
  for (int k = 0; k < 30; ++k) bought += fmt::format("a{},x{},1\n", k, k % 7);
  EXPECT_THAT(hint(bought), HasSubstr("perhaps 'bought'"));
  EXPECT_THAT(hint("user,item\na,x\nb,y\n"), HasSubstr("a 1 in every row"));
  EXPECT_THAT(hint("Survey of May,,\nuser,item,overall\na,x,4\n"), HasSubstr("first line"));
  std::string wide = "user";
  std::string row = "a";
  for (int k = 0; k < 40; ++k) {
    wide += fmt::format(",i{}", k);
    row += fmt::format(",{}", 1 + k % 5);
  }
  EXPECT_THAT(hint(wide + "\n" + row + "\n"), HasSubstr("one row per rating"));
  const Import negative = read(file("n.csv", "user,item,overall\na,x,-2\na,y,2\n"));
  EXPECT_THAT(negative.report.first_bad_rows[0].reason, HasSubstr("add a number to all"));
}

TEST_F(OwnFiles, WhichOfSeveralRowsCountsIsSaidAsItIs) {
  const std::string rows = "user,item,overall\nu,i,1\nu,i,2\n";
  EXPECT_THAT(read(file("a.csv", rows)).report.text(), HasSubstr("the last row counts"));
  ReadOptions first;
  first.duplicates = Duplicates::first;
  EXPECT_THAT(read(file("a.csv", rows), first).report.text(), HasSubstr("the first row counts"));
}

TEST_F(OwnFiles, MostlyRepeatsMakeOneDoubtTheColumns) {
  const auto path = table("user,product,model,overall", 300, [](int k, Random&) {
    return fmt::format("u{},{},m{},4", k % 10, k % 20 < 10 ? "lamp" : "chair", k);
  });
  EXPECT_THAT(read(path).report.advice, Contains(HasSubstr("'product' the items?")));
}

TEST_F(OwnFiles, MessagesUseTheCallersNamesOfOptions) {
  ReadOptions options;
  options.names.user = "--who";
  EXPECT_THAT(
      error_of([&] { (void)read(file("a.csv", "x,item,overall\nu,i,4\n"), options); }).hint(),
      HasSubstr("--who"));
  options.user = "y";
  EXPECT_THAT(
      error_of([&] { (void)read(file("a.csv", "x,item,overall\nu,i,4\n"), options); }).message(),
      HasSubstr("--who"));
}

TEST_F(OwnFiles, ATableInMemoryIsGuessedAsAFileIs) {
  const ColumnRoles roles =
      guess_columns({"user", "film", "overall", "story", "seen"}, {{"a", "a", "b", "b"},
                                                                   {"f", "g", "f", "g"},
                                                                   {"4", "5", "3", "1"},
                                                                   {"4", "abc", "2", "5"},
                                                                   {"0", "1", "1", "0"}});
  EXPECT_EQ(roles.user, "user");
  EXPECT_EQ(roles.item, "film");
  EXPECT_EQ(roles.overall, "overall");
  EXPECT_THAT(roles.criteria, ElementsAre("story"));
  ASSERT_EQ(roles.ignored.size(), 1U);
  EXPECT_EQ(roles.ignored[0].name, "seen");
}

}  // namespace
}  // namespace palate::test
