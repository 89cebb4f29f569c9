// How a model computes: what may be asked for, and what the tool says about it.
#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class EngineOptions : public Workshop {
 protected:
  EngineOptions() { write_beers(); }

  [[nodiscard]] Result fit(std::vector<std::string> more) const {
    std::vector<std::string> call = {"fit",      "beers.csv", "--out",
                                     "m.palate", "--filters", "outward:0.9"};
    call.insert(call.end(), more.begin(), more.end());
    return run(call);
  }
  void expect_refusal(const std::vector<std::string>& more, int status,
                      const std::string& words) const {
    const Result result = fit(more);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_FALSE(exists("m.palate"));
  }
};

TEST_F(EngineOptions, FitEvaluateAndInfoSaySolverStorageAndWhy) {
  const Json fitted = fit({"--solver", "exact", "--json"}).json();
  const Json shown = run({"info", "m.palate", "--json"}).json();
  const Json judged =
      run({"evaluate", "beers.csv", "--filters", "outward", "--solver", "exact", "--json"}).json();
  for (const Json& document : {fitted, shown, judged}) {
    EXPECT_EQ(document["solver"], "exact");
    EXPECT_EQ(document["storage"], "whole");
    EXPECT_THAT(document["why"].get<std::string>(), HasSubstr("of all pairs of items are linked"));
    EXPECT_EQ(document["settings"]["solver"], "exact");
  }
  EXPECT_EQ(shown["why"], fitted["why"]);
}

TEST_F(EngineOptions, OneLineTellsAPerson) {
  const std::string line = "whole graph, exact solver: about ";
  EXPECT_THAT(fit({"--solver", "exact"}).out, HasSubstr("\n" + line));
  EXPECT_THAT(run({"info", "m.palate"}).out, HasSubstr("\n" + line));
  const std::vector<std::string> measured = {"--filters", "outward", "--solver", "exact"};
  std::vector<std::string> call = {"evaluate", "beers.csv"};
  call.insert(call.end(), measured.begin(), measured.end());
  EXPECT_THAT(run(call).out, HasSubstr("\n" + line));
  call = {"report", "beers.csv", "--out", "r.html"};
  call.insert(call.end(), measured.begin(), measured.end());
  EXPECT_EQ(run(call).status, 0);
  EXPECT_THAT(read("r.html"), HasSubstr("with the <b>exact</b> solver"));
}

TEST_F(EngineOptions, TheFastSolverIsUsedWhereAskedFor) {
  EXPECT_EQ(fit({"--solver", "fast", "--json"}).json()["solver"], "fast");
  EXPECT_THAT(run({"info", "m.palate"}).out, HasSubstr("dense graph, fast solver"));
  EXPECT_EQ(run({"recommend", "m.palate", "--user", "u1"}).status, 0);
}

TEST_F(EngineOptions, AutomaticIsTheDefaultAndSaysWhatItBecame) {
  const Json fitted = fit({"--json"}).json();
  EXPECT_EQ(fitted["settings"]["solver"], "auto");
  EXPECT_THAT(fitted["solver"], testing::AnyOf("exact", "fast"));
}

TEST_F(EngineOptions, ChosenFiltersTakeTheSolverToo) {
  const Json fitted = run({"fit", "beers.csv", "--out", "m.palate", "--solver", "fast",
                           "--neighbours", "3", "--json"})
                          .json();
  EXPECT_TRUE(fitted.contains("choice"));
  EXPECT_EQ(fitted["settings"]["solver"], "fast");
  EXPECT_EQ(fitted["settings"]["neighbours"], 3);
}

