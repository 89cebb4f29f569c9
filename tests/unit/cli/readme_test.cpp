// The commands of the README do what it says, on the file that comes with the project.
#include <fstream>

#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const fs::path source = PALATE_SOURCE_DIR;

class Readme : public Workshop {
 protected:
  Readme() { write("beers.csv", read((source / "examples" / "beers.csv").string())); }
};

// Lines of code that the shell can run: all but the service, which does not end by itself.
std::vector<std::string> commands_of(const fs::path& page) {
  std::ifstream file(page);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("    palate ") && !line.starts_with("    palate serve")) {
      out.push_back(line.substr(4));
    }
  }
  return out;
}

TEST_F(Readme, EveryCommandRunsAndShowsSomething) {
  const std::vector<std::string> commands = commands_of(source / "README.md");
  ASSERT_GE(commands.size(), 10U);
  for (const std::string& command : commands) {
    const Result result = shell(command);
    EXPECT_EQ(result.status, 0) << command << "\n" << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("too few"))) << command;
    EXPECT_THAT(result.out, Not(HasSubstr("Nothing is left"))) << command;
    EXPECT_THAT(result.out, Not(HasSubstr("No link leads"))) << command;
    EXPECT_NE(result.out, "") << command;
  }
  EXPECT_TRUE(exists("beers.html"));
}

TEST_F(Readme, TheExampleShowsThatTheDefaultIsClearlyBetterThanPopularity) {
  const Json both =
      run({"compare", "beers.csv", "--methods", "popularity,adaptive", "--json"}).json();
  for (const Json& difference : both["differences"]) {
    EXPECT_GT(difference["low"].get<double>(), 0) << difference["metric"];
  }
}

}  // namespace
}  // namespace palate::cli_test
