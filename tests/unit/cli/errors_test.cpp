#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::HasSubstr;

class Errors : public Workshop {
 protected:
  // With --json: the same story for a machine, on stderr, and nothing on stdout.
  void expect_error(std::vector<std::string> call, int status, const std::string& code,
                    const std::string& words) const {
    const Result text = run(call);
    EXPECT_EQ(text.status, status) << text.err;
    EXPECT_EQ(text.out, "");
    EXPECT_THAT(text.err, HasSubstr(words));
    call.insert(call.begin(), "--json");
    const Result json = run(call);
    EXPECT_EQ(json.status, status);
    EXPECT_EQ(json.out, "");
    const Json document = Json::parse(json.err, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << json.err;
    EXPECT_EQ(document["error"]["code"], code);
    EXPECT_EQ(document["error"]["exit_status"], status);
    for (const std::string key : {"message", "where", "hint"}) {
      EXPECT_TRUE(document["error"].contains(key)) << key;
    }
  }
};

TEST_F(Errors, UnknownUserNamesTheNearest) {
  fit_beers();
  expect_error({"recommend", "beers.palate", "--user", "U1"}, 4, "not_found", "'u1'");
  expect_error({"explain", "beers.palate", "--user", "u77", "--item", "b1"}, 4, "not_found",
               "there is no user 'u77'");
}

TEST_F(Errors, UnknownItemIsFoundByItsTitle) {
  fit_beers();
  expect_error({"similar", "beers.palate", "--item", "Bräu 3, dark"}, 4, "not_found", "'b3'");
}

TEST_F(Errors, UnknownCriterionListsThem) {
  fit_beers();
  expect_error({"recommend", "beers.palate", "--user", "u1", "--weight", "tast=2"}, 4, "not_found",
               "overall, aroma, taste");
}

TEST_F(Errors, MissingFilesAreNamed) {
  expect_error({"fit", "no such.csv", "--out", "m.palate"}, 5, "io", "no such.csv");
  expect_error({"recommend", "none.palate", "--user", "a"}, 5, "io", "none.palate");
}

TEST_F(Errors, WrongCallsSayWhatIsWrong) {
  write_beers();
  expect_error({"evalute", "beers.csv"}, 2, "usage", "evaluate");
  expect_error({"fit", "beers.csv", "--out", "m", "--prset", "ym"}, 2, "usage", "--preset");
  expect_error({"fit", "beers.csv"}, 2, "usage", "--out");
  expect_error({"fit", "beers.csv", "--out", "m", "--threads", "many"}, 2, "usage", "'many'");
  expect_error({"fit", "beers.csv", "--out", "m", "--filter", "taste"}, 2, "usage",
               "criterion=filter");
  expect_error({"fit", "beers.csv", "--out", "m", "--method", "popularity", "--preset", "ym"}, 2,
               "usage", "ca-gf");
  expect_error({"import", "beers.csv", "--out", "x.doc"}, 2, "usage", ".csv or .inter");
  expect_error({"evaluate", "beers.csv", "--rule", "best"}, 2, "usage", "above-median");
  expect_error({"evaluate", "beers.csv", "--test-share", "1.5"}, 2, "usage", "between 0 and 1");
  expect_error({"compare", "beers.csv", "--methods", "ca-gf"}, 2, "usage", "at least two");
  expect_error({"compare", "beers.csv", "--methods", "popularity,ca-gf:x"}, 2, "usage", "mc");
  expect_error({"info", "beers.csv", "extra"}, 2, "usage", "'extra'");
  expect_error({"fit", "beers.csv", "--out"}, 2, "usage", "needs a value");
  expect_error({}, 2, "usage", "which command");
}

TEST_F(Errors, AModelIsNotRatingsAndTheOtherWayRound) {
  fit_beers();
  expect_error({"fit", "beers.palate", "--out", "m.palate"}, 2, "usage", "this is a model");
  expect_error({"recommend", "beers.csv", "--user", "u1"}, 6, "corrupt", "palate fit");
  expect_error({"evaluate", "beers.palate"}, 2, "usage", "--test");
}

TEST_F(Errors, DamagedModelsAreRefused) {
  fit_beers();
  const std::string whole = read("beers.palate");
  write("cut.palate", std::string_view(whole).substr(0, whole.size() / 2));
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0x10);
  write("flipped.palate", flipped);
  expect_error({"recommend", "cut.palate", "--user", "u1"}, 6, "corrupt", "cut.palate");
  expect_error({"info", "flipped.palate"}, 6, "corrupt", "flipped.palate");
}

