// The first hour with a file of one's own: what the tool says about it, and which options it names.
#include <functional>

#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OwnFiles : public Workshop {
 protected:
  /// 400 ratings of 20 people; `story` gives the last cell of each row.
  void write_films(const std::string& name, const std::function<std::string(int)>& story) const {
    std::string text = "user,film,overall,story,seen\n";
    for (int k = 0; k < 400; ++k) {
      text += "u" + std::to_string(k % 20) + ",f" + std::to_string(k / 20) + "," +
              std::to_string(1 + k * 7 % 5) + "," + story(k) + "," + std::to_string(k % 2) + "\n";
    }
    write(name, text);
  }
  [[nodiscard]] Result fit(const std::string& file) const {
    return run({"fit", file, "--out", "m.palate", "--filters", "linear"});
  }
};

TEST_F(OwnFiles, FitSaysWhichColumnsItLeavesOutAndWhy) {
  write_films("films.csv", [](int k) { return std::to_string(1 + (k * 3 + k / 20) % 5); });
  const Result result = fit("films.csv");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("columns not used: seen (only 0 and 1"));
}

TEST_F(OwnFiles, FitSaysWhereTheFirstBadRowIs) {
  write_films("films.csv",
              [](int k) { return k == 7 ? "abc" : std::to_string(1 + (k * 3 + k / 20) % 5); });
  const Result result = fit("films.csv");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("ratings overall, story"),
                                HasSubstr("1 of 400 rows set aside as bad"),
                                HasSubstr("line 9, column 4 (story): not a number: \"abc\"")));
}

TEST_F(OwnFiles, FitSaysHowToKeepZeros) {
  write_films("films.csv", [](int k) { return std::to_string(k / 3 % 3); });
  EXPECT_THAT(fit("films.csv").err, AllOf(HasSubstr("story 3"), HasSubstr("--zero rating")));
  EXPECT_THAT(run({"import", "films.csv"}).out, HasSubstr("--zero rating"));
  EXPECT_THAT(run({"import", "films.csv", "--zero", "rating"}).out,
              Not(HasSubstr("say --zero rating")));
}

TEST_F(OwnFiles, FitSaysWhatAWorthMeasures) {
  std::string text = "user,item,overall\n";
  for (int k = 0; k < 600; ++k) {
    text += "u" + std::to_string(k % 60) + ",i" + std::to_string(k * k % 7 + k / 60 % 3) + ",4\n";
  }
  write("r.csv", text);
  EXPECT_THAT(run({"fit", "r.csv", "--out", "m.palate"}).out,
              HasSubstr("(mean of recall and NDCG at 5 and 10)"));
}

TEST_F(OwnFiles, MessagesNameTheOptionsOfTheTool) {
  write("r.csv", "who,what,stars\na,x,4\nb,y,3\n");
  EXPECT_THAT(run({"import", "r.csv"}).err, HasSubstr("--user-column"));
  EXPECT_THAT(run({"import", "r.csv", "--user-column", "who"}).err, HasSubstr("--item-column"));
  EXPECT_THAT(run({"import", "r.csv", "--user-column", "whom"}).err,
              AllOf(HasSubstr("asked for with --user-column"), HasSubstr("'who'")));
  write("n.csv", "user,item,overall\na,x,-2\nb,y,3\n");
  EXPECT_THAT(run({"import", "n.csv"}).out, HasSubstr("--missing-word"));
}

TEST_F(OwnFiles, StandardInputIsReadByEveryCommand) {
  write_beers();
  const Json whole = run({"info", "beers.csv", "--json"}).json();
  EXPECT_EQ(shell("palate info - --json < beers.csv").json()["data"], whole["data"]);
  EXPECT_EQ(shell("gzip < beers.csv | palate info - --json").json()["data"], whole["data"]);
  for (const char* command :
       {"import - --out a.csv", "fit - --out m.palate --filters linear",
        "evaluate - --filters linear", "compare - --methods popularity,item-knn",
        "split - --out-dir parts", "report - --out r.html --filters linear"}) {
    const Result result = shell(std::string("cat beers.csv | palate ") + command);
    EXPECT_EQ(result.status, 0) << command << "\n" << result.err;
  }
  const Result test = shell("palate evaluate m.palate --test - < beers.csv");
  EXPECT_EQ(test.status, 0) << test.err;
  const Result stored = shell("cat beers.csv | palate import --store b.db -");
  EXPECT_EQ(stored.status, 0) << stored.err;
  const Result empty = shell("palate info - < /dev/null");
  EXPECT_EQ(empty.status, 3);
  EXPECT_THAT(empty.err, HasSubstr("standard input"));
  EXPECT_EQ(shell("palate evaluate - --test - < beers.csv").status, 2);
}

TEST_F(OwnFiles, ANameThatIsNearlyRightIsSuggested) {
  write_beers();
  const auto said = [&](const std::string& command, const std::string& option) {
    return run({command, "beers.csv", option, "x"}).err;
  };
  EXPECT_THAT(said("fit", "--outt"), HasSubstr("did you mean --out?"));
  EXPECT_THAT(said("fit", "--output"), HasSubstr("did you mean --out?"));
  EXPECT_THAT(run({"serve", "--store", "s.db", "--port", "80"}).err,
              HasSubstr("did you mean --listen?"));
  EXPECT_THAT(said("recommend", "--weights"), HasSubstr("did you mean --weight?"));
  EXPECT_THAT(said("recommend", "--colour"), HasSubstr("palate recommend --help"));
  EXPECT_THAT(run({"fit", "beer.csv", "--out", "m.palate"}).err,
              HasSubstr("did you mean 'beers.csv'?"));
  EXPECT_THAT(shell("cd .. && palate info \"$OLDPWD/beers.cvs\"").err, HasSubstr("/beers.csv'?"));
}

}  // namespace
}  // namespace palate::cli_test
