// What a reader makes of tables in each format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ratings_data.hpp"
#include "unit/io/temp_folder.hpp"

namespace palate::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReadTable : public TempFolder {};

TEST_F(ReadTable, CsvWithEverything) {
  const Import in = read(file("beers.csv",
                              "timestamp,taste,beer_name,overall,beer_id,aroma,user\n"
                              "100000000,4.5,Pils,4,b1,3,anna\n"
                              "100000001,,Stout,5,b2,2.5,anna\n"
                              "100000002,1,Pils,2,b1,,bert\n"));
  const Ratings& r = in.ratings;
  EXPECT_EQ(r.users(), 2U);
  EXPECT_EQ(r.items(), 2U);
  EXPECT_EQ(r.interactions(), 3U);
  ASSERT_EQ(r.criteria().size(), 3U);
  EXPECT_EQ(r.criteria()[0].name, "overall");
  EXPECT_EQ(value(r, "anna", "b1", "taste"), 4.5F);
  EXPECT_EQ(value(r, "anna", "b2", "taste"), -1);
  EXPECT_EQ(value(r, "bert", "b1", "overall"), 2);
  EXPECT_EQ(value(r, "bert", "b1", "aroma"), -1);
  EXPECT_EQ(r.item_title(*r.find_item("b2")), "Stout");
  EXPECT_EQ(r.of(*r.find_user("bert")).times[0], 100000002);
  EXPECT_EQ(r.criteria()[0].min, 2);
  EXPECT_EQ(r.criteria()[0].max, 5);
  EXPECT_EQ(in.report.format, "csv");
  EXPECT_THAT(in.report.criterion_columns, ElementsAre("overall", "taste", "aroma"));
  EXPECT_EQ(in.report.empty_as_missing, 2U);
  EXPECT_TRUE(in.report.guessed);
  EXPECT_FALSE(in.test.has_value());
}

TEST_F(ReadTable, QuotesNewlinesCrlfAndByteOrderMark) {
  const Import in = read(file("a.csv",
                              "\xef\xbb\xbf\"user\",item,\"overall\"\r\n"
                              "\"a,b\",\"say \"\"hi\"\"\",4\r\n"
                              "\"two\nlines\",x,3\r\n"
                              "\r\n"
                              " spaced , \" kept \" , 5 \r\n"
                              "last,x,2"));
  EXPECT_EQ(in.report.rows, 4U);
  EXPECT_EQ(in.report.bad_rows, 0U);
  EXPECT_EQ(value(in.ratings, "a,b", "say \"hi\"", "overall"), 4);
  EXPECT_EQ(value(in.ratings, "two\nlines", "x", "overall"), 3);
  EXPECT_EQ(value(in.ratings, "spaced", " kept ", "overall"), 5);
  EXPECT_EQ(value(in.ratings, "last", "x", "overall"), 2);
}

TEST_F(ReadTable, DelimitersAreGuessed) {
  for (const std::string d : {",", ";", "\t", "|"}) {
    const Import in = read(file("a.txt", "user" + d + "item" + d + "rating\n" + "u" + d + "i" + d +
                                             "4\n" + "\"v" + d + "w\"" + d + "i" + d + "3\n"));
    EXPECT_EQ(value(in.ratings, "u", "i", "overall"), 4) << d;
    EXPECT_EQ(value(in.ratings, "v" + d + "w", "i", "overall"), 3) << d;
  }
  EXPECT_EQ(read(file("a.tsv", "user\titem\trating\nu\ti\t4\n")).report.format, "tsv");
  ReadOptions options;
  options.delimiter = '#';
  EXPECT_EQ(read(file("b.csv", "user#item#rating\nu#i#4\n"), options).ratings.interactions(), 1U);
}

