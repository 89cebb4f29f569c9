// Bad rows and bad files: named, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <system_error>

#include "base/random.hpp"
#include "unit/io/temp_folder.hpp"

namespace palate::test {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

class BadInput : public TempFolder {
 protected:
  Error error_for(const std::string& name, std::string_view text, const ReadOptions& options = {}) {
    return error_of([&] { (void)read(file(name, text), options); });
  }
};

TEST_F(BadInput, EachBadRowSaysWhereAndWhy) {
  const Import in = read(file("a.csv",
                              "user,item,overall,taste\n"
                              "u,i,4,3\n"             // 2
                              "\"x\ny\",i,4,3\n"      // 3, two lines
                              "u,i\n"                 // 5
                              "u,i,four,3\n"          // 6
                              "u,i,4,-1\n"            // 7
                              "u,i,inf,3\n"           // 8
                              "u,i,1e99,3\n"          // 9
                              ",i,4,3\n"              // 10
                              "u,,4,3\n"              // 11
                              "\xff\xfe,i,4,3\n"      // 12
                              "u,i,,\n"               // 13
                              "\"u\"z,i,4,3\n"        // 14
                              "u,i,\"4,555\",3\n"));  // 15
  EXPECT_EQ(in.report.rows, 13U);
  EXPECT_EQ(in.report.kept, 2U);
  struct Expected {
    std::int64_t line;
    int column;
    std::string field, reason;
  };
  const std::vector<Expected> expected = {
      {5, 0, "", "2 fields where the header has 4"},
      {6, 3, "overall", "not a number: \"four\""},
      {7, 4, "taste", "negative: \"-1\""},
      {8, 3, "overall", "not finite: \"inf\""},
      {9, 3, "overall", "not finite: \"1e99\""},
      {10, 1, "user", "empty user id"},
      {11, 2, "item", "empty item id"},
      {12, 1, "user", "invalid UTF-8"},
      {13, 0, "", "no rating in the row"},
      {14, 1, "user", "text after the closing quote"},
      {15, 3, "overall", "not a number: \"4,555\""},
  };
  ASSERT_EQ(in.report.bad_rows, expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const BadRow& row = in.report.first_bad_rows[k];
    EXPECT_EQ(row.line, expected[k].line);
    EXPECT_EQ(row.column, expected[k].column);
    EXPECT_EQ(row.field, expected[k].field);
    EXPECT_THAT(row.reason, HasSubstr(expected[k].reason));
    EXPECT_THAT(row.file, HasSubstr("a.csv"));
  }
}

TEST_F(BadInput, InvalidUtf8InAnIgnoredColumnDoesNotMatter) {
  EXPECT_EQ(read(file("a.csv", "user,item,overall,text\nu,i,4,caf\xe9\n")).report.bad_rows, 0U);
}

TEST_F(BadInput, StrictThrowsAtTheFirst) {
  ReadOptions options;
  options.strict = true;
  const Error error = error_for("a.csv", "user,item,overall\nu,i,4\nu,j,x\nu,k,y\n", options);
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_EQ(error.where().line, 3);
  EXPECT_EQ(error.where().column, 3);
  EXPECT_EQ(error.where().field, "overall");
  EXPECT_THAT(error.message(), HasSubstr("\"x\""));
}

TEST_F(BadInput, TooManyBadRows) {
  const std::string text = "user,item,overall\nu,i,4\nu,j,x\nu,k,y\n";
  ReadOptions options;
  options.max_bad_rows = 2;
  EXPECT_EQ(read(file("a.csv", text), options).report.bad_rows, 2U);
  options.max_bad_rows = 1;
  const Error error = error_for("a.csv", text, options);
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("more than 1 bad rows"));
}

TEST_F(BadInput, NoGoodRowAtAll) {
  const Error error = error_for("a.csv", "user,item,overall\nu,i,x\nu,j,y\n");
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("none of the 2 rows"));
  EXPECT_EQ(error.where().line, 2);
}

TEST_F(BadInput, EmptyAndHeaderOnly) {
  for (const char* text : {"", "\n\n", "\xef\xbb\xbf"}) {
    const Error error = error_for("a.csv", text);
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("empty"));
  }
  const Error error = error_for("a.csv", "user,item,overall\n");
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("no row"));
  EXPECT_EQ(error_of([&] { (void)read(gzip_file("a.csv.gz", "")); }).code(), ErrorCode::bad_input);
}

TEST_F(BadInput, UnterminatedQuoteIsACutOffFile) {
  const Error error = error_for("a.csv", "user,item,overall\nu,i,4\n\"v,i,3\nw,i,2\n");
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("cut off"));
  EXPECT_EQ(error.where().line, 3);
}

