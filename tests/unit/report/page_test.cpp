// The page as a document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "report/report.hpp"
#include "unit/report/check_page.hpp"

namespace palate::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace palate::testing;

// A page with every section in it.
std::string full_page(const Ratings& ratings, const Method& method = CaGf{}) {
  const Split parts = split(ratings, {.test = 0.3, .seed = 2});
  Choice choice;
  choice.method = method;
  choice.steps = {{"<food>: outward", 0.2, 0.1, 0.01, true},
                  {"<food>: inward", 0.1, -0.1, 0.01, false}};
  choice.without = {{"<food>: linear", 0.18, -0.02, 0.01, false}};
  choice.against = {{"<popularity>", 0, 0.2, 0.01, false}};
  const Model model = fit(parts.train, choice);
  const Model popular = fit(parts.train, Method("popularity"));
  std::vector<Evaluation> evaluations = {evaluate(model, parts.test),
                                         evaluate(popular, parts.test)};
  evaluations[0].name = "model";
  evaluations[1].name = "popularity";
  const std::vector<Difference> differences = compare(evaluations, {.resamples = 50});
  ImportReport import;
  import.files = {"a <b>.csv"};
  import.bad_rows = 1;
  import.first_bad_rows = {{ "a <b>.csv", 3, 2, "<i>", "\"<x>\" is not a number" }};
  return report_html({.title = "A <small> \"town\"",
                      .ratings = &parts.train,
                      .test = &parts.test,
                      .model = &model,
                      .import = &import,
                      .evaluations = evaluations,
                      .differences = differences,
                      .users = {}});
}

// Ids, titles and criteria that would do harm if they were taken for markup.
Ratings hostile_ratings() {
  const std::array<std::string, 4> items = {"<script>alert(1)</script>", "</script><b>", "' \"&",
                                            "\u2028\u202E<!--"};
  RatingsBuilder builder({"<overall>", "a\"b"});
  for (int u = 0; u < 12; ++u) {
    const std::string user = "<u" + std::to_string(u) + ">";
    for (int i = 0; i < 12; ++i) {
      if ((u * 7 + i * 5) % 3 == 0) continue;
      const std::string item = items[static_cast<std::size_t>(i) % 4] + std::to_string(i);
      const std::array<float, 2> values = {static_cast<float>(1 + (u + i) % 5),
                                           static_cast<float>(1 + (u * i) % 5)};
      builder.add(user, item, values);
      builder.set_title(item, "<script>alert(1)</script>" + item);
    }
  }
  return builder.build();
}

TEST(ReportPage, IsWellFormed) {
  EXPECT_EQ(page_fault(full_page(small_town())), "");
  EXPECT_EQ(page_fault(full_page(small_town(), Method("popularity"))), "");
  EXPECT_EQ(page_fault(full_page(small_town(), Method("item-knn"))), "");
  EXPECT_EQ(page_fault(full_page(small_town(), Method("adaptive"))), "");
}

TEST(ReportPage, TheCheckerSeesFaults) {
  EXPECT_NE(page_fault("<!DOCTYPE html><p><b></p></b>"), "");
  EXPECT_NE(page_fault("<!DOCTYPE html><p>"), "");
  EXPECT_NE(page_fault("<!DOCTYPE html><p id=\"a\"></p><p id=\"a\"></p>"), "");
  EXPECT_EQ(page_fault("<!DOCTYPE html><p id=\"a\"><br></p>"), "");
}

TEST(ReportPage, RefersToNothingOutside) {
  const std::string page = full_page(small_town());
  for (const char* outside : {"http:", "https:", "src=", "url(", "@import", "<link", "fetch("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(ReportPage, TakesNothingFromTheDataForMarkup) {
  const std::string page = full_page(hostile_ratings());
  EXPECT_EQ(page_fault(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<overall>")));
  EXPECT_THAT(page, Not(HasSubstr("<food>")));
  EXPECT_THAT(page, Not(HasSubstr("<small> ")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("A &lt;small&gt; &quot;town&quot;"));
}

TEST(ReportPage, NeverShowsWhatIsNotANumber) {
  for (const Method& method : {Method(CaGf{}), Method("popularity"), Method("adaptive")}) {
    const std::string page = full_page(small_town(), method);
    for (const char* word : {"NaN", "nan%", ">nan", "\"nan", ">inf<", "-nan", "undefined<"}) {
      EXPECT_THAT(page, Not(HasSubstr(word)));
    }
  }
}

TEST(ReportPage, MetricsThatAreNotNumbersAreDashes) {
  const Ratings ratings = small_town();
  const Model model = fit(ratings);
  Evaluation nothing;
  nothing.name = "model";
  nothing.metrics = {"ndcg@10", "coverage@10"};
  nothing.mean = {{"ndcg@10", std::nan("")}, {"coverage@10", INFINITY}};
  nothing.per_user.resize(2);
  const std::string page = report_html({.title = "",
                                        .ratings = &ratings,
                                        .model = &model,
                                        .evaluations = {&nothing, 1},
                                        .users = {}});
  EXPECT_EQ(page_fault(page), "");
  EXPECT_THAT(visible_text(page), Not(HasSubstr("nan")));
  EXPECT_THAT(visible_text(page), Not(HasSubstr("inf")));
}

TEST(ReportPage, BeginsWithASentenceAndTheRecommendationsAndEndsWithTheMachinery) {
  const std::string page = full_page(small_town());
  const std::size_t lead = page.find("class=\"lead\"");
  const std::size_t people = page.find("<section id=\"people\"");
  const std::size_t model = page.find("<section id=\"model\"");
  ASSERT_NE(model, std::string::npos);
  EXPECT_LT(lead, people);
  for (const char* earlier : {"why", "quality", "data"}) {
    const std::size_t at = page.find("<section id=\"" + std::string(earlier) + "\"");
    EXPECT_GT(at, people) << earlier;
    EXPECT_LT(at, model) << earlier;
  }
}

TEST(ReportPage, ARatingThatAddsNothingIsNotCalledMissing) {
  // Everything is rated on every criterion; with overall alone in the score, most of it adds
  // nothing.
  const Ratings ratings =
      synthesize({.users = 60, .items = 40, .ratings_per_user = 12, .missing = 0, .seed = 3});
  const Model model = fit(ratings, Method("overall-only"));
  const std::string page =
      report_html({.title = "", .ratings = &ratings, .model = &model, .users = {}});
  const std::size_t from = page.find("<table class=\"map\">");
  ASSERT_NE(from, std::string::npos);
  const std::string map = page.substr(from, page.find("</table>", from) - from);
  EXPECT_THAT(map, HasSubstr("<small>rated"));
  EXPECT_THAT(map, Not(HasSubstr("not rated")));
}

TEST(ReportPage, IsTheSameForTheSameInput) {
  EXPECT_EQ(full_page(small_town()), full_page(small_town()));
}

}  // namespace
}  // namespace palate::cli
