#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class DataCommands : public Workshop {};

TEST_F(DataCommands, ImportReportsWhatItGuessedAndWrote) {
  write_beers();
  const Result result = run({"import", "beers.csv", "--out", "out.inter"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("beer"));
  EXPECT_THAT(result.out, HasSubstr("wrote out.inter"));
  EXPECT_THAT(read("out.inter"), HasSubstr("user_id:token\titem_id:token\trating:float"));
}

TEST_F(DataCommands, ImportAsJsonHasCountsAndColumns) {
  write("r.csv", "user,item,overall,taste\na,x,4,5\nb,x,0,3\nb,x,2,2\nc,y,bad,1\n");
  const Result result = run({"import", "r.csv", "--out", "o.csv", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const Json report = result.json();
  EXPECT_EQ(report["columns"]["user"], "user");
  EXPECT_EQ(report["columns"]["criteria"], Json({"overall", "taste"}));
  EXPECT_EQ(report["rows"], 4);
  EXPECT_EQ(report["bad_rows"], 1);
  EXPECT_EQ(report["first_bad_rows"][0]["line"], 5);
  EXPECT_EQ(report["duplicates"], 1);
  EXPECT_EQ(report["zeros_as_missing"], 1);
  EXPECT_EQ(report["data"]["users"], 2);
}

TEST_F(DataCommands, ImportedFilesAreTheSameData) {
  write_beers();
  ASSERT_EQ(run({"import", "beers.csv", "--out", "a.csv.gz"}).status, 0);
  const Json before = run({"info", "beers.csv", "--json"}).json();
  const Json after = run({"info", "a.csv.gz", "--json"}).json();
  EXPECT_EQ(before["data"], after["data"]);
}

TEST_F(DataCommands, ColumnsCanBeNamed) {
  write("r.csv", "who;what;stars;fun\na;x;4;5\nb;y;3;2\n");
  const Json info = run({"info", "r.csv", "--user-column", "who", "--item-column", "what",
                         "--overall-column", "stars", "--criteria", "fun", "--json"})
                        .json();
  EXPECT_EQ(info["data"]["users"], 2);
  EXPECT_EQ(info["import"]["columns"]["criteria"][0], "stars");
  EXPECT_EQ(info["data"]["criteria"][0]["name"], "overall");
  EXPECT_EQ(info["data"]["criteria"][1]["name"], "fun");
}

TEST_F(DataCommands, InfoShowsRatingsAndModels) {
  fit_beers();
  const Result data = run({"info", "beers.csv"});
  EXPECT_EQ(data.status, 0);
  EXPECT_THAT(data.out, HasSubstr("overall"));
  EXPECT_THAT(data.err, HasSubstr("columns guessed"));
  EXPECT_EQ(run({"info", "beers.csv", "--quiet"}).err, "");
  const Json model = run({"info", "beers.palate", "--json"}).json();
  EXPECT_EQ(model["kind"], "model");
  EXPECT_EQ(model["method"], "ca-gf");
  EXPECT_EQ(model["filters"]["taste"]["filter"], "linear");
  EXPECT_EQ(model["data"]["users"], 12);
}

TEST_F(DataCommands, SynthIsTheSameForTheSameSeed) {
  const std::vector<std::string> base = {"synth", "--users",    "40",       "--items",
                                         "30",    "--criteria", "fun,rest", "--seed"};
  const auto make = [&](const std::string& seed, const std::string& out) {
    std::vector<std::string> arguments = base;
    arguments.insert(arguments.end(), {seed, "--out", out, "--items-out", "titles.csv"});
    ASSERT_EQ(run(arguments).status, 0);
  };
  make("3", "a.csv");
  make("3", "b.csv");
  make("4", "c.csv");
  EXPECT_EQ(read("a.csv"), read("b.csv"));
  EXPECT_NE(read("a.csv"), read("c.csv"));
  EXPECT_THAT(read("a.csv").substr(0, read("a.csv").find('\n')), HasSubstr("fun"));
  EXPECT_THAT(read("titles.csv"), testing::StartsWith("item,title\n"));
}

TEST_F(DataCommands, SplitWritesPartsThatAddUp) {
  write_beers();
  const Json whole = run({"info", "beers.csv", "--json"}).json();
  const Result result = run({"split", "beers.csv", "--out-dir", "parts", "--test-share", "0.3",
                             "--validation", "0.2", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  std::size_t sum = 0;
  const Json document = result.json();
  ASSERT_EQ(document["files"].size(), 3U);
  for (const Json& file : document["files"]) {
    sum += file["interactions"].get<std::size_t>();
    EXPECT_TRUE(exists(file["file"]));
  }
  EXPECT_EQ(whole["data"]["interactions"], sum);
}

TEST_F(DataCommands, SplitMakesFolds) {
  write_beers();
  ASSERT_EQ(run({"split", "beers.csv", "--out-dir", "f", "--folds", "3", "--as", "inter"}).status,
            0);
  EXPECT_TRUE(exists("f/fold-3/test.inter"));
  EXPECT_FALSE(exists("f/fold-4"));
}

TEST_F(DataCommands, ControlCharactersInTheDataDoNotReachTheTerminal) {
  write("r.csv", "user,item,overall\na,x\x1b[31m,4\nb,x\x1b[31m,5\nb,y,2\na,z,3\n");
  ASSERT_EQ(run({"fit", "r.csv", "--out", "m.palate", "--filters", "linear"}).status, 0);
  const Result list = run({"recommend", "m.palate", "--user", "a", "--include-seen"});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_THAT(list.out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace palate::cli_test