TEST_F(ReadTable, Inter) {
  const Import in = read(file("x.inter",
                              "user_id:token\titem_id:token\trating:float\tservice:float\t"
                              "timestamp:float\tcity:token\n"
                              "u \"1\"\ti1\t4.5\t3\t8.5e8\t7\n"
                              "u2\ti1\t2\t\t850000001.0\t8\n"));
  EXPECT_EQ(in.report.format, "inter");
  EXPECT_EQ(value(in.ratings, "u \"1\"", "i1", "overall"), 4.5F);
  EXPECT_EQ(value(in.ratings, "u \"1\"", "i1", "service"), 3);
  EXPECT_EQ(value(in.ratings, "u2", "i1", "service"), -1);
  EXPECT_EQ(in.ratings.of(0).times[0], 850000000);
  EXPECT_THAT(ignored(in.report), ElementsAre("city"));
  EXPECT_EQ(in.report.user_column, "user_id");
}

TEST_F(ReadTable, JsonLines) {
  const Import in = read(file(
      "x.jsonl",
      "{\"user\": \"\\u00fc1\", \"item\": 17, \"ratings\": {\"overall\": 4, \"service\": 3.5}, "
      "\"tags\": [1, {\"user\": 2}]}\n"
      "\n"
      "{\"item\": 18, \"ratings\": {\"service\": null, \"overall\": \"5\"}, \"user\": \"b\"}\n"));
  EXPECT_EQ(in.report.format, "jsonl");
  EXPECT_EQ(in.report.rows, 2U);
  EXPECT_EQ(value(in.ratings,
                  "\xc3\xbc"
                  "1",
                  "17", "overall"),
            4);
  EXPECT_EQ(value(in.ratings,
                  "\xc3\xbc"
                  "1",
                  "17", "service"),
            3.5F);
  EXPECT_EQ(value(in.ratings, "b", "18", "overall"), 5);
  EXPECT_EQ(value(in.ratings, "b", "18", "service"), -1);
}

TEST_F(ReadTable, JsonColumnThatComesLateIsFoundWhenNamedAndMentionedWhenNot) {
  std::string text;
  for (int k = 0; k < 1100; ++k) {
    text += "{\"user\":\"u" + std::to_string(k) + "\",\"item\":\"i\",\"overall\":4" +
            (k > 1050 ? ",\"service\":3}\n" : "}\n");
  }
  const auto path = file("x.jsonl", text);
  const Import guessed = read(path);
  EXPECT_EQ(guessed.ratings.criteria().size(), 1U);
  EXPECT_THAT(guessed.report.text(), HasSubstr("service"));
  ReadOptions options;
  options.criteria = {"service"};
  EXPECT_EQ(value(read(path, options).ratings, "u1090", "i", "service"), 3);
}

TEST_F(ReadTable, BadJsonLinesAreBadRows) {
  const Import in = read(file("x.jsonl",
                              "{\"user\":\"u\",\"item\":\"i\",\"overall\":4}\n"
                              "{\"user\":\"u\",\"item\":\n"
                              "[1,2]\n"
                              "7\n"
                              "{\"user\":\"v\",\"item\":\"i\",\"overall\":[4]}\n"));
  EXPECT_EQ(in.ratings.interactions(), 1U);
  ASSERT_EQ(in.report.first_bad_rows.size(), 4U);
  EXPECT_EQ(in.report.first_bad_rows[0].line, 2);
  EXPECT_THAT(in.report.first_bad_rows[0].reason, HasSubstr("not valid JSON"));
  EXPECT_THAT(in.report.first_bad_rows[1].reason, HasSubstr("not a JSON object"));
  EXPECT_THAT(in.report.first_bad_rows[2].reason, HasSubstr("not a JSON object"));
  EXPECT_THAT(in.report.first_bad_rows[3].reason, HasSubstr("no rating"));
}

