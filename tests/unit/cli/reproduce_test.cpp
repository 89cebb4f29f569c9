// palate reproduce on a small published set, under the name of a larger one.
#include <algorithm>
#include <filesystem>

#include "support/shared_data.hpp"
#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Reproduce : public Workshop {
 protected:
  void SetUp() override {
    const auto toy = palate::testing::shared_folder() / "data" / "TA_toy";
    PALATE_NEED_SHARED(toy);
    ASSERT_EQ(shell("mkdir data && ln -s '" + std::filesystem::absolute(toy).string() + "' data/TA")
                  .status,
              0);
  }
  [[nodiscard]] Json of(const std::string& only) const {
    return run({"reproduce", "data", "--out", "r", "--only", only, "--json"}).json();
  }
};

TEST_F(Reproduce, KeepsWhatItComputedAndSaysWhatWasNotRun) {
  const Json first = of("TA,accuracy,popularity,ca-gf");
  EXPECT_EQ(first["computed"], 2);
  EXPECT_GT(first["not_run"], 10);
  const std::string text = read("r/results.md");
  EXPECT_THAT(text, HasSubstr("| LightGCN | not run (0.0550) |"));
  EXPECT_THAT(text, HasSubstr("| GF-CF | not run (0.0596) |"));
  EXPECT_THAT(text, Not(HasSubstr("| CA-GF | not run (0.0750) |")));
  const Json again = of("TA,accuracy,popularity,ca-gf");
  EXPECT_EQ(again["computed"], 0);
  EXPECT_EQ(again["kept"], 2);
  EXPECT_EQ(read("r/results.md"), text);
}

TEST_F(Reproduce, GoesOnWhereItWasKilled) {
  // Whenever it is killed, what is kept is whole.
  static_cast<void>(shell("timeout -s KILL 0.3 palate reproduce data --out r --only TA,filters"));
  const Json rest = of("TA,filters");
  EXPECT_EQ(rest["computed"].get<int>() + rest["kept"].get<int>(), 24);
  write("r/cells/TA.filters.overall-L.json", "{\"asked\":");
  EXPECT_EQ(of("TA,filters")["computed"], 1);
}

TEST_F(Reproduce, CorrectsForManyComparisons) {
  static_cast<void>(of("TA,accuracy,popularity,ca-gf,turbo-cf,gf-cf,adaptive"));
  const Json results = Json::parse(read("r/results.json"));
  std::vector<std::pair<double, double>> p;
  for (const Json& one : results["significance"]["TA"]["ca-gf"]["differences"]) {
    p.emplace_back(one["p"], one["p_holm"]);
  }
  ASSERT_GE(p.size(), 2U);
  std::sort(p.begin(), p.end());
  double least = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    least = std::max(least, std::min(1.0, static_cast<double>(p.size() - k) * p[k].first));
    EXPECT_DOUBLE_EQ(p[k].second, least);
  }
}

TEST_F(Reproduce, DrawsFiguresThatStandAlone) {
  static_cast<void>(of("TA,filters"));
  const std::string svg = read("r/figures/TA-filters.svg");
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr("<style>"));
  EXPECT_THAT(read("r/results.html"), HasSubstr("<figure><svg"));
}

TEST_F(Reproduce, RefusesWhatItDoesNotKnow) {
  const Result unknown = run({"reproduce", "data", "--out", "r", "--only", "accurracy"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("accuracy, ablation"));
  EXPECT_EQ(run({"reproduce", "r", "--out", "r"}).status, 5);
  ASSERT_EQ(shell("mkdir empty").status, 0);
  EXPECT_EQ(run({"reproduce", "empty", "--out", "r"}).status, 4);
}

}  // namespace
}  // namespace palate::cli_test
