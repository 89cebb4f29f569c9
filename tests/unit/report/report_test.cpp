// What the page says.
#include "report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "report/colours.hpp"
#include "unit/report/check_page.hpp"

namespace palate::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace palate::testing;

CaGf mixed_filters() {
  return {.filters = {{"overall", outward(1.0)}, {"food", inward(1.2)}, {"value", linear(0.6)}}};
}

std::string page_of(const Ratings& ratings, const Model& model,
                    std::vector<std::string> users = {}) {
  return report_html(
      {.title = "Town", .ratings = &ratings, .model = &model, .users = std::move(users)});
}

// Position of each text in the page, one after the other.
bool in_this_order(std::string_view page, const std::vector<std::string>& texts) {
  std::size_t at = 0;
  for (const std::string& text : texts) {
    at = page.find(text, at);
    if (at == std::string_view::npos) return false;
    at += text.size();
  }
  return true;
}

TEST(Report, LeavesOutWhatItWasNotGiven) {
  const Ratings ratings = small_town();
  const std::string page = page_of(ratings, fit(ratings, mixed_filters()));
  EXPECT_TRUE(has_section(page, "data"));
  EXPECT_TRUE(has_section(page, "model"));
  EXPECT_TRUE(has_section(page, "people"));
  EXPECT_TRUE(has_section(page, "why"));
  EXPECT_FALSE(has_section(page, "quality"));
  EXPECT_THAT(page, Not(HasSubstr("href=\"#quality\"")));
  EXPECT_THAT(page, Not(HasSubstr("How the file was read")));
  EXPECT_THAT(page, Not(HasSubstr("How the settings were chosen")));
  EXPECT_THAT(page, Not(HasSubstr("in the test part</span>")));
  EXPECT_EQ(page_fault(page), "");
}

TEST(Report, ShowsTheFilterOfEachCriterion) {
  const Ratings ratings = small_town();
  const std::string text = visible_text(page_of(ratings, fit(ratings, mixed_filters())));
  EXPECT_THAT(text, HasSubstr("outward"));
  EXPECT_THAT(text, HasSubstr("inward"));
  EXPECT_THAT(text, HasSubstr("weak links lifted"));
  EXPECT_THAT(text, HasSubstr("weak links damped"));
}

TEST(Report, HasTheColoursOfTheExplorer) {
  const std::string_view css =
      ":root { --c0: light-dark(#111, rgb(1 2 / 3%)); --c1: "
      "light-dark(rgb(4, 5, 6), #222); --c2: light-dark(#333, #444) }";
  EXPECT_EQ(in_both_themes(css),
            ":root { --c0: #111; --c1: rgb(4, 5, 6); --c2: #333 }@media screen and "
            "(prefers-color-scheme: dark) {\n:root { --c0: rgb(1 2 / 3%); --c1: #222; --c2: #444 "
            "}}\n");
  const std::string rules = criterion_colours(css, 5);
  EXPECT_THAT(rules, HasSubstr(".k0{--k:var(--c0)}"));
  EXPECT_THAT(rules, HasSubstr(".k2{--k:var(--c2)}"));
  EXPECT_THAT(rules, HasSubstr(".k3{--k:var(--c1)}"));  // begins again, without overall's
  EXPECT_THAT(rules, HasSubstr(".k4{--k:var(--c2)}"));
  const Ratings ratings = small_town();
  const std::string page = page_of(ratings, fit(ratings, mixed_filters()));
  EXPECT_THAT(page, HasSubstr("--c11: #"));
  EXPECT_THAT(page, Not(HasSubstr("light-dark(")));
}

TEST(Report, SaysWhatDialsDo) {
  const Ratings ratings = small_town();
  const Model model = fit(ratings, mixed_filters());
  const DialReport dials = {.users = 12,
                            .relevance = "overall >= 3",
                            .ndcg = 0.5,
                            .effects = {{"food", 0.5, -0.31, 1.2, 0.49},
                                        {"food", 2, 0.36, 1.4, 0.48},
                                        {"value", 2, 0.38, 1.6, 0.5}}};
  const std::string page = report_html({.ratings = &ratings, .model = &model, .dials = &dials});
  EXPECT_EQ(page_fault(page), "");
  const std::string text = visible_text(page);
  EXPECT_THAT(text, HasSubstr("With one criterion turned to 2, 1.4 to 1.6 of ten"));
  EXPECT_THAT(text, HasSubstr("lists of 12 people"));
  EXPECT_THAT(text, HasSubstr("+0.36"));
  EXPECT_THAT(text, HasSubstr("1.4 new, \u22124.0\u00A0%"));
}

