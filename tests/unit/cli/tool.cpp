#include "unit/cli/tool.hpp"

#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace palate::cli_test {
namespace fs = std::filesystem;
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace

Json Result::json() const {
  const Json document = Json::parse(out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << "not one JSON document:\n" << out << err;
  return document.is_discarded() ? Json::object() : document;
}

Workshop::Workshop() {
  std::string pattern = (fs::temp_directory_path() / "palate-cli-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

std::string tool() {
  const char* const path = std::getenv("PALATE_TOOL");
  if (path == nullptr) throw std::runtime_error("PALATE_TOOL has to name the tool; ctest sets it");
  return path;
}

Workshop::~Workshop() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Result Workshop::run(const std::vector<std::string>& arguments) const {
  std::string line = "palate";
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  return shell(line);
}

Result Workshop::shell(const std::string& line) const {
  // Outside the workshop, so that tests can look at everything the tool leaves in it.
  const std::string out = folder_.string() + ".out";
  const std::string err = folder_.string() + ".err";
  const std::string script = "cd " + quoted(folder_.string()) + " || exit 99\npalate() { " +
                             quoted(tool()) + " \"$@\"; }\n" + line;
  const std::string command =
      "bash -c " + quoted(script) + " >" + quoted(out) + " 2>" + quoted(err) + " </dev/null";
  const int status = std::system(command.c_str());
  Result result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out),
                content(err)};
  fs::remove(out);
  fs::remove(err);
  return result;
}

void Workshop::write(const std::string& name, std::string_view text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::string Workshop::read(const std::string& name) const { return content(folder_ / name); }

bool Workshop::exists(const std::string& name) const { return fs::exists(folder_ / name); }

std::vector<std::string> Workshop::names(const std::string& prefix) const {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Twelve people, ten beers; even people like even beers. ann has one rating too few to be like
// anybody, and a comma and an umlaut stand in the titles.
void Workshop::write_beers() const {
  std::string text = "user,beer,overall,aroma,taste,title\n";
  for (int u = 0; u < 12; ++u) {
    for (int b = 0; b < 10; ++b) {
      if ((u * 7 + b * 3) % 5 < 2) continue;
      const int overall = u % 2 == b % 2 ? 4 + (u + b) % 2 : 1 + (u + b) % 3;
      const int taste = std::min(5, overall + b % 2);
      const std::string aroma = (u + b) % 4 == 0 ? "" : std::to_string(std::max(1, overall - 1));
      text += "u" + std::to_string(u) + ",b" + std::to_string(b) + "," + std::to_string(overall) +
              "," + aroma + "," + std::to_string(taste) + ",\"Bräu " + std::to_string(b) +
              ", dark\"\n";
    }
  }
  write("beers.csv", text);
}

void Workshop::fit_beers() const {
  write_beers();
  const Result result = run({"fit", "beers.csv", "--out", "beers.palate", "--filters", "linear"});
  ASSERT_EQ(result.status, 0) << result.err;
}

}  // namespace palate::cli_test