TEST_F(EngineOptions, MethodsWithoutFiltersHaveNoSolver) {
  for (const std::string method : {"popularity", "item-knn"}) {
    const Json judged = run({"evaluate", "beers.csv", "--method", method, "--json"}).json();
    for (const std::string key : {"solver", "storage", "why"}) EXPECT_EQ(judged[key], "") << key;
    const Result text = run({"evaluate", "beers.csv", "--method", method});
    EXPECT_THAT(text.out, Not(HasSubstr("solver")));
    const Result refused = run({"evaluate", "beers.csv", "--method", method, "--solver", "exact"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("belongs to ca-gf"));
  }
}

TEST_F(EngineOptions, WeightsBetweenItemsSayInHowManyBitsTheyAre) {
  const auto fit = [&](const std::string& precision) {
    return run({"fit", "beers.csv", "--out", "m.palate", "--method", "adaptive", "--set",
                "settings=fixed", "--set", "precision=" + precision, "--json"})
        .json();
  };
  EXPECT_EQ(fit("auto")["storage"], "32-bit");
  const Json fitted = fit("16");
  EXPECT_EQ(fitted["storage"], "16-bit");
  EXPECT_EQ(fitted["settings"]["precision"], "16");
  EXPECT_THAT(run({"info", "m.palate"}).out,
              HasSubstr("\n16-bit weights: the precision was asked"));
  EXPECT_EQ(run({"recommend", "m.palate", "--user", "u1"}).status, 0);
}

TEST_F(EngineOptions, NeighboursBoundTheGraphOfCaGf) {
  const Json fitted = fit({"--neighbours", "3", "--json"}).json();
  EXPECT_EQ(fitted["storage"], "bounded");
  EXPECT_EQ(fitted["settings"]["neighbours"], 3);
  EXPECT_THAT(fitted["why"].get<std::string>(), HasSubstr("3 neighbours"));
  const Json whole = fit({"--neighbours", "0", "--json"}).json();
  EXPECT_EQ(whole["storage"], "whole");
  EXPECT_LT(fitted["graph_entries"].get<int>(), whole["graph_entries"].get<int>());
  const Result popular =
      run({"fit", "beers.csv", "--out", "p.palate", "--method", "popularity", "--neighbours", "3"});
  EXPECT_EQ(popular.status, 2);
  EXPECT_THAT(popular.err, HasSubstr("ca-gf and item-knn"));
}

TEST_F(EngineOptions, CompareTakesThemPerMethod) {
  const Json document = run({"compare", "beers.csv", "--methods",
                             "popularity,ca-gf:solver=exact:filters=outward,"
                             "ca-gf:neighbours=3:filters=outward",
                             "--resamples", "10", "--memory", "4GB", "--json"})
                            .json();
  ASSERT_EQ(document["methods"].size(), 3U);
  EXPECT_EQ(document["methods"][0]["solver"], "");
  EXPECT_EQ(document["methods"][1]["solver"], "exact");
  EXPECT_EQ(document["methods"][1]["storage"], "whole");
  EXPECT_EQ(document["methods"][2]["storage"], "bounded");
}

TEST_F(EngineOptions, UnknownSolversAreRefusedWithTheList) {
  expect_refusal({"--solver", "quick"}, 2, "auto, exact, fast");
  const Result compared =
      run({"compare", "beers.csv", "--methods", "popularity,ca-gf:solver=quick"});
  EXPECT_EQ(compared.status, 2);
  EXPECT_THAT(compared.err, HasSubstr("auto, exact, fast"));
}

TEST_F(EngineOptions, SizesHaveUnits) {
  for (const std::string size : {"1GB", "1gb", "1.5GiB", "900 MB", "2g", "900000000B", "1TiB"}) {
    EXPECT_EQ(fit({"--memory", size}).status, 0) << size;
  }
}

TEST_F(EngineOptions, BadSizesSayWhatIsWrong) {
  expect_refusal({"--memory", "8"}, 2, "8GB, 8MB, 8KB or 8B?");
  for (const std::string size : {"", "GB", "much", "8XB", "8GBB", "8 i", "1,5GB", "-1GB", "8GB "}) {
    expect_refusal({"--memory=" + size}, 2, "--memory needs a");
  }
  expect_refusal({"--memory", "1.2.3GB"}, 2, "'1.2.3'");
  expect_refusal({"--memory", "0GB"}, 2, "at least one byte");
  expect_refusal({"--memory", "0.1B"}, 2, "at least one byte");
  expect_refusal({"--memory", "99999999999TB"}, 2, "more than any machine has");
}

TEST_F(EngineOptions, AMemoryLimitThatCannotBeMetIsOneError) {
  expect_refusal({"--memory", "1KB"}, 8, "needs about");
  const Result json = fit({"--memory", "1KB", "--json"});
  EXPECT_EQ(json.status, 8);
  EXPECT_EQ(json.out, "");
  const Json document = Json::parse(json.err, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << json.err;
  EXPECT_EQ(document["error"]["code"], "too_large");
  EXPECT_NE(document["error"]["hint"], "");
  for (const std::string command : {"evaluate", "report"}) {
    std::vector<std::string> call = {command,  "beers.csv", "--filters",
                                     "linear", "--memory",  "1KB"};
    if (command == "report") call.insert(call.end(), {"--out", "r.html"});
    EXPECT_EQ(run(call).status, 8) << command;
  }
  EXPECT_EQ(run({"compare", "beers.csv", "--memory", "1KB"}).status, 8);
  EXPECT_FALSE(exists("r.html"));
}

TEST_F(EngineOptions, AFittedModelTakesNoneOfThem) {
  ASSERT_EQ(fit({}).status, 0);
  for (const std::string command : {"evaluate", "report"}) {
    for (const std::string option : {"--solver=fast", "--neighbours=3", "--memory=8GB"}) {
      std::vector<std::string> call = {command, "m.palate", "--test", "beers.csv", option};
      if (command == "report") call.insert(call.end(), {"--out", "r.html"});
      const Result result = run(call);
      EXPECT_EQ(result.status, 2) << command << option;
      EXPECT_THAT(result.err, HasSubstr("fitted already"));
    }
  }
}

}  // namespace
}  // namespace palate::cli_test