TEST_F(ReadTable, GzipOfEachFormat) {
  EXPECT_EQ(read(gzip_file("a.csv.gz", "user,item,rating\nu,i,4\n")).report.format, "csv (gzip)");
  EXPECT_EQ(read(gzip_file("a.inter.gz", "user_id:token\titem_id:token\trating:float\nu\ti\t4\n"))
                .report.format,
            "inter (gzip)");
  // Recognised by content, not by name.
  const Import in = read(gzip_file("a.data", "{\"user\":1,\"item\":2,\"rating\":3}\n"));
  EXPECT_EQ(in.report.format, "jsonl (gzip)");
  EXPECT_EQ(value(in.ratings, "1", "2", "overall"), 3);
}

TEST_F(ReadTable, GzipMembersInARow) {
  const std::string one = content(gzip_file("a.gz", "user,item,rating\nu,i,4\n"));
  const std::string two = content(gzip_file("b.gz", "v,i,5\n"));
  EXPECT_EQ(read(file("c.csv.gz", one + two)).ratings.interactions(), 2U);
}

TEST_F(ReadTable, TimesInSeveralForms) {
  const Import in = read(file("a.csv",
                              "user,item,overall,date\n"
                              "u,1,4,2012-05-01\n"
                              "u,2,4,2012-05-01T10:30:00Z\n"
                              "u,3,4,2012-05-01 10:30:00.5+02:00\n"
                              "u,4,4,1335830400000\n"
                              "u,5,4,1335830400\n"
                              "u,6,4,\n"
                              "u,7,4,2012-02-30\n"
                              "u,8,4,yesterday\n"));
  const auto times = in.ratings.of(0).times;
  EXPECT_THAT(std::vector<std::int64_t>(times.begin(), times.end()),
              ElementsAre(1335830400, 1335868200, 1335861000, 1335830400, 1335830400, no_time));
  ASSERT_EQ(in.report.bad_rows, 2U);
  EXPECT_THAT(in.report.first_bad_rows[0].reason, HasSubstr("not a time: \"2012-02-30\""));
  EXPECT_EQ(in.report.first_bad_rows[0].field, "date");
  EXPECT_EQ(in.report.first_bad_rows[0].column, 4);
}

TEST_F(ReadTable, ZeroIsMissingOrARating) {
  const auto path = file("a.csv", "user,item,overall,taste\nu,i,4,0\nv,i,0.0,3\n");
  const Import missing = read(path);
  EXPECT_EQ(value(missing.ratings, "u", "i", "taste"), -1);
  EXPECT_EQ(missing.report.zeros_as_missing, 2U);
  EXPECT_THAT(missing.report.missing_rule, HasSubstr("literal 0 "));
  ReadOptions options;
  options.zero_is_missing = false;
  const Import kept = read(path, options);
  EXPECT_EQ(value(kept.ratings, "u", "i", "taste"), 0);
  EXPECT_EQ(value(kept.ratings, "v", "i", "overall"), 0);
  EXPECT_EQ(kept.report.zeros_as_missing, 0U);
  EXPECT_THAT(kept.report.missing_rule, HasSubstr("a literal 0 is a rating of 0"));
}

TEST_F(ReadTable, MissingWords) {
  const auto path = file("a.csv",
                         "user,item,overall,taste\n"
                         "u,1,4,NA\nu,2,4,NaN\nu,3,4,-\nu,4,4,-1.0\nu,5,4,?\n");
  ReadOptions options;
  options.missing_words.push_back("-1");
  options.missing_words.push_back("?");
  options.criteria = {"taste"};
  const Import in = read(path, options);
  EXPECT_EQ(in.report.bad_rows, 0U);
  EXPECT_EQ(in.report.empty_as_missing, 5U);
  EXPECT_EQ(in.ratings.ratings_of(1), 0U);
}

TEST_F(ReadTable, DuplicatesByRule) {
  const auto path = file("a.csv", "user,item,overall\nu,i,1\nu,i,2\nu,i,3\nv,i,5\n");
  const auto with = [&](Duplicates rule) {
    ReadOptions options;
    options.duplicates = rule;
    return read(path, options);
  };
  EXPECT_EQ(value(with(Duplicates::last).ratings, "u", "i", "overall"), 3);
  EXPECT_EQ(value(with(Duplicates::first).ratings, "u", "i", "overall"), 1);
  EXPECT_EQ(value(with(Duplicates::mean).ratings, "u", "i", "overall"), 2);
  EXPECT_EQ(with(Duplicates::last).report.duplicates, 2U);
  EXPECT_EQ(with(Duplicates::last).report.kept, 2U);
  const Error error = error_of([&] { (void)with(Duplicates::error); });
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("a.csv"));
}

