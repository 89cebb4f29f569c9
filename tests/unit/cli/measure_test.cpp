#include <sstream>

#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::HasSubstr;

class Measure : public Workshop {
 protected:
  Measure() { write_beers(); }
};

TEST_F(Measure, EvaluateAsJsonHasTheAgreedKeysAndNothingElseIsPrinted) {
  const Result result = run({"evaluate", "beers.csv", "--filters", "linear", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const Json marks = result.json();
  for (const std::string key :
       {"recall@5", "recall@10", "ndcg@5", "ndcg@10", "ndcg_paper@5", "ndcg_paper@10"}) {
    ASSERT_TRUE(marks.contains(key)) << key;
    EXPECT_GE(marks[key].get<double>(), 0.0);
    EXPECT_LE(marks[key].get<double>(), 1.0);
  }
  EXPECT_GT(marks["users"].get<int>(), 0);
  for (const std::string stage : {"read", "recommend", "metrics", "total"}) {
    EXPECT_TRUE(marks["seconds"].contains(stage)) << stage;
  }
  EXPECT_EQ(marks["relevance"], "overall >= 2.5, the middle of the scale 1 to 4");
  EXPECT_EQ(marks["method"], "ca-gf");
}

TEST_F(Measure, MethodsAreListedWithWhatTheyCanDoAndTheirSettings) {
  const Result all = run({"methods"});
  EXPECT_EQ(all.status, 0) << all.err;
  const Json listed = run({"methods", "--json"}).json().at("methods");
  EXPECT_EQ(listed[0]["name"], "adaptive");
  for (const Json& method : listed) {
    EXPECT_THAT(all.out, HasSubstr(method["name"].get<std::string>()));
  }
  EXPECT_THAT(all.out, HasSubstr("explain, serve newcomers"));
  const Result one = run({"methods", "ease"});
  EXPECT_THAT(one.out, HasSubstr("can: explain, weigh criteria, serve newcomers, find similar"));
  EXPECT_THAT(one.out, HasSubstr("lambda=N (250)"));
  EXPECT_EQ(run({"methods", "svd"}).status, 2);
}

TEST_F(Measure, TuneShowsEveryTrialAndFitTakesWhatItFinds) {
  const Result shown = run({"tune", "beers.csv"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("a good ridge"));
  EXPECT_THAT(shown.out, HasSubstr("popularity"));
  EXPECT_THAT(shown.out, HasSubstr("target_power"));
  EXPECT_THAT(shown.out, HasSubstr("but with"));
  const Json found = run({"tune", "beers.csv", "--json"}).json();
  const Json fitted = run({"fit", "beers.csv", "--out", "m.palate", "--json"}).json();
  EXPECT_EQ(fitted["method"], "adaptive");
  EXPECT_EQ(found["settings"], fitted["settings"]);
  EXPECT_EQ(found["choice"], fitted["choice"]);
  // The model remembers it, and says so in words.
  EXPECT_EQ(run({"info", "m.palate", "--json"}).json()["choice"], found["choice"]);
  const std::string words = run({"info", "m.palate"}).out;
  for (const char* word : {"chosen on ratings held back", "ratings, seed 1", "popularity",
                           "plain linear filters", "EASE^R", "but with", "lets through"}) {
    EXPECT_THAT(words, HasSubstr(word));
  }
  EXPECT_EQ(run({"tune", "beers.csv", "--method", "ease"}).status, 2);
}

TEST_F(Measure, AnySettingOfAMethodCanBeGiven) {
  const Json judged =
      run({"evaluate", "beers.csv", "--method", "ease", "--set", "lambda=20", "--json"}).json();
  EXPECT_EQ(judged["settings"]["lambda"], 20.0);
  const Result refused = run({"evaluate", "beers.csv", "--method", "ease", "--set", "shrink=2"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("it belongs to item-knn"));
  EXPECT_EQ(run({"evaluate", "beers.csv", "--set", "lambda"}).status, 2);
}

TEST_F(Measure, EveryMethodAndVariantRuns) {
  const Json listed = run({"methods", "--json"}).json().at("methods");
  std::vector<std::string> names = {"overall-only"};
  for (const Json& method : listed) names.push_back(method["name"]);
  for (const std::string& method : names) {
    const Result result = run({"evaluate", "beers.csv", "--method", method, "--json"});
    EXPECT_EQ(result.status, 0) << method << result.err;
  }
  const std::vector<std::pair<std::string, std::string>> variants = {{"full", "full"},
                                                                     {"m", "overall-graph"},
                                                                     {"single", "overall-only"},
                                                                     {"s", "unit-powers"},
                                                                     {"f", "linear-filters"},
                                                                     {"p", "no-preference"},
                                                                     {"mc", "graph-per-criterion"}};
  for (const auto& [variant, readable] : variants) {
    const Result result =
        run({"evaluate", "beers.csv", "--filters", "outward:0.9", "--variant", variant, "--json"});
    EXPECT_EQ(result.status, 0) << variant << result.err;
    EXPECT_EQ(result.json()["variant"], readable);
  }
}

TEST_F(Measure, TheDefaultIsTheAdaptiveFilterAndOptionsOfCaGfMeanCaGf) {
  const Json chosen = run({"evaluate", "beers.csv", "--json"}).json();
  EXPECT_EQ(chosen["method"], "adaptive");
  EXPECT_TRUE(chosen.contains("choice"));
  EXPECT_TRUE(chosen["seconds"].contains("choose"));
  const std::vector<std::vector<std::string>> of_ca_gf = {
      {"--filters", "linear"}, {"--filter", "taste=inward"}, {"--variant", "mc"},
      {"--preference", "off"}, {"--solver", "exact"},        {"--neighbours", "5"}};
  for (const auto& option : of_ca_gf) {
    const Json marks = run({"evaluate", "beers.csv", "--json", option[0], option[1]}).json();
    EXPECT_EQ(marks["method"], "ca-gf") << option[0];
  }
  const Json ridge = run({"evaluate", "beers.csv", "--set", "lambda=20", "--json"}).json();
  EXPECT_EQ(ridge["method"], "adaptive");
  EXPECT_FALSE(ridge.contains("choice"));
  EXPECT_THAT(run({"evaluate", "beers.csv", "--preset", "ym"}).err, HasSubstr("5 criteria"));
}

TEST_F(Measure, TheChoiceGoesByTheMiddleOfTheScaleUnlessAThresholdIsGiven) {
  // Whole ratings of 1 to 4: from the middle on means from 3 on.
  const Json by_scale = run({"evaluate", "beers.csv", "--json"}).json()["choice"];
  const Json by_three =
      run({"evaluate", "beers.csv", "--threshold", "3", "--json"}).json()["choice"];
  const Json by_four =
      run({"evaluate", "beers.csv", "--threshold", "4", "--json"}).json()["choice"];
  EXPECT_EQ(by_three["steps"], by_scale["steps"]);
  EXPECT_NE(by_four["steps"], by_scale["steps"]);
  EXPECT_EQ(by_three["relevance"], "overall >= 3");
  EXPECT_EQ(by_scale["relevance"], "overall >= 2.5, the middle of the scale 1 to 4");
  // Ratings of another scale: nothing reaches 3.
  std::string small = "user,beer,overall,taste\n";
  for (int u = 0; u < 40; ++u) {
    for (int i = 0; i < 12; ++i) {
      small += "u" + std::to_string(u) + ",b" + std::to_string((u * 7 + i * i) % 30) + "," +
               std::to_string(1 + (u + i) % 2) + ",1\n";
    }
  }
  write("small.csv", small);
  const Json fitted = run({"fit", "small.csv", "--out", "s.palate", "--json"}).json();
  EXPECT_GT(fitted["choice"]["users"].get<int>(), 0);
}

// Twenty people, each with half of twelve items, on a scale of one's own.
std::string ratings_from(const std::vector<std::string>& scale) {
  std::string out = "user,item,overall\n";
  for (std::size_t u = 0; u < 20; ++u) {
    for (std::size_t i = 0; i < 12; ++i) {
      if ((u * 5 + i * 3) % 7 < 3) continue;
      out += "u" + std::to_string(u) + ",i" + std::to_string(i) + "," +
             scale[(u + i) % scale.size()] + "\n";
    }
  }
  return out;
}

TEST_F(Measure, WhatIsRelevantFollowsFromTheScaleAndIsSaid) {
  write("small.csv", ratings_from({"0", "1", "2"}));
  const Result shown = run({"evaluate", "small.csv", "--zero", "rating"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("relevant: overall >= 1, the middle of the scale 0 to 2"));
  const Json fitted =
      run({"fit", "small.csv", "--zero", "rating", "--out", "m.palate", "--json"}).json();
  EXPECT_EQ(fitted["choice"]["relevance"], "overall >= 1, the middle of the scale 0 to 2");
  const Json strict = run({"fit", "small.csv", "--zero", "rating", "--out", "m.palate",
                           "--threshold", "2", "--json"})
                          .json();
  EXPECT_EQ(strict["choice"]["relevance"], "overall >= 2");
  for (const char* option : {"--threshold", "--seconds"}) {
    const Result refused =
        run({"fit", "small.csv", "--out", "m.palate", option, "2", "--filters", "linear"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr(std::string(option) + " says"));
  }
  write("bought.csv", ratings_from({"1"}));
  const Json bought = run({"compare", "bought.csv", "--json"}).json();
  EXPECT_EQ(bought["relevance"], "overall >= 1, which every rating is");
  EXPECT_EQ(bought["users"], 20);
}

TEST_F(Measure, OfTooFewPeopleNothingIsClaimed) {
  write("three.csv",
        "user,beer,overall,aroma,taste\nann,Old Oak,4.5,4,5\nann,River Pale,3,,2.5\n"
        "bob,Old Oak,4,4,4.5\n");
  for (const std::string command : {"evaluate", "compare", "dials"}) {
    const Result result = run({command, "three.csv"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("too few to measure: the data has 2 users"));
    EXPECT_THAT(result.out, testing::Not(HasSubstr("ndcg")));
    const Json document = run({command, "three.csv", "--json"}).json();
    EXPECT_EQ(document["too_few"], true);
    EXPECT_FALSE(document.contains("ndcg@10"));
  }
  const Result fitted = run({"fit", "three.csv", "--out", "m.palate"});
  EXPECT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("too few to measure"));
  EXPECT_EQ(run({"info", "m.palate", "--json"}).json()["choice"]["too_few"], true);
  EXPECT_EQ(run({"report", "three.csv", "--out", "r.html", "--json"}).json()["too_few"], true);
  const std::string page = read("r.html");
  EXPECT_THAT(page, HasSubstr("Too few to measure"));
  EXPECT_THAT(page, testing::Not(HasSubstr("does not combine criteria")));
  EXPECT_THAT(page, testing::Not(HasSubstr("NDCG")));
  EXPECT_EQ(run({"evaluate", "beers.csv", "--method", "popularity", "--json"}).json()["too_few"],
            false);
}

TEST_F(Measure, AReportOfRatingsMeasuresTheDials) {
  EXPECT_EQ(run({"report", "beers.csv", "--out", "r.html", "--filters", "linear"}).status, 0);
  EXPECT_THAT(read("r.html"), HasSubstr("<section id=\"dials\">"));
}

TEST_F(Measure, FilesOfAFixedFormatAreNotWrittenUnderTheNameOfAnother) {
  const Result report = run({"report", "beers.csv", "--out", "x.pdf"});
  EXPECT_EQ(report.status, 2);
  EXPECT_THAT(report.err, HasSubstr("a report is an HTML page"));
  EXPECT_THAT(report.err, HasSubstr("--out x.html"));
  EXPECT_EQ(run({"fit", "beers.csv", "--out", "m.csv"}).status, 2);
  EXPECT_EQ(run({"evaluate", "beers.csv", "--per-user", "u.json"}).status, 2);
}

TEST_F(Measure, CompareChoosesForEachMethodByItself) {
  const Json both = run({"compare", "beers.csv", "--methods", "ca-gf,adaptive", "--json"}).json();
  EXPECT_EQ(both["methods"][0]["settings"]["method"], "ca-gf");
  EXPECT_EQ(both["methods"][1]["settings"]["method"], "adaptive");
  const Json usual = run({"compare", "beers.csv", "--json"}).json();
  std::vector<std::string> names;
  for (const Json& method : usual["methods"]) names.push_back(method["name"]);
  EXPECT_THAT(names, testing::ElementsAre("popularity", "item-knn", "ease", "adaptive"));
}

TEST_F(Measure, FiltersAreChosenUnlessGiven) {
  EXPECT_TRUE(
      run({"evaluate", "beers.csv", "--filters", "auto", "--json"}).json().contains("choice"));
  EXPECT_FALSE(run({"evaluate", "beers.csv", "--filter", "taste=inward", "--json"})
                   .json()
                   .contains("choice"));
  const Json fitted = run({"fit", "beers.csv", "--out", "m.palate", "--filter",
                           "taste=outward:0.85", "--preference", "off", "--json"})
                          .json();
  EXPECT_EQ(fitted["filters"]["taste"]["filter"], "outward");
  EXPECT_EQ(fitted["filters"]["taste"]["power"], 0.85);
  EXPECT_EQ(fitted["filters"]["aroma"]["filter"], "linear");
  EXPECT_TRUE(fitted["preference"].is_null());
}

TEST_F(Measure, ATableForAPersonNamesTheRule) {
  const Result result = run({"evaluate", "beers.csv", "--method", "popularity", "--rule", "above",
                             "--threshold", "2", "--at", "3"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("overall > 2"));
  EXPECT_THAT(result.out, HasSubstr("@3"));
  EXPECT_THAT(result.out, HasSubstr("ndcg_paper"));
}

TEST_F(Measure, PerUserValuesAverageToTheMean) {
  const Json marks =
      run({"evaluate", "beers.csv", "--filters", "linear", "--per-user", "u.csv", "--json"}).json();
  std::istringstream lines(read("u.csv"));
  std::string line;
  std::getline(lines, line);
  ASSERT_THAT(line, testing::StartsWith("user,recall@5,"));
  double sum = 0;
  int users = 0;
  for (; std::getline(lines, line); ++users) sum += std::stod(line.substr(line.find(',') + 1));
  EXPECT_EQ(marks["users"], users);
  EXPECT_NEAR(sum / users, marks["recall@5"].get<double>(), 1e-6);
}

TEST_F(Measure, FoldsGiveMeanAndDeviation) {
  const Json marks = run({"evaluate", "beers.csv", "--method", "item-knn", "--neighbours", "5",
                          "--folds", "3", "--json"})
                         .json();
  ASSERT_EQ(marks["folds"].size(), 3U);
  double sum = 0;
  for (const Json& fold : marks["folds"]) sum += fold["ndcg@5"].get<double>();
  EXPECT_NEAR(marks["ndcg@5"].get<double>(), sum / 3, 1e-12);
  EXPECT_TRUE(marks["standard_deviation"].contains("ndcg@5"));
}

TEST_F(Measure, AModelOnATestFileEqualsTheSplitItCameFrom) {
  const std::vector<std::string> call = {"split",  "beers.csv", "--out-dir",    "p",
                                         "--seed", "5",         "--test-share", "0.4"};
  ASSERT_EQ(run(call).status, 0);
  ASSERT_EQ(run({"fit", "p/train.csv", "--out", "m.palate", "--filters", "linear"}).status, 0);
  const Json model = run({"evaluate", "m.palate", "--test", "p/test.csv", "--json"}).json();
  const Json files =
      run({"evaluate", "p/train.csv", "--test", "p/test.csv", "--filters", "linear", "--json"})
          .json();
  EXPECT_EQ(model.at("recall@5"), files.at("recall@5"));
  EXPECT_EQ(model.at("users"), files.at("users"));
}

TEST_F(Measure, CompareTestsEachMethodAgainstTheFirst) {
  const std::vector<std::string> call = {
      "compare",   "beers.csv",
      "--methods", "popularity,overall-only,ca-gf:filters=outward:0.85",
      "--metrics", "ndcg@5,recall@5"};
  const Result table = run(call);
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("baseline"));
  std::vector<std::string> with_json = call;
  with_json.push_back("--json");
  const Json document = run(with_json).json();
  EXPECT_EQ(document["baseline"], "popularity");
  EXPECT_EQ(document["methods"].size(), 3U);
  ASSERT_EQ(document["differences"].size(), 4U);
  for (const Json& d : document["differences"]) {
    EXPECT_LE(d["low"].get<double>(), d["high"].get<double>());
    EXPECT_GE(d["p_value"].get<double>(), 0.0);
    EXPECT_LE(d["p_value"].get<double>(), 1.0);
  }
}

TEST_F(Measure, ReportIsOnePageOfDataOrOfAModel) {
  const Result data = run({"report", "beers.csv", "--out", "r.html", "--title", "Beers & more",
                           "--filters", "linear", "--user", "u1"});
  EXPECT_EQ(data.status, 0) << data.err;
  const std::string page = read("r.html");
  EXPECT_THAT(page, HasSubstr("<html"));
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_THAT(page, HasSubstr("Beers &amp; more"));
  ASSERT_EQ(run({"fit", "beers.csv", "--out", "m.palate", "--filters", "linear"}).status, 0);
  EXPECT_EQ(run({"report", "m.palate", "--out", "m.html", "--json"}).json()["out"], "m.html");
  EXPECT_THAT(read("m.html"), HasSubstr("</html>"));
}

TEST_F(Measure, ThreadsDoNotChangeResults) {
  Json one = run({"evaluate", "beers.csv", "--threads", "1", "--json"}).json();
  Json three = run({"--threads", "3", "--json", "evaluate", "beers.csv"}).json();
  one.erase("seconds");
  three.erase("seconds");
  EXPECT_EQ(one, three);
}

}  // namespace
}  // namespace palate::cli_test
