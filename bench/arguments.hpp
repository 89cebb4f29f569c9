// Arguments of every program here: positions, and options as "--name value" anywhere between them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

namespace bench {

class Arguments {
 public:
  /// Prints `usage` and ends with 2 unless there are `needed` positions and only known options.
  Arguments(int argc, char** argv, const char* usage, std::size_t needed,
            const std::vector<std::string>& known)
      : usage_(usage) {
    for (int k = 1; k < argc; ++k) {
      const std::string word = argv[k];
      if (word.rfind("--", 0) != 0) {
        positions_.push_back(word);
      } else {
        const std::string name = word.substr(2);
        if (std::find(known.begin(), known.end(), name) == known.end() || k + 1 == argc) refuse();
        options_[name] = argv[++k];
      }
    }
    if (positions_.size() < needed) refuse();
  }

  [[nodiscard]] std::string text(std::size_t position, const std::string& otherwise = {}) const {
    return position < positions_.size() ? positions_[position] : otherwise;
  }
  [[nodiscard]] std::string text(const std::string& option,
                                 const std::string& otherwise = {}) const {
    const auto found = options_.find(option);
    return found == options_.end() ? otherwise : found->second;
  }
  [[nodiscard]] std::size_t number(std::size_t position, std::size_t otherwise) const {
    return position < positions_.size() ? to_number(positions_[position]) : otherwise;
  }
  [[nodiscard]] std::size_t number(const std::string& option, std::size_t otherwise) const {
    const std::string given = text(option);
    return given.empty() ? otherwise : to_number(given);
  }
  [[noreturn]] void refuse() const {
    std::fprintf(stderr, "usage: %s\n", usage_);
    std::exit(2);
  }

 private:
  [[nodiscard]] std::size_t to_number(const std::string& given) const {
    std::size_t value = 0;
    const char* end = given.data() + given.size();
    const auto [stop, error] = std::from_chars(given.data(), end, value);
    if (error != std::errc() || stop != end) refuse();
    return value;
  }

  const char* usage_;
  std::vector<std::string> positions_;
  std::map<std::string, std::string> options_;
};

/// The body of main: what went wrong is said in one line, and the status is 1.
template <class Body>
int run(const Arguments& arguments, Body body) {
  try {
    body(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace bench
