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
  EXPECT_EQ(marks["relevance"], "overall >= 3");
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
  const Json found = run({"tune", "beers.csv", "--json"}).json();
  const Json fitted =
      run({"fit", "beers.csv", "--out", "m.palate", "--method", "adaptive", "--json"}).json();
  EXPECT_EQ(found["settings"], fitted["settings"]);
  EXPECT_EQ(found["choice"], fitted["choice"]);
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

TEST_F(Measure, FiltersAreChosenUnlessGiven) {
  const Json chosen = run({"evaluate", "beers.csv", "--json"}).json();
  EXPECT_TRUE(chosen.contains("choice"));
  EXPECT_TRUE(chosen["seconds"].contains("choose"));
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
  ASSERT_EQ(run({"split", "beers.csv", "--out-dir", "p", "--seed", "5"}).status, 0);
  ASSERT_EQ(run({"fit", "p/train.csv", "--out", "m.palate", "--filters", "linear"}).status, 0);
  const Json model = run({"evaluate", "m.palate", "--test", "p/test.csv", "--json"}).json();
  const Json files =
      run({"evaluate", "p/train.csv", "--test", "p/test.csv", "--filters", "linear", "--json"})
          .json();
  EXPECT_EQ(model["recall@5"], files["recall@5"]);
  EXPECT_EQ(model["users"], files["users"]);
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
