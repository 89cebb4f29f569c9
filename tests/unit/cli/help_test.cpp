#include <array>
#include <regex>
#include <sstream>

#include "unit/cli/tool.hpp"

namespace palate::cli_test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> commands = {
    "import",  "info",     "synth",   "split",    "fit",        "recommend", "similar",
    "explain", "evaluate", "compare", "report",   "reproduce",  "serve",     "backup",
    "dump",    "restore",  "keys",    "activity", "completion", "man"};

class Help : public Workshop {};

TEST_F(Help, ListsEveryCommandAndTheExitStatuses) {
  const Result result = run({"--help"});
  EXPECT_EQ(result.status, 0);
  for (const std::string& command : commands) EXPECT_THAT(result.out, HasSubstr("  " + command));
  EXPECT_THAT(result.out, HasSubstr("Exit status:"));
  EXPECT_THAT(result.out, HasSubstr("not_found"));
  EXPECT_THAT(result.out, HasSubstr("130"));
}

TEST_F(Help, OfEachCommandEndsWithAnExampleOfIt) {
  for (const std::string& command : commands) {
    const Result result = run({command, "--help"});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_EQ(result.err, "");
    const std::size_t example = result.out.rfind("\nExample");
    ASSERT_NE(example, std::string::npos) << command;
    EXPECT_THAT(result.out.substr(example), HasSubstr("palate " + command));
    EXPECT_THAT(result.out, HasSubstr("--json"));
  }
}

TEST_F(Help, TheCommandReferenceNamesEveryOption) {
  const Result page = shell("cat '" PALATE_SOURCE_DIR "/docs/command-reference.md'");
  ASSERT_EQ(page.status, 0);
  for (const std::string& command : commands) {
    const std::size_t begin = page.out.find("\n## palate " + command + "\n");
    ASSERT_NE(begin, std::string::npos) << command;
    std::string section = page.out.substr(begin, page.out.find("\n## ", begin + 1) - begin);
    // Options of reading and of the method stand once, for all commands.
    section += page.out.substr(page.out.find("\n## Shared options\n"));
    std::istringstream lines(run({command, "--help"}).out);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t name = line.find("--");
      if (name == std::string::npos || line.find_first_not_of(' ') > 2 || line[2] != '-') continue;
      const std::string option = line.substr(name, line.find_first_of(" ,", name) - name);
      EXPECT_NE(section.find("`" + option), std::string::npos) << command << " " << option;
    }
  }
}

// "4, not_found, no such user": the rows of EXIT STATUS of the manual page.
std::vector<std::array<std::string, 3>> exit_statuses(std::string page) {
  for (std::size_t at = 0; (at = page.find("\\-", at)) != std::string::npos;) page.erase(at, 1);
  const std::regex row(R"(\.TP\n\\fB(\d+)\\fR\n(.+) \((\w+)\)\n)");
  std::vector<std::array<std::string, 3>> rows;
  for (std::sregex_iterator found(page.begin(), page.end(), row), end; found != end; ++found) {
    rows.push_back({(*found)[1], (*found)[3], (*found)[2]});
  }
  return rows;
}

TEST_F(Help, TheDocumentsHaveTheSameExitStatusesAsTheManualPage) {
  const std::string reference = shell("cat '" PALATE_SOURCE_DIR "/docs/command-reference.md'").out;
  const std::string architecture = shell("cat '" PALATE_SOURCE_DIR "/docs/architecture.md'").out;
  const auto rows = exit_statuses(run({"man"}).out);
  EXPECT_EQ(rows.size(), 12U);
  for (const auto& [status, name, meaning] : rows) {
    EXPECT_THAT(reference, HasSubstr("| " + status + " | `" + name + "` | " + meaning + " |"));
    if (name == "ok" || status == "141" || status == "143") continue;
    EXPECT_THAT(architecture, HasSubstr("| `" + name + "` | " + meaning + " | " + status + " | "));
  }
}

TEST_F(Help, KeepsToANarrowScreen) {
  const Result result = shell("COLUMNS=60 palate fit --help");
  const std::string options = result.out.substr(0, result.out.rfind("\nExample"));
  std::istringstream lines(options.substr(options.find("\nArguments")));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("auto|linear") != std::string::npos) continue;  // one unbreakable word
    EXPECT_LE(line.size(), 60U) << line;
  }
}

TEST_F(Help, PagesAndScriptsComeAsJsonToo) {
  EXPECT_EQ(run({"man", "--json"}).json()["page"], run({"man"}).out);
  EXPECT_EQ(run({"completion", "fish", "--json"}).json()["script"],
            run({"completion", "fish"}).out);
}

TEST_F(Help, VersionIsOneLine) {
  const Result result = run({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("palate [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Help, BashCompletionParsesAndCompletes) {
  EXPECT_EQ(shell("palate completion bash > c.bash && bash -n c.bash").status, 0);
  const Result words = shell(
      "source c.bash; COMP_WORDS=(palate ev); COMP_CWORD=1; _palate; echo \"${COMPREPLY[@]}\";"
      "COMP_WORDS=(palate evaluate --rule above); COMP_CWORD=3; _palate; echo \"${COMPREPLY[@]}\";"
      "COMP_WORDS=(palate fit --pres); COMP_CWORD=2; _palate; echo \"${COMPREPLY[@]}\"");
  EXPECT_EQ(words.out, "evaluate\nabove above-median above-user-mean\n--preset\n");
}

TEST_F(Help, OtherShellsGetTheirScripts) {
  const Result zsh = run({"completion", "zsh"});
  EXPECT_THAT(zsh.out, HasSubstr("#compdef palate"));
  EXPECT_THAT(zsh.out, HasSubstr("--preset["));
  const Result fish = run({"completion", "fish"});
  EXPECT_THAT(fish.out, HasSubstr("-l preset"));
  EXPECT_EQ(run({"completion", "tcsh"}).status, 2);
  EXPECT_EQ(run({"completion"}).status, 2);
}

TEST_F(Help, ManualPageNamesEveryCommandAndIsSound) {
  const Result page = run({"man"});
  EXPECT_EQ(page.status, 0);
  for (const std::string& command : commands) {
    EXPECT_THAT(page.out, HasSubstr(".SS \"palate " + command));
  }
  if (shell("command -v mandoc").status != 0) GTEST_SKIP() << "mandoc is not installed";
  const Result lint = shell("palate man > palate.1 && mandoc -T lint -W error palate.1");
  EXPECT_EQ(lint.status, 0) << lint.out << lint.err;
}

TEST_F(Help, ShellsOfferTheWordsThatAnOptionTakes) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = run({"completion", shell}).out;
    EXPECT_THAT(script, HasSubstr("adaptive ca-gf overall-only ease")) << shell;
    EXPECT_THAT(script, HasSubstr("graph-per-criterion")) << shell;
    EXPECT_THAT(script, HasSubstr("ym ta ba")) << shell;
  }
}

TEST_F(Help, DescriptionsBesideCompletionsAreShort) {
  std::istringstream lines(run({"completion", "fish"}).out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(" -d ");
    if (at == std::string::npos) continue;
    EXPECT_LE(line.size() - at, 80U) << line;
  }
}

}  // namespace
}  // namespace palate::cli_test