TEST(Report, SaysInWordsWhatWasFoundAndWhatItGives) {
  const Ratings ratings = small_town();
  Choice choice;
  choice.method = Method("adaptive");
  choice.measure = "mean of recall";
  choice.end = 0.22;
  choice.users = 31;
  choice.validation = 0.1;
  choice.seed = 5;
  choice.steps = {{"link power 1.7", 0.22, 0.02, 0.005, true},
                  {"lambda 3", 0.21, -0.01, 0.005, false}};
  choice.without = {{"target power 0", 0.198, -0.022, 0.011, false}};
  choice.against = {{"popularity", 0.11, 0.11, 0.022, false}};
  const std::string page = page_of(ratings, fit(ratings, choice));
  EXPECT_EQ(page_fault(page), "");
  const std::string text = visible_text(page);
  EXPECT_THAT(text, HasSubstr("The larger, the less popular items are recommended"));
  EXPECT_THAT(text, HasSubstr("What the ridge lets through"));
  EXPECT_THAT(text, HasSubstr("10\u00A0% of everyone's ratings were held back (seed 5)"));
  EXPECT_THAT(text, HasSubstr("mean of recall, over 31 lists"));
  EXPECT_THAT(text, HasSubstr("+10.0\u00A0% \u00B1 2.5"));    // of the step that was taken
  EXPECT_THAT(text, HasSubstr("+10.0\u00A0% \u00B1 5.0"));    // what the part gives
  EXPECT_THAT(text, HasSubstr("+100.0\u00A0% \u00B1 20.0"));  // over what is popular
}

TEST(Report, NegativePartsAreShownAsSpeakingAgainst) {
  const Ratings ratings = small_town();
  const Model model = fit(ratings, Method("adaptive", {{"lambda", "0.02"}, {"link_power", "1"}}));
  const std::string page = page_of(ratings, model);
  EXPECT_THAT(page, HasSubstr("heat minus"));
  EXPECT_THAT(visible_text(page), HasSubstr("hatched cells speak against it."));
  EXPECT_THAT(page, HasSubstr("type=\"range\""));
}

TEST(Report, ListsWhatTheModelRecommends) {
  const Ratings ratings = small_town();
  const Model model = fit(ratings, mixed_filters());
  const std::string user(ratings.user_id(5));
  const std::string page = page_of(ratings, model, {user});
  std::vector<std::string> titles = {"class=\"ranked\""};
  for (const Recommended& r : model.recommend(user).items) {
    titles.push_back("<bdi>" + r.item + "</bdi>");
  }
  ASSERT_EQ(titles.size(), 11U);
  EXPECT_TRUE(in_this_order(page, titles));
}

TEST(Report, ShowsMatchesPredictedRatingsAndSharesInPlaceOfScores) {
  const Ratings ratings = small_town();
  const Model model = fit(ratings, mixed_filters());
  const std::string user(ratings.user_id(5));
  const std::string page = page_of(ratings, model, {user});
  const Recommendations list = model.recommend(user);
  EXPECT_THAT(page, HasSubstr("<span class=\"score\"><b>100</b>"));
  EXPECT_EQ(page.find("<small>predicted ") != std::string::npos,
            !list.predicted.empty() && !std::isnan(list.predicted.front()));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\"><b>100 %</b></td></tr>"));
  const nlohmann::json person = embedded_data(page)["people"][0];
  EXPECT_EQ(person["items"][0]["match"], "100");
  const UserRatings own = ratings.of(5);
  const auto rated = std::count_if(own.present.begin(), own.present.end(),
                                   [](std::uint32_t one) { return (one & 1U) != 0; });
  EXPECT_EQ(person["unrated"], ratings.items() - static_cast<std::size_t>(rated));
}

TEST(Report, EmbeddedPartsAddUpToTheScoreForAnyWeights) {
  const Ratings ratings = small_town();
  const Model model = fit(ratings, mixed_filters());
  const std::string user(ratings.user_id(7));
  const nlohmann::json data = embedded_data(page_of(ratings, model, {user}));
  ASSERT_EQ(data["people"].size(), 1U);
  const nlohmann::json& items = data["people"][0]["items"];
  ASSERT_GE(items.size(), 10U);

  const std::array<double, 5> weights = {0.5, 3.0, 0.25, 1.0, 2.0};
  ASSERT_EQ(data["criteria"].size(), weights.size());
  RecommendOptions options{.top = 10};
  for (std::size_t c = 0; c < weights.size(); ++c) {
    options.weights.emplace_back(data["criteria"][c].get<std::string>(), weights[c]);
  }
  for (const Recommended& r : model.recommend(user, options).items) {
    const auto found = std::find_if(items.begin(), items.end(), [&](const nlohmann::json& item) {
      return item.value("id", item["title"].get<std::string>()) == r.item;
    });
    ASSERT_NE(found, items.end()) << r.item;
    double score = (*found)["base"].get<double>();
    double tilt = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
      score += (*found)["parts"][c].get<double>();
      const double doublings = std::log2(weights[c]);
      const nlohmann::json& tilts = (*found)["tilts"][c];
      tilt +=
          doublings > 0 ? doublings * tilts[0].get<double>() : -doublings * tilts[1].get<double>();
    }
    EXPECT_NEAR(score * std::exp(tilt), r.score, 1e-3 * std::abs(r.score) + 1e-9);
  }
}