TEST_F(BadInput, ForeignAndBinaryFiles) {
  struct Case {
    std::string content, says;
  };
  for (const Case& c : std::vector<Case>{{"PK\x03\x04rest", "zip"},
                                         {"PAR1....", "Parquet"},
                                         {"\x93NUMPY\x01", "NumPy"},
                                         {"\xff\xfe\x01\0\x02\0\x03\0"s, "binary"},
                                         {"user,item\0,overall\n"s, "binary"},
                                         {"\x01\x02\x03\x04\x05\x06\x07", "binary"},
                                         {"user,item,overall\ru,i,4\r", "carriage return"},
                                         {"BZh91AY", "bzip2"}}) {
    const Error error = error_for("a.csv", c.content);
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << c.says;
    EXPECT_THAT(error.message(), HasSubstr(c.says));
    EXPECT_FALSE(error.hint().empty()) << c.says;
  }
  EXPECT_THAT(error_for("a.json", "[{\"user\":1}]").message(), HasSubstr("JSON array"));
  EXPECT_THAT(error_for("a.csv", "nothing\nhere\n").message(), HasSubstr("one column"));
}

TEST_F(BadInput, FileLargerThanMemory) {
  const std::filesystem::path path = file("a.csv", "user,item,overall\n");
  std::error_code refused;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43,
                               refused);  // takes no room on the disk
  if (refused) GTEST_SKIP() << "this file system has no files of 8 TB";
  EXPECT_EQ(error_of([&] { (void)read(path); }).code(), ErrorCode::too_large);
}

TEST_F(BadInput, MoreTextThanAskedFor) {
  std::string text = "user,item,overall\n";
  for (int k = 0; k < 2000; ++k) text += "a,b,3\n";
  for (const auto& path : {file("a.csv", text), gzip_file("a.csv.gz", text)}) {
    const Error error = error_of([&] { (void)read(path, {.max_bytes = text.size() - 1}); });
    EXPECT_EQ(error.code(), ErrorCode::too_large) << path;
    EXPECT_EQ(read(path, {.max_bytes = text.size()}).report.rows, 2000U) << path;
  }
}

TEST_F(BadInput, FilesThatCannotBeRead) {
  EXPECT_EQ(error_of([&] { (void)read(at("absent.csv")); }).code(), ErrorCode::io);
  ReadOptions options;
  options.format = Format::csv;
  EXPECT_EQ(error_of([&] { (void)read(at("."), options); }).code(), ErrorCode::io);
}

TEST_F(BadInput, AGzipStreamThatUnpacksToFarMoreThanItsSizeIsRefused) {
  const std::string text = "user,item,rating\n" + std::string(100'000'000, '\n');
  const Error error = error_of([&] { (void)read(gzip_file("bomb.csv.gz", text)); });
  EXPECT_EQ(error.code(), ErrorCode::too_large);
  EXPECT_THAT(error.message(), HasSubstr("unpacks to more than 200 times"));
}

TEST_F(BadInput, CutGzipAtEveryLength) {
  std::string text = "user,item,overall\n";
  for (int k = 0; k < 20; ++k) text += "u" + std::to_string(k) + ",i,4\n";
  const std::string packed = content(gzip_file("a.csv.gz", text));
  for (std::size_t length = 2; length < packed.size(); ++length) {
    const Error error = error_for("b.csv.gz", packed.substr(0, length));
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << length;
    EXPECT_THAT(error.message(), HasSubstr("cut off")) << length;
  }
  std::string flipped = packed;
  flipped[packed.size() - 6] = static_cast<char>(flipped[packed.size() - 6] ^ 0x10);
  EXPECT_THAT(error_for("c.csv.gz", flipped).message(), HasSubstr("damaged"));
  EXPECT_THAT(error_for("d.csv.gz", packed + "more").message(), HasSubstr("other data"));
}

TEST_F(BadInput, DelimiterThatCannotBe) {
  ReadOptions options;
  options.delimiter = '"';
  EXPECT_EQ(error_for("a.csv", "user,item,overall\nu,i,4\n", options).code(), ErrorCode::usage);
}

// Whatever stands in the file: ratings or one palate::Error, nothing else.
TEST_F(BadInput, RandomGarbageNeverCrashes) {
  Random random(7);
  const std::vector<std::string> pieces = {"user",
                                           "item",
                                           "overall",
                                           ",",
                                           "\t",
                                           "\"",
                                           "\n",
                                           "\r\n",
                                           "4",
                                           "-1",
                                           "1e99",
                                           "{",
                                           "}",
                                           ":",
                                           "[",
                                           "\xff",
                                           "\xe2\x82\xac",
                                           "null",
                                           "user_id:token",
                                           ":float",
                                           ";",
                                           "|",
                                           " ",
                                           "\"\"",
                                           "0.5"};
  std::size_t errors = 0;
  for (int round = 0; round < 600; ++round) {
    std::string text = round % 3 == 0 ? "user,item,overall\nu,i,4\n" : "";
    for (std::uint64_t k = random.below(60); k > 0; --k)
      text += pieces[random.below(pieces.size())];
    const char* names[] = {"g.csv", "g.tsv", "g.inter", "g.jsonl", "g.txt"};
    try {
      (void)read(file(names[round % 5], text)).report.text();
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal);
      ++errors;
    }
  }
  EXPECT_GT(errors, 0U);
}

}  // namespace
}  // namespace palate::test
