#include <cmath>
#include <sstream>

#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Ask : public Workshop {
 protected:
  Ask() { fit_beers(); }
};

TEST_F(Ask, RecommendsAsATableWithALegend) {
  const Result result = run({"recommend", "beers.palate", "--user", "u1", "--top", "3"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("For u1"));
  EXPECT_THAT(result.out, HasSubstr("Bräu"));
  EXPECT_THAT(result.out, HasSubstr("overall"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b"))) << "no colours where there is no terminal";
  EXPECT_EQ(result.err, "") << "no progress where there is no terminal";
}

TEST_F(Ask, RecommendsAsJson) {
  const Result result = run({"recommend", "beers.palate", "--user", "u1", "--top", "10", "--weight",
                             "taste=2", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const Json list = result.json();
  EXPECT_EQ(list["user"], "u1");
  EXPECT_EQ(list["basis"], "ratings");
  ASSERT_FALSE(list["items"].empty());
  double previous = INFINITY;
  for (const Json& item : list["items"]) {
    EXPECT_THAT(item["title"].get<std::string>(), HasSubstr("dark"));
    EXPECT_LE(item["score"].get<double>(), previous);
    previous = item["score"];
  }
}

TEST_F(Ask, ShowsMatchesAndPredictedRatingsInPlaceOfScores) {
  ASSERT_EQ(run({"synth", "--out", "town.csv", "--users", "400", "--items", "80", "--noise", "0.3",
                 "--seed", "3"})
                .status,
            0);
  ASSERT_EQ(run({"fit", "town.csv", "--out", "t.palate", "--method", "item-knn"}).status, 0);
  const Json info = run({"info", "t.palate", "--json"}).json();
  ASSERT_TRUE(info["prediction"].contains("overall"));
  const Json& error = info["prediction"]["overall"];
  EXPECT_LT(error["mae"].get<double>(), error["trivial_mae"].get<double>());
  EXPECT_THAT(run({"info", "t.palate"}).out, HasSubstr("plain guess"));

  const std::string user = "u0001";
  const Result list = run({"recommend", "t.palate", "--user", user});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("match"));
  EXPECT_THAT(list.out, HasSubstr("predicted"));
  EXPECT_THAT(list.out, HasSubstr("are off by"));
  EXPECT_THAT(list.out, Not(HasSubstr("score")));
  const Json items = run({"recommend", "t.palate", "--user", user, "--json"}).json()["items"];
  for (const Json& item : items) {
    EXPECT_LE(item["match"].get<double>(), 100);
    EXPECT_GE(item["predicted"]["overall"].get<double>(), 1);
    EXPECT_LE(item["predicted"]["overall"].get<double>(), 5);
  }
  const std::string first = items[0]["item"];
  const Result why = run({"explain", "t.palate", "--user", user, "--item", first});
  EXPECT_THAT(why.out, HasSubstr("match 100"));
  EXPECT_THAT(why.out, HasSubstr("Predicted ratings: overall "));
  EXPECT_THAT(why.out, HasSubstr("100 %")) << "the shares of all parts add up";
  const Json same = run({"explain", "t.palate", "--user", user, "--item", first, "--json"}).json();
  EXPECT_EQ(same["match"], items[0]["match"]);
  EXPECT_EQ(same["predicted"], items[0]["predicted"]);
  EXPECT_TRUE(same["score"].is_number());
}

TEST_F(Ask, SaysWhereACriterionThatCountsIsLost) {
  ASSERT_EQ(run({"fit", "beers.csv", "--out", "lost.palate", "--filters", "linear", "--filter",
                 "taste=0.0000001"})
                .status,
            0);
  const Result why = run({"explain", "lost.palate", "--user", "u1", "--item", "b2"});
  EXPECT_EQ(why.status, 0) << why.err;
  EXPECT_THAT(why.out, HasSubstr("this person weighs taste"));
}

TEST_F(Ask, WeightsChangeScores) {
  const auto with = [&](const std::string& option, const std::string& weight) {
    return run({"recommend", "beers.palate", "--user", "u1", option, weight, "--json"})
        .json()["items"][0]["score"]
        .get<double>();
  };
  EXPECT_NE(with("--weight", "taste=3"), with("--weight", "taste=1"));
  EXPECT_GT(with("--term-weight", "taste=3"), with("--term-weight", "taste=1"));
  EXPECT_EQ(
      run({"recommend", "beers.palate", "--user", "u1", "--json"}).json(),
      run({"recommend", "beers.palate", "--user", "u1", "--weight", "taste=1", "--json"}).json());
}

TEST_F(Ask, BarsHaveAPartForWhatWasTurned) {
  const auto list = [&](const std::string& weight) {
    return run({"recommend", "beers.palate", "--user", "u1", "--weight", "taste=" + weight}).out;
  };
  EXPECT_THAT(list("4"), HasSubstr("what you turned"));
  EXPECT_THAT(list("1"), Not(HasSubstr("what you turned")));
}

TEST_F(Ask, SeveralUsersComeAsOneDocument) {
  write("who.txt", "u2\nu1\n");
  const Json two = run({"recommend", "beers.palate", "--users-file", "who.txt", "--json"}).json();
  ASSERT_EQ(two["users"].size(), 2U);
  EXPECT_EQ(two["users"][0]["user"], "u2");
  const Json all = run({"recommend", "beers.palate", "--all", "--json"}).json();
  EXPECT_EQ(all["users"].size(), 12U);
  EXPECT_EQ(all["users"][1], two["users"][1]) << "users come in the order of their ids";
}

TEST_F(Ask, ListsForAllGoToAFile) {
  ASSERT_EQ(run({"recommend", "beers.palate", "--all", "--top", "2", "--out", "l.csv"}).status, 0);
  const std::string csv = read("l.csv");
  EXPECT_THAT(csv, testing::StartsWith("user,rank,item,title,score,basis,match,predicted\nu0,1,"));
  EXPECT_THAT(csv, HasSubstr("\"Bräu")) << "titles with commas are quoted";
  ASSERT_EQ(run({"recommend", "beers.palate", "--all", "--out", "l.jsonl"}).status, 0);
  std::istringstream lines(read("l.jsonl"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(Json::accept(line)) << line;
  }
  EXPECT_EQ(count, 12U);
  EXPECT_EQ(names("l."), (std::vector<std::string>{"l.csv", "l.jsonl"}));
}

TEST_F(Ask, AllowAndDenyLimitTheList) {
  write("deny.txt", "b1\n");
  const Json list = run({"recommend", "beers.palate", "--user", "u1", "--include-seen", "--allow",
                         "b1", "--allow", "b2", "--deny-file", "deny.txt", "--json"})
                        .json();
  ASSERT_EQ(list["items"].size(), 1U);
  EXPECT_EQ(list["items"][0]["item"], "b2");
}

TEST_F(Ask, ProfilesInBothFormsAreTheSame) {
  write("p.json", R"({"b1": {"overall": 5, "taste": 4}, "b3": {"overall": 4}})");
  write("p.txt", "item,criterion,value\nb1,overall,5\nb3,overall,4\nb1,taste,4\n");
  const Result json = run({"recommend", "beers.palate", "--profile", "p.json", "--json"});
  const Result text = run({"recommend", "beers.palate", "--profile", "p.txt", "--json"});
  EXPECT_EQ(json.status, 0) << json.err;
  const Json list = json.json();
  EXPECT_EQ(list, text.json());
  for (const Json& item : list["items"]) {
    EXPECT_NE(item["item"], "b1");
    EXPECT_NE(item["item"], "b3");
  }
  EXPECT_EQ(run({"recommend", "beers.palate", "--profile", "p.json"}).status, 0);
}

TEST_F(Ask, SomeoneWithoutRatingsGetsPopularItemsAndIsTold) {
  write("p.json", "{}");
  const Result result = run({"recommend", "beers.palate", "--profile", "p.json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("by popularity"));
  EXPECT_EQ(run({"recommend", "beers.palate", "--profile", "p.json", "--json"}).json()["basis"],
            "popularity");
}

TEST_F(Ask, ItemsWithoutALinkAreMarked) {
  write("r.csv", "user,item,overall\na,x,4\na,y,5\nb,z,3\nb,w,4\n");
  ASSERT_EQ(run({"fit", "r.csv", "--out", "m.palate", "--filters", "linear"}).status, 0);
  EXPECT_THAT(run({"recommend", "m.palate", "--user", "a"}).out, HasSubstr("no link"));
  const Json list = run({"recommend", "m.palate", "--user", "a", "--json"}).json();
  EXPECT_EQ(list["items"][0]["linked"], false);
}

TEST_F(Ask, ExplanationsAddUpToTheScore) {
  const Json list =
      run({"recommend", "beers.palate", "--user", "u1", "--explain", "--json"}).json();
  const Json& item = list["items"][0];
  const Result result = run({"explain", "beers.palate", "--user", "u1", "--item",
                             item["item"].get<std::string>(), "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const Json why = result.json();
  double by_criterion = why["baseline"];
  double by_part = why["baseline"];
  for (const auto& [name, value] : why["by_criterion"].items()) by_criterion += value.get<double>();
  for (const Json& part : why["parts"]) by_part += part["value"].get<double>();
  const double score = why["score"];
  EXPECT_NEAR(by_criterion, score, 1e-5 * score);
  EXPECT_NEAR(by_part, score, 1e-5 * score);
  EXPECT_NEAR(item["score"].get<double>(), score, 1e-5 * score);
  EXPECT_NEAR(item["by_criterion"]["taste"].get<double>(),
              why["by_criterion"]["taste"].get<double>(), 1e-5 * score);
  EXPECT_EQ(why["preference"].size(), 3U);
}

TEST_F(Ask, ExplainDrawsBarsAndATotal) {
  const Result utf8 = shell("LC_ALL=C.UTF-8 palate explain beers.palate --user u1 --item b2");
  EXPECT_EQ(utf8.status, 0) << utf8.err;
  EXPECT_THAT(utf8.out, HasSubstr("█"));
  EXPECT_THAT(utf8.out, HasSubstr("total"));
  const Result ascii = shell("LC_ALL=C palate explain beers.palate --user u1 --item b2");
  EXPECT_THAT(ascii.out, HasSubstr("#"));
  EXPECT_THAT(ascii.out, Not(HasSubstr("█")));
  write("p.json", R"({"b1": {"overall": 5}})");
  EXPECT_EQ(run({"explain", "beers.palate", "--profile", "p.json", "--item", "b3"}).status, 0);
}

TEST_F(Ask, SimilarItemsDoNotContainTheItem) {
  const Json near = run({"similar", "beers.palate", "--item", "b2", "--top", "4", "--json"}).json();
  ASSERT_EQ(near["items"].size(), 4U);
  for (const Json& item : near["items"]) EXPECT_NE(item["item"], "b2");
  EXPECT_THAT(run({"similar", "beers.palate", "--item", "b2"}).out, HasSubstr("Similar to Bräu 2"));
}

TEST_F(Ask, ANarrowScreenIsKept) {
  const Result result = shell("COLUMNS=50 LC_ALL=C palate recommend beers.palate --user u1");
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 52U) << line;
}

TEST_F(Ask, ColoursComeOnATerminalUnlessRefused) {
  if (shell("script -qec true /dev/null").status != 0) {
    GTEST_SKIP() << "skipped: there is no script(1), or no pseudo-terminal to be had here";
  }
  const std::string call =
      "script -qec '" + tool() + " recommend beers.palate --user u1' /dev/null";
  EXPECT_THAT(shell("export TERM=xterm-256color; unset NO_COLOR; " + call).out,
              HasSubstr("\x1b[38;5;"));
  EXPECT_THAT(shell("export TERM=xterm-256color NO_COLOR=1; " + call).out,
              Not(HasSubstr("\x1b[38;5;")));
}

TEST_F(Ask, WhatSpeaksAgainstAnItemIsSaid) {
  write("tiny.csv",
        "user,beer,overall,aroma,taste\n"
        "ann,Old Oak Stout,4.5,4.5,5\nann,River Pale,3,,2.5\n"
        "bob,Old Oak Stout,4,4,4.5\nbob,Night Porter,5,4.5,5\n"
        "cem,River Pale,4,4,3.5\ncem,Hay Wheat,4.5,4,4\n"
        "dee,Night Porter,4,5,4\ndee,Hay Wheat,2,3,\n");
  ASSERT_EQ(run({"fit", "tiny.csv", "--out", "t.palate", "--set", "lambda=8"}).status, 0);
  const Result why = run({"explain", "t.palate", "--user", "ann", "--item", "Night Porter"});
  EXPECT_EQ(why.status, 0) << why.err;
  EXPECT_THAT(why.out, HasSubstr("speaks against it"));
}

}  // namespace
}  // namespace palate::cli_test
