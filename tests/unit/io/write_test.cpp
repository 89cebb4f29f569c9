// What is written can be read back as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "core/ratings_data.hpp"
#include "unit/io/temp_folder.hpp"

namespace palate::test {
namespace {

using ::testing::HasSubstr;

class Write : public TempFolder {};

void expect_equal(const Ratings& a, const Ratings& b) {
  ASSERT_EQ(a.users(), b.users());
  ASSERT_EQ(a.items(), b.items());
  ASSERT_EQ(a.interactions(), b.interactions());
  ASSERT_EQ(a.criteria().size(), b.criteria().size());
  for (std::size_t c = 0; c < a.criteria().size(); ++c) {
    EXPECT_EQ(a.criteria()[c].name, b.criteria()[c].name);
    EXPECT_EQ(a.criteria()[c].min, b.criteria()[c].min);
    EXPECT_EQ(a.criteria()[c].max, b.criteria()[c].max);
  }
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  for (std::uint32_t u = 0; u < a.users(); ++u) {
    EXPECT_EQ(a.user_id(u), b.user_id(u));
    EXPECT_TRUE(same(a.of(u).items, b.of(u).items));
    EXPECT_TRUE(same(a.of(u).values, b.of(u).values));
    EXPECT_TRUE(same(a.of(u).present, b.of(u).present));
    EXPECT_TRUE(same(a.of(u).times, b.of(u).times));
  }
  for (std::uint32_t i = 0; i < a.items(); ++i) EXPECT_EQ(a.item_id(i), b.item_id(i));
}

std::string random_text(Random& random, bool any_character) {
  const std::vector<std::string> plain = {
      "a", "B", "7", "-", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x8d\xba", " ", ";", "|", "'", "#"};
  const std::vector<std::string> odd = {",", "\"", "\n", "\r\n", "\t", "\"\"", "\r"};
  std::string out;
  for (std::uint64_t k = 1 + random.below(6); k > 0; --k) {
    const bool take_odd = any_character && random.below(4) == 0;
    out += take_odd ? odd[random.below(odd.size())] : plain[random.below(plain.size())];
  }
  return out;
}

Ratings random_ratings(Random& random, bool any_character, bool times) {
  RatingsBuilder builder({"overall", "taste", "a, \"b\""});
  for (int k = 0; k < 60; ++k) {
    std::vector<float> values(3);
    for (float& v : values) {
      v = random.below(4) == 0 ? NAN : static_cast<float>(1 + 4 * random.uniform());
    }
    if (std::isnan(values[0])) values[0] = 5;
    // The column is taken for a criterion on reading only if the first rows have it.
    if (k == 0) values = {5, 5, 5};
    const auto time = static_cast<std::int64_t>(1'000'000'000 + random.below(1'000'000));
    builder.add(random_text(random, any_character), random_text(random, any_character), values,
                times ? std::optional(time) : std::nullopt);
  }
  return builder.build();
}

TEST_F(Write, CsvRoundTrip) {
  Random random(1);
  for (int round = 0; round < 15; ++round) {
    const Ratings before = random_ratings(random, true, round % 2 == 0);
    for (const char* name : {"a.csv", "a.csv.gz"}) {
      write_csv(before, at(name));
      const Import after = read(at(name));
      EXPECT_EQ(after.report.bad_rows, 0U);
      expect_equal(before, after.ratings);
    }
  }
}

TEST_F(Write, InterRoundTrip) {
  Random random(2);
  for (int round = 0; round < 15; ++round) {
    const Ratings before = random_ratings(random, false, round % 2 == 0);
    write_inter(before, at("a.inter"));
    const Import after = read(at("a.inter"));
    EXPECT_EQ(after.report.bad_rows, 0U);
    expect_equal(before, after.ratings);
  }
}

TEST_F(Write, CsvIsWhatOneWouldWriteByHand) {
  RatingsBuilder builder({"overall", "taste"});
  const float nan = std::nanf("");
  builder.add("u", "b,1", std::vector<float>{4.5F, 0.0F}, 1000000000);
  builder.add("v", "b,1", std::vector<float>{0.1F, nan});
  builder.add("v", "c", std::vector<float>{nan, 3}, 5);
  builder.set_title("c", "Say \"hi\"");
  write_csv(builder.build(), at("a.csv"));
  EXPECT_EQ(content(at("a.csv")),
            "user,item,title,overall,taste,timestamp\n"
            "u,\"b,1\",,4.5,0,1000000000\n"
            "v,\"b,1\",,0.1,,\n"
            "v,c,\"Say \"\"hi\"\"\",,3,5\n");
}

TEST_F(Write, InterHeaderIsTyped) {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("u", "i", std::vector<float>{4, 3}, 7);
  write_inter(builder.build(), at("a.inter"));
  EXPECT_EQ(content(at("a.inter")),
            "user_id:token\titem_id:token\trating:float\ttaste:float\ttimestamp:float\n"
            "u\ti\t4\t3\t7\n");
}

TEST_F(Write, TitlesSurvive) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "i1", std::vector<float>{4});
  builder.add("u", "i2", std::vector<float>{3});
  builder.set_title("i1", "Caf\xc3\xa9, \"the\" bar");
  write_csv(builder.build(), at("a.csv"));
  const Ratings after = read(at("a.csv")).ratings;
  EXPECT_EQ(after.item_title(0), "Caf\xc3\xa9, \"the\" bar");
  EXPECT_EQ(after.item_title(1), "i2");
}

TEST_F(Write, InterRefusesATabAndLeavesNoFile) {
  RatingsBuilder builder({"overall"});
  builder.add("u\tv", "i", std::vector<float>{4});
  const Ratings ratings = builder.build();
  EXPECT_EQ(error_of([&] { write_inter(ratings, at("a.inter")); }).code(), ErrorCode::unsupported);
  EXPECT_FALSE(std::filesystem::exists(at("a.inter")));
  EXPECT_TRUE(std::filesystem::is_empty(at(".")));
}

TEST_F(Write, ColumnsOfOneNameAreRefused) {
  RatingsBuilder builder({"overall", "item"});
  builder.add("u", "i", std::vector<float>{4, 3});
  EXPECT_EQ(error_of([&] { write_csv(builder.build(), at("a.csv")); }).code(),
            ErrorCode::unsupported);
}

TEST_F(Write, FolderThatIsNotThere) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "i", std::vector<float>{4});
  EXPECT_EQ(error_of([&] { write_csv(builder.build(), at("no/a.csv")); }).code(), ErrorCode::io);
}

}  // namespace
}  // namespace palate::test