TEST_F(ReadTable, TitlesFromASecondFile) {
  const auto ratings = file("a.csv", "user,item,overall\nu,1,4\nu,2,3\n");
  ReadOptions options;
  options.items_file = file("a.item", "item_id:token\tmovie_title:token_seq\n1\tHeat\n3\tAlien\n");
  const Import in = read(ratings, options);
  EXPECT_EQ(in.ratings.items(), 3U);
  EXPECT_EQ(in.ratings.item_title(*in.ratings.find_item("1")), "Heat");
  EXPECT_EQ(in.ratings.item_title(*in.ratings.find_item("2")), "2");
  EXPECT_EQ(in.ratings.item_title(*in.ratings.find_item("3")), "Alien");
  EXPECT_EQ(in.report.files.size(), 2U);

  options.items_file = file("b.csv", "nr,what\n2,Up\n");
  EXPECT_EQ(error_of([&] { (void)read(ratings, options); }).code(), ErrorCode::bad_input);
  options.items_id = "nr";
  options.items_title = "what";
  EXPECT_EQ(read(ratings, options).ratings.item_title(1), "Up");
}

TEST_F(ReadTable, ProgressIsToldAndCanStop) {
  const auto path = file("a.csv", "user,item,overall\nu,i,4\n");
  std::uint64_t last = 0;
  RunOptions run;
  run.progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(stage, "read");
    EXPECT_LE(done, total);
    last = done;
    return true;
  };
  (void)read(path, {}, run);
  EXPECT_EQ(last, std::filesystem::file_size(path));
  run.progress = [](std::string_view, std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(error_of([&] { (void)read(path, {}, run); }).code(), ErrorCode::cancelled);
}

TEST_F(ReadTable, FurtherFileAgainstAKnownCatalogue) {
  const Ratings train =
      read(file("train.csv", "user,item,overall,taste,aroma\nu,10,4,3,2\nv,9,5,,1\nw,x,2,1,1\n"))
          .ratings;
  const Import in = read_like(train, file("test.csv",
                                          "aroma,item,user,overall\n"
                                          "5,9,u,3\n"
                                          "4,10,u,2\n"
                                          "4,10,stranger,2\n"
                                          "4,nothing,u,2\n"));
  EXPECT_EQ(in.ratings.users(), train.users());
  EXPECT_EQ(in.ratings.items(), train.items());
  EXPECT_EQ(in.ratings.interactions(), 2U);
  EXPECT_EQ(in.ratings.shared_data()->catalogue, train.shared_data()->catalogue);
  EXPECT_EQ(value(in.ratings, "u", "9", "aroma"), 5);
  EXPECT_EQ(value(in.ratings, "u", "9", "taste"), -1);
  EXPECT_EQ(value(in.ratings, "u", "10", "overall"), 2);
  EXPECT_THAT(in.report.notes, ::testing::Contains(HasSubstr("1 of unknown users")));
  EXPECT_THAT(in.report.notes, ::testing::Contains(HasSubstr("taste")));
  EXPECT_EQ(error_of([&] { (void)read_like(train, at(".")); }).code(), ErrorCode::unsupported);
}

TEST_F(ReadTable, ReportIsReadable) {
  const Import in = read(file("a.csv", "user,item,overall,comment\nu,i,4,good\nu,j,bad,x\n"));
  const std::string text = in.report.text();
  for (const char* part :
       {"a.csv", "user", "overall", "comment", "2 read, 1 (user, item) pair kept", "1 set aside",
        "line 3", "not a number: \"bad\"", "not rated"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace palate::test
