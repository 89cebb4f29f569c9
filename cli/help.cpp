// --help of the tool and of each command.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "palate/error.hpp"
#include "palate/version.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

constexpr std::size_t indent = 28;

// "  --name VALUE    what it does", the right side wrapped.
std::string entry(const std::string& left, const std::string& right, std::size_t width) {
  std::string out = "  " + left;
  std::size_t column = columns_of(out);
  const std::size_t start = std::min(indent, std::max<std::size_t>(4, width / 3));
  if (column + 2 > start) {
    out += "\n";
    column = 0;
  }
  bool first = true;
  for (const std::string& line : wrap(right, width > start + 10 ? width - start : 10)) {
    out += std::string(first ? start - column : start, ' ') + line + "\n";
    first = false;
  }
  return out;
}

std::string paragraph(const std::string& text, std::size_t width) {
  return join(wrap(text, width), "\n") + "\n";
}

}  // namespace

std::vector<ExitStatus> exit_statuses() {
  std::vector<ExitStatus> out = {{0, "ok", "success"},
                                 {141, "sigpipe", "the reader of the output went away"},
                                 {143, "cancelled", "stopped by SIGTERM"}};
  for (const ErrorKind& kind : error_table()) {
    out.push_back({kind.exit_status, std::string(kind.name), std::string(kind.meaning)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.status < b.status; });
  return out;
}

std::string Command::usage() const {
  std::string out = "palate " + name_;
  for (const OptionSpec& spec : options_) {
    if (spec.positional()) out += " " + (spec.required ? spec.value : "[" + spec.value + "]");
  }
  for (const OptionSpec& spec : options_) {
    if (!spec.positional() && spec.required)
      out += fmt::format(" {} {}", spec.names.back(), spec.value);
  }
  return out + " [options]";
}

std::string Command::help(std::size_t width) const {
  std::string out = paragraph(summary_, width);
  out += fmt::format("\nUsage: {}\n", usage());
  if (!description_.empty()) out += "\n" + paragraph(description_, width);
  std::vector<std::string> groups;
  for (const OptionSpec& spec : options_) {
    const std::string& title = spec.positional() ? "Arguments" : spec.group;
    if (std::find(groups.begin(), groups.end(), title) == groups.end()) groups.push_back(title);
  }
  for (const std::string& title : groups) {
    out += fmt::format("\n{}:\n", title);
    for (const OptionSpec& spec : options_) {
      if ((spec.positional() ? "Arguments" : spec.group) != title) continue;
      const std::string left = spec.positional() ? spec.value : spec.synopsis();
      const std::string more = spec.required && !spec.positional() ? " Required."
                               : spec.repeatable                   ? " May be repeated."
                                                                   : "";
      out += entry(left, spec.help + more, width);
    }
  }
  out += entry("-h, --help", "Show this text.", width);
  out += examples_.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const Example& example : examples_) {
    out += fmt::format("  {}\n      {}\n", example.command, example.what);
  }
  return out;
}

std::string Tree::help(std::size_t width) const {
  std::string out = paragraph(
      "palate turns ratings on several criteria into recommendations with reasons, and measures "
      "how good they are.",
      width);
  out += "\nUsage: palate COMMAND [options]\n\nCommands:\n";
  for (const Command& command : commands_) out += entry(command.name(), command.summary(), width);
  out += "\nOptions (also after the command):\n";
  out += entry("--json", "Print one JSON document on standard output.", width);
  out += entry("--threads N", "Threads to use; 0 means all cores.", width);
  out += entry("-q, --quiet", "No progress bar and no remarks.", width);
  out += entry("--version", "Show the version.", width);
  out += entry("-h, --help", "Show this text; after a command, that of the command.", width);
  out += "\nExit status:\n";
  for (const ExitStatus& exit : exit_statuses()) {
    out += entry(fmt::format("{:<3} {}", exit.status, exit.name), exit.meaning, width);
  }
  out +=
      "\nExamples:\n"
      "  palate fit beers.csv --out beers.palate\n"
      "      Choose the settings and fit a model.\n"
      "  palate recommend beers.palate --user ann --top 5 --weight taste=2\n"
      "      What ann may like, with taste counting double.\n";
  return out;
}

}  // namespace palate::cli
