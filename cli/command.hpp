// A thin layer over CLI11: one description of the commands from which the parser, --help, the man
// page and the shell completions are all made.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "palate/error.hpp"
#include "session.hpp"

namespace CLI {
class App;
}

namespace palate::cli {

struct OptionSpec {
  std::vector<std::string> names;  ///< "-o", "--out"; one without dashes for an argument
  std::string value;               ///< "FILE", "a|b|c" for a choice, "" for a flag
  std::string help;
  std::string group;
  bool required = false;
  bool repeatable = false;

  [[nodiscard]] bool positional() const { return !names.front().starts_with('-'); }
  /// "-o, --out FILE"
  [[nodiscard]] std::string synopsis() const;
  /// The words of a choice, else nothing.
  [[nodiscard]] std::vector<std::string> choices() const;
};

struct Example {
  std::string command;
  std::string what;
};

enum class Need { optional, required };

/// What a word of a choice stands for: the variable's type, without the optional around it.
template <typename T>
struct Meaning {
  using type = T;
};
template <typename T>
struct Meaning<std::optional<T>> {
  using type = T;
};

/// Numbers as the options take them; throws Error{usage} naming `option`.
[[nodiscard]] double parse_number(std::string_view option, std::string_view text);
[[nodiscard]] std::size_t parse_count(std::string_view option, std::string_view text);
/// "8GB", "1.5 GiB", "512m" as bytes: powers of 1000, of 1024 with an i. The unit is needed.
[[nodiscard]] std::size_t parse_bytes(std::string_view option, std::string_view text);

/// "90d", "12h", "30 min" ... as seconds: s, min, h, d or w. The unit is needed.
[[nodiscard]] std::int64_t parse_duration(std::string_view option, std::string_view text);

/// Error{usage}, for a call that cannot be carried out as it stands.
[[nodiscard]] Error wrong_call(std::string message, std::string hint = {});

/// Throws Error{usage} if the name ends like a file of another format than those that are written.
/// `what` says what is: "a report is an HTML page".
void refuse_other_format(std::string_view option, const std::filesystem::path& path,
                         std::string_view what, const std::vector<std::string>& own);

/// "--out" of "-o,--out".
[[nodiscard]] std::string long_name(const std::string& names);

/// A word as a value of the type.
template <typename T>
[[nodiscard]] T parse_word(const std::string& option, const std::string& text) {
  if constexpr (std::is_same_v<T, double>) {
    return parse_number(option, text);
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    return parse_count(option, text);
  } else {
    if (std::is_same_v<T, std::filesystem::path> && text.empty()) {
      throw wrong_call(option + " needs a name");
    }
    return text;
  }
}

/// One subcommand. `option` binds a variable, whose type says what the option accepts; bad values
/// throw Error{usage}. Variables must live as long as the command.
class Command {
 public:
  using Take = std::function<void(const std::string&)>;

  Command(CLI::App& app, std::string name, std::string summary);

  /// Heading in --help for the options that follow.
  void group(std::string title) { group_ = std::move(title); }
  void example(std::string command, std::string what) {
    examples_.push_back({std::move(command), std::move(what)});
  }
  /// A paragraph of --help, after the summary.
  void describe(std::string text) { description_ = std::move(text); }

  void flag(const std::string& names, bool& value, const std::string& help);
  /// `type` says in a word what is taken.
  template <typename T>
  void option(const std::string& names, T& value, const std::string& type, const std::string& help,
              Need need = Need::optional) {
    const auto take = [&value, option = long_name(names)](const std::string& text) {
      value = parse_word<typename Meaning<T>::type>(option, text);
    };
    add(names, type, help, take, need);
  }
  /// A number: whole, unless the variable has room for more.
  template <typename T>
  void option(const std::string& names, T& value, const std::string& help) {
    option(names, value, std::is_same_v<typename Meaning<T>::type, double> ? "X" : "N", help);
  }
  /// May be given many times, one value each; an argument may have many values.
  void repeatable(const std::string& names, std::vector<std::string>& values,
                  const std::string& type, const std::string& help, Need need = Need::optional);
  /// Values in one word, with commas.
  void list(const std::string& names, std::vector<std::string>& values, const std::string& type,
            const std::string& help);
  /// One of a few words, each with what it means for `value`.
  template <typename T>
  void choice(const std::string& names, T& value,
              std::vector<std::pair<std::string, typename Meaning<T>::type>> words,
              const std::string& help, Need need = Need::optional) {
    std::string type;
    for (const auto& [word, meaning] : words) type += (type.empty() ? "" : "|") + word;
    add(
        names, type, help,
        [names, &value, words = std::move(words), type](const auto& text) {
          for (const auto& [word, meaning] : words) {
            if (word == text) {
              value = meaning;
              return;
            }
          }
          refuse_choice(names, text, type);
        },
        need);
  }

  OptionSpec& add(const std::string& names, const std::string& value, const std::string& help,
                  Take take, Need need = Need::optional);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& summary() const { return summary_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::vector<Example>& examples() const { return examples_; }
  [[nodiscard]] const std::deque<OptionSpec>& options() const { return options_; }
  [[nodiscard]] bool chosen() const;  ///< on this command line
  [[nodiscard]] std::string usage() const;
  [[nodiscard]] std::string help(std::size_t width) const;

  std::function<void(Session&)> run;

 private:
  [[noreturn]] static void refuse_choice(const std::string& names, const std::string& text,
                                         const std::string& type);

  CLI::App& app_;
  std::string name_, summary_, description_;
  std::string group_ = "Options";
  std::vector<Example> examples_;
  std::deque<OptionSpec> options_;
};

/// All of them, and the options that stand before the command.
class Tree {
 public:
  Tree();
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  Command& add(const std::string& name, const std::string& summary);
  /// Has `work` do what the command is for. The arguments that it gets are made here, to be bound
  /// to options, and live as long as the command.
  template <typename Arguments, typename Work>
  std::pair<Command&, Arguments&> add(const std::string& name, const std::string& summary,
                                      Work work) {
    Command& command = add(name, summary);
    auto arguments = std::make_shared<Arguments>();
    command.run = [arguments, work](Session& session) { work(*arguments, session); };
    return {command, *arguments};
  }
  /// Parses; returns the chosen command, or null if `text` is the answer (help, version).
  Command* parse(int argc, const char* const* argv, std::string& text);

  [[nodiscard]] const std::deque<Command>& commands() const { return commands_; }
  [[nodiscard]] std::string help(std::size_t width) const;

  CommonOptions common;

 private:
  std::unique_ptr<CLI::App> app_;
  std::deque<Command> commands_;
};

/// "2  usage: the call itself is wrong", from the library's table.
struct ExitStatus {
  int status;
  std::string name;
  std::string meaning;
};
[[nodiscard]] std::vector<ExitStatus> exit_statuses();

}  // namespace palate::cli
