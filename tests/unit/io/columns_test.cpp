// Which column is taken for what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/temp_folder.hpp"

namespace palate::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Columns : public TempFolder {};

TEST_F(Columns, BeerAdvocate) {
  const ImportReport report =
      read(file("beer.csv",
                "brewery_id,brewery_name,review_time,review_overall,review_aroma,"
                "review_appearance,review_profilename,beer_style,review_palate,review_taste,"
                "beer_name,beer_abv,beer_beerid\n"
                "10325,Vecchio,1234817823,1.5,2,2.5,stcules,Hefeweizen,1.5,1.5,Sausa,5,47986\n"
                "10325,Vecchio,1235915097,3,2.5,3,stcules,Ale,3,3,Red Moon,6.2,48213\n"
                "1075,Caldera,1325524659,4,4,4,jon,IPA,4,4.5,Cauldron,7.7,64883\n"))
          .report;
  EXPECT_EQ(report.user_column, "review_profilename");
  EXPECT_EQ(report.item_column, "beer_beerid");
  EXPECT_EQ(report.title_column, "beer_name");
  EXPECT_EQ(report.time_column, "review_time");
  EXPECT_THAT(report.criterion_columns,
              ElementsAre("review_overall", "review_aroma", "review_appearance", "review_palate",
                          "review_taste"));
  EXPECT_THAT(ignored(report), ElementsAre("brewery_id", "brewery_name", "beer_style", "beer_abv"));
}

TEST_F(Columns, HotelReviewsWithAReviewTitle) {
  const Import in =
      read(file("hotel.csv",
                "Hotel ID,Reviewer,title,date,Overall,Value,Business,num_helpful_votes,id\n"
                "h1,ann,Lovely stay,\"December 17, 2012\",5,4,3,12,900001\n"
                "h1,bob,Never again,\"December 18, 2012\",1,2,,0,900002\n"
                "h2,bob,Fine,\"December 19, 2012\",3,3,4,1,900003\n"));
  EXPECT_EQ(in.report.item_column, "Hotel ID");
  EXPECT_EQ(in.report.user_column, "Reviewer");
  EXPECT_EQ(in.report.title_column, "");
  EXPECT_EQ(in.report.time_column, "");
  EXPECT_THAT(in.report.criterion_columns, ElementsAre("Overall", "Value", "Business"));
  EXPECT_THAT(in.report.notes, Contains(HasSubstr("'title' differs")));
  EXPECT_THAT(in.report.notes, Contains(HasSubstr("'date' holds no times")));
  EXPECT_EQ(in.ratings.criteria()[0].name, "overall");
}

TEST_F(Columns, AnotherScaleIsACriterionButAMeasureIsNot) {
  const ImportReport report = read(file("a.csv",
                                        "user,item,rating,speed,grams,row\n"
                                        "u,1,4,8,21.7,0\nu,2,3,10,13.2,1\nu,3,5,7.5,50.1,2\n"
                                        "u,4,5,7.5,50.1,3\n"))
                                  .report;
  EXPECT_THAT(report.criterion_columns, ElementsAre("rating", "speed"));
  EXPECT_THAT(ignored(report), ElementsAre("grams", "row"));
}

TEST_F(Columns, NamedColumnsWin) {
  ReadOptions options{.user = "b", .item = "a", .overall = "x"};
  options.criteria = {"y"};
  const Import in = read(file("n.csv", "user,a,b,x,y,z\nq,i,u,4,3,2\n"), options);
  EXPECT_EQ(value(in.ratings, "u", "i", "overall"), 4);
  EXPECT_EQ(value(in.ratings, "u", "i", "y"), 3);
  EXPECT_FALSE(in.ratings.find_criterion("z"));
  EXPECT_THAT(ignored(in.report), ElementsAre("user", "z"));
  EXPECT_FALSE(in.report.guessed);
}

TEST_F(Columns, ReportSaysWhichPartWasGuessed) {
  const ReadOptions options{.user = "who"};
  const Import in = read(file("a.csv", "who,item,overall,taste\nu,i,4,3\n"), options);
  EXPECT_TRUE(in.report.guessed);
  EXPECT_THAT(in.report.notes, Contains("guessed, not named: item, overall, criteria"));
}

TEST_F(Columns, UnknownNameListsTheColumnsAndTheNearest) {
  ReadOptions options;
  options.criteria = {"tastee"};
  const Error error =
      error_of([&] { (void)read(file("a.csv", "user,beer,overall,Taste\nu,i,4,3\n"), options); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_THAT(error.message(), HasSubstr("user, beer, overall, Taste"));
  EXPECT_THAT(error.hint(), HasSubstr("did you mean 'Taste'"));
}

TEST_F(Columns, OneColumnCannotBeTwoThings) {
  ReadOptions options{.user = "item", .item = "item"};
  EXPECT_EQ(
      error_of([&] { (void)read(file("a.csv", "user,item,overall\nu,i,4\n"), options); }).code(),
      ErrorCode::usage);
}

TEST_F(Columns, OverallAloneIsAllowedAndNoted) {
  const Import in = read(file("a.csv", "user,item,stars\nu,i,4\n"));
  EXPECT_EQ(in.ratings.criteria().size(), 1U);
  EXPECT_THAT(in.report.notes, Contains(HasSubstr("no further criterion")));
}

TEST_F(Columns, NoRatingColumn) {
  const Error error = error_of([&] { (void)read(file("a.csv", "user,item,comment\nu,i,good\n")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("no rating column"));
  EXPECT_THAT(error.message(), HasSubstr("comment"));
}

TEST_F(Columns, SeveralRatingsAndNoneKnownAsOverall) {
  const Error error =
      error_of([&] { (void)read(file("a.csv", "user,item,taste,smell\nu,i,4,3\n")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.hint(), HasSubstr("'taste'"));
}

TEST_F(Columns, NoUserOrNoItemColumn) {
  EXPECT_THAT(error_of([&] { (void)read(file("a.csv", "x,item,overall\nu,i,4\n")); }).message(),
              HasSubstr("users; there are: x, item, overall"));
  EXPECT_THAT(error_of([&] { (void)read(file("b.csv", "user,x,overall\nu,i,4\n")); }).message(),
              HasSubstr("items"));
}

TEST_F(Columns, SameNameTwice) {
  const Error error =
      error_of([&] { (void)read(file("a.csv", "user,item,overall,overall\nu,i,4,3\n")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("'overall'"));
}

TEST_F(Columns, HeaderWithoutNames) {
  const Error error = error_of([&] { (void)read(file("u.data", "196\t242\t3\t881250949\n")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("first line holds data"));
}

}  // namespace
}  // namespace palate::test