TEST(Report, OneDialPerCriterionWithAName) {
  const Ratings ratings = small_town();
  const std::string page =
      page_of(ratings, fit(ratings, mixed_filters()), {std::string(ratings.user_id(0))});
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    const std::string id = "dial-0-" + std::to_string(c);
    EXPECT_THAT(page, HasSubstr("<label for=\"" + id + "\">"));
    EXPECT_THAT(page, HasSubstr("type=\"range\" id=\"" + id + "\""));
  }
}

TEST(Report, AModelWithoutFiltersHasDialsToo) {
  const Ratings ratings = small_town();
  const std::string page = page_of(ratings, fit(ratings, Method("popularity")));
  EXPECT_EQ(page_fault(page), "");
  EXPECT_THAT(page, HasSubstr("type=\"range\""));
  EXPECT_THAT(visible_text(page), HasSubstr("how many people rated them overall"));
  EXPECT_TRUE(has_section(page, "people"));
}

TEST(Report, WorksWithOverallRatingsAlone) {
  const Ratings ratings =
      synthesize({.users = 40, .items = 30, .ratings_per_user = 8, .criteria = {}, .seed = 5});
  ASSERT_EQ(ratings.criteria().size(), 1U);
  const std::string page = page_of(ratings, fit(ratings));
  EXPECT_EQ(page_fault(page), "");
  EXPECT_THAT(page, Not(HasSubstr("type=\"range\"")));
  EXPECT_TRUE(has_section(page, "why"));
}

TEST(Report, TellsWhenThereIsNothingLeftToRecommend) {
  RatingsBuilder builder({"overall", "taste"});
  for (const char* user : {"a", "b"}) {
    for (const char* item : {"x", "y"}) builder.add(user, item, std::array<float, 2>{4, 3});
  }
  const Ratings ratings = builder.build();
  const std::string page = page_of(ratings, fit(ratings));
  EXPECT_EQ(page_fault(page), "");
  EXPECT_THAT(visible_text(page), HasSubstr("no item left to recommend"));
}

TEST(Report, SaysWhenAListIsNotPersonal) {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("a", "x", std::array<float, 2>{4, 3});
  builder.add("a", "y", std::array<float, 2>{2, 5});
  builder.add("b", "y", std::array<float, 2>{5, 5});
  builder.add_user("silent");
  const Ratings ratings = builder.build();
  const std::string page = page_of(ratings, fit(ratings), {"silent"});
  EXPECT_EQ(page_fault(page), "");
  EXPECT_THAT(visible_text(page), HasSubstr("not a personal one"));
}

TEST(Report, AnUnknownPersonIsAClearError) {
  const Ratings ratings = small_town();
  const Model model = fit(ratings);
  try {
    static_cast<void>(page_of(ratings, model, {"nobody at all"}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("nobody at all"));
  }
}

TEST(Report, PrintsTheRuleOfRelevanceAndTheDifferenceInWords) {
  const Split parts = split(small_town(), {.test = 0.3, .seed = 4});
  const Model model = fit(parts.train);
  std::vector<Evaluation> evaluations = {evaluate(model, parts.test), evaluate(model, parts.test)};
  evaluations[0].name = "one";
  evaluations[1].name = "other";
  const Difference worse{.metric = "ndcg@10",
                         .baseline = "one",
                         .method = "other",
                         .baseline_mean = 0.3,
                         .method_mean = 0.2,
                         .difference = -0.1,
                         .low = -0.15,
                         .high = -0.05,
                         .p_value = 0.0001,
                         .users = 50};
  const std::string text = visible_text(report_html({.title = "Town",
                                                     .ratings = &parts.train,
                                                     .model = &model,
                                                     .evaluations = evaluations,
                                                     .differences = {&worse, 1},
                                                     .users = {}}));
  EXPECT_THAT(text, HasSubstr("overall &gt;= 3"));
  EXPECT_THAT(text, HasSubstr("one is 0.1000 better than other (+50.0\u00A0%) in NDCG@10"));
  EXPECT_THAT(text, HasSubstr("interval 0.0500 to 0.1500, p &lt; 0.001. A clear difference."));
}

}  // namespace
}  // namespace palate::cli
