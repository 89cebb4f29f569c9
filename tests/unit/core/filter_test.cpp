// Filters: their names, what may be written for them, and what they do to a frequency.
#include "palate/filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::thrown_by;

TEST(Filter, ResponsesOfTheThreeNamedOnes) {
  for (int step = 0; step <= 20; ++step) {
    const double x = 0.1 * step;
    EXPECT_NEAR(frequency_response(linear(), x), 1 - x, 1e-12);
    EXPECT_NEAR(frequency_response(inward(), x), (1 - x) * (1 - x), 1e-12);
    EXPECT_NEAR(frequency_response(outward(), x), 1 - x * x, 1e-12);
  }
}

TEST(Filter, ResponseOfAnyPolynomial) {
  const Filter filter{{0.5, 0, -0.25}, 1};
  for (const double x : {0.0, 0.3, 1.0, 1.7}) {
    const double y = 1 - x;
    EXPECT_NEAR(frequency_response(filter, x), 0.5 * y - 0.25 * y * y * y, 1e-12);
  }
}

TEST(Filter, NamedOnesPassWhatIsConstantAndStopWhatIsUnrelated) {
  for (const Filter& filter : {linear(), inward(), outward()}) {
    EXPECT_EQ(frequency_response(filter, 0), 1);
    EXPECT_EQ(frequency_response(filter, 1), 0);
  }
}

TEST(Filter, DefaultIsLinear) {
  EXPECT_EQ(Filter{}, linear());
  EXPECT_EQ(linear().power, 1);
  EXPECT_EQ(outward(0.85).power, 0.85);
}

TEST(FilterName, OfTheNamedOnesWhateverThePower) {
  EXPECT_EQ(filter_name(linear(0.6)), "linear");
  EXPECT_EQ(filter_name(inward(1.5)), "inward");
  EXPECT_EQ(filter_name(outward()), "outward");
}

TEST(FilterName, OfAListIsItsCoefficients) {
  EXPECT_EQ(filter_name({{0.71, 0.1, -0.01}, 1}), "0.71,0.1,-0.01");
  EXPECT_EQ(filter_name({{2}, 1}), "2");
}

TEST(ParseFilter, NamesLettersAndPowers) {
  EXPECT_EQ(parse_filter("linear"), linear());
  EXPECT_EQ(parse_filter("L"), linear());
  EXPECT_EQ(parse_filter("I:1.5"), inward(1.5));
  EXPECT_EQ(parse_filter("inward"), inward());
  EXPECT_EQ(parse_filter("outward:0.85"), outward(0.85));
  EXPECT_EQ(parse_filter("O"), outward());
}

TEST(ParseFilter, Coefficients) {
  EXPECT_EQ(parse_filter("0.71,0.1,-0.01"), (Filter{{0.71, 0.1, -0.01}, 1}));
  EXPECT_EQ(parse_filter("0.71,0.1,-0.01:0.7"), (Filter{{0.71, 0.1, -0.01}, 0.7}));
  EXPECT_EQ(parse_filter("1"), linear());
  EXPECT_EQ(parse_filter("2,-1"), outward());
}

TEST(ParseFilter, TakesWhatFilterNameGives) {
  for (const Filter& filter :
       {linear(), inward(), outward(), Filter{{1.0 / 3, -1e-9, 7}, 1}, Filter{{0, 0, 1}, 1}}) {
    EXPECT_EQ(parse_filter(filter_name(filter)), filter);
  }
}

TEST(ParseFilter, PowersFromAboveZeroToTwenty) {
  EXPECT_EQ(parse_filter("linear:20").power, 20);
  for (const char* text : {"linear:0", "linear:-1", "linear:20.5", "outward:1e9"}) {
    const Error error = thrown_by([&] { static_cast<void>(parse_filter(text)); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << text;
    EXPECT_THAT(error.message(), HasSubstr(text));
    EXPECT_THAT(error.hint(), HasSubstr("at most 20"));
  }
}

TEST(ParseFilter, AnythingElseIsAnErrorThatShowsTheForms) {
  for (const char* text : {"", ":", ":1", "linear:", "linear:fast", "lineal", "1,,2", "1,", ",1",
                           "1;2", "nan", "inf", "1,inf", "L:nan", "linear outward", "1 2", "0x1"}) {
    const Error error = thrown_by([&] { static_cast<void>(parse_filter(text)); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << text;
    EXPECT_THAT(error.hint(), HasSubstr("outward:0.85")) << text;
  }
}

}  // namespace
}  // namespace palate