TEST_F(Errors, BadRowsAreSetAsideOrFailWithStrict) {
  write("r.csv", "user,item,overall\na,x,4\nb,y,lots\nb,x,3\n");
  const Result lenient = run({"info", "r.csv"});
  EXPECT_EQ(lenient.status, 0);
  EXPECT_THAT(lenient.err, HasSubstr("1 of 3 rows set aside"));
  expect_error({"info", "r.csv", "--strict"}, 3, "bad_input", "line 3");
  write("empty.csv", "");
  expect_error({"fit", "empty.csv", "--out", "m.palate"}, 3, "bad_input", "empty");
  EXPECT_FALSE(exists("m.palate"));
}

TEST_F(Errors, BadProfilesSayTheForm) {
  fit_beers();
  write("p.json", R"({"b1": "good"})");
  expect_error({"recommend", "beers.palate", "--profile", "p.json"}, 3, "bad_input", "p.json");
  write("p.json", "{ broken");
  expect_error({"recommend", "beers.palate", "--profile", "p.json"}, 3, "bad_input", "JSON");
  write("p.txt", "b1,overall\n");
  expect_error({"recommend", "beers.palate", "--profile", "p.txt"}, 3, "bad_input", "line 1");
}

TEST_F(Errors, AFailedWriteLeavesTheOldFileAndNothingElse) {
  fit_beers();
  const std::string before = read("beers.palate");
  expect_error({"fit", "beers.csv", "--out", "nowhere/m.palate", "--filters", "linear"}, 5, "io",
               "nowhere");
  expect_error({"fit", "beers.csv", "--out", "beers.palate", "--filter", "taste=sideways"}, 2,
               "usage", "sideways");
  EXPECT_EQ(read("beers.palate"), before);
  EXPECT_EQ(names(), (std::vector<std::string>{"beers.csv", "beers.palate"}));
}

TEST_F(Errors, AFullDiskIsAnErrorAndAClosedPipeIsNot) {
  fit_beers();
  const Result full = shell("palate recommend beers.palate --all --json > /dev/full");
  EXPECT_EQ(full.status, 5);
  EXPECT_THAT(full.err, HasSubstr("cannot write"));
  const Result pipe = shell("palate man | head -1");
  EXPECT_EQ(pipe.status, 0);
  EXPECT_EQ(pipe.err, "");
}

TEST_F(Errors, CtrlCStopsCleanly) {
  ASSERT_EQ(run({"synth", "--out", "big.csv", "--users", "3000", "--items", "1500",
                 "--ratings-per-user", "60"})
                .status,
            0);
  // Work for far longer than the seconds after which the signal comes, almost all of it a choice of
  // settings, whose best so far is of no use to who measures. In the foreground: else
  // timeout signals twice, to the process and to its group, and a second Ctrl-C ends the tool at
  // once.
  const Result result = shell("timeout --foreground --preserve-status -s INT 3 " + tool() +
                              " evaluate big.csv --folds 200 --json");
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(Json::parse(result.err)["error"]["code"], "cancelled");
}

TEST_F(Errors, AnOptionMisspeltInItsFirstLettersIsFound) {
  const Result result = run({"evaluate", "beers.csv", "--tresh", "3"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean --threshold?"));
}

}  // namespace
}  // namespace palate::cli_test
