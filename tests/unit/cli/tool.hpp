// Runs the real tool and catches what it says.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace palate::cli_test {

using Json = nlohmann::json;

struct Result {
  int status = -1;
  std::string out, err;

  /// stdout as one JSON document; fails the test if it is anything else.
  [[nodiscard]] Json json() const;
};

/// The path of the tool, which the environment variable PALATE_TOOL names.
std::string tool();

/// A folder of its own, removed at the end, in which the tool is run.
class Workshop : public ::testing::Test {
 protected:
  Workshop();
  ~Workshop() override;

  [[nodiscard]] Result run(const std::vector<std::string>& arguments) const;
  /// A line for the shell; "palate" in it is the tool.
  [[nodiscard]] Result shell(const std::string& line) const;

  void write(const std::string& name, std::string_view text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  /// Names in the folder that begin with `prefix`, sorted.
  [[nodiscard]] std::vector<std::string> names(const std::string& prefix = "") const;

  /// Writes beers.csv: a small set of two tastes, with titles.
  void write_beers() const;
  /// Writes beers.csv and fits beers.palate with plain settings.
  void fit_beers() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace palate::cli_test
