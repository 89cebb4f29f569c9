#include "command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "palate/error.hpp"
#include "palate/version.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {

Error wrong_call(std::string message, std::string hint) {
  return {ErrorCode::usage, std::move(message), {}, std::move(hint)};
}

void refuse_other_format(std::string_view option, const std::filesystem::path& path,
                         std::string_view what, const std::vector<std::string>& own) {
  // Endings that say something else; any other name is the caller's affair.
  static const std::vector<std::string> known = {
      ".csv", ".tsv",     ".txt", ".json", ".jsonl",  ".ndjson", ".html", ".htm",   ".pdf",
      ".xml", ".xlsx",    ".xls", ".docx", ".md",     ".png",    ".svg",  ".npz",   ".npy",
      ".pkl", ".parquet", ".db",  ".zip",  ".palate", ".onnx",   ".pt",   ".inter", ".gz"};
  const std::string ending = lower(path.extension().string());
  const auto in = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), ending) != list.end();
  };
  if (!in(known) || in(own)) return;
  throw wrong_call(
      fmt::format("{} '{}': {}, not {}", option, printable(path.string()), what, ending),
      fmt::format("{} {}", option,
                  printable(std::filesystem::path(path).replace_extension(own.front()).string())));
}

std::string long_name(const std::string& names) { return split_list(names, ',').back(); }

namespace {

constexpr std::size_t most_threads = 1024;

void add_common(Command& command, CommonOptions& common) {
  command.group("Common options");
  command.flag("--json", common.json, "Print one JSON document on standard output.");
  command.add("--threads", "N",
              "Threads to use; 0, the default, means all cores. Results do not depend on it.",
              [&common](const std::string& text) {
                const std::size_t count = parse_count("--threads", text);
                if (count > most_threads) {
                  throw wrong_call(fmt::format("--threads may be at most {}", most_threads));
                }
                common.threads = static_cast<unsigned>(count);
              });
  command.flag("-q,--quiet", common.quiet, "No progress bar and no remarks.");
}

// The words of a command line that no command or option took.
std::vector<std::string> left_over(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  std::erase(words, "--");  // only marks that no options follow
  return words;
}

std::string_view without_dashes(std::string_view option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

/// The option that was meant: by its letters, the dashes aside; by a longer word for it, as
/// --output; or by what it takes, as --port of --listen ADDRESS:PORT. "" if there is none.
std::string option_meant(std::string_view wrong, const std::deque<OptionSpec>& options) {
  const std::string word = lower(without_dashes(wrong));
  std::vector<std::string> known = {"--help"};
  for (const OptionSpec& spec : options) {
    if (!spec.positional()) known.insert(known.end(), spec.names.begin(), spec.names.end());
  }
  const auto close =
      nearest(word, known.size(), [&](std::size_t k) { return without_dashes(known[k]); });
  const auto called = [&](const std::string& name) {
    return std::find_if(known.begin(), known.end(),
                        [&](const std::string& one) { return without_dashes(one) == name; });
  };
  if (!close.empty()) return *called(close.front());
  constexpr std::size_t enough_letters = 3;
  if (word.size() < enough_letters) return {};
  for (const std::string& name : known) {
    const std::string_view letters = without_dashes(name);
    if (letters.size() >= enough_letters && word.starts_with(letters)) return name;
  }
  for (const OptionSpec& spec : options) {
    if (!spec.positional() && lower(spec.value).find(word) != std::string::npos) {
      return spec.names.back();
    }
  }
  return {};
}

Error unexpected(const std::string& word, const Command* command, const Tree& tree) {
  std::vector<std::string> known;
  if (command == nullptr && !word.starts_with('-')) {
    for (const Command& c : tree.commands()) known.push_back(c.name());
    const auto close = nearest(word, known);
    return wrong_call(fmt::format("there is no command '{}'", printable(word)),
                      close.empty() ? "palate --help lists the commands"
                                    : fmt::format("did you mean 'palate {}'?", close.front()));
  }
  const std::string help =
      command == nullptr ? "palate --help" : fmt::format("palate {} --help", command->name());
  if (!word.starts_with('-')) {
    return wrong_call(fmt::format("'{}' is one argument too many", printable(word)),
                      fmt::format("{} shows the usage", help));
  }
  const std::string option = word.substr(0, word.find('='));
  const std::string meant =
      option_meant(option, command == nullptr ? std::deque<OptionSpec>{} : command->options());
  return wrong_call(fmt::format("there is no option '{}'", printable(option)),
                    meant.empty() ? fmt::format("{} lists the options", help)
                                  : fmt::format("did you mean {}?", meant));
}

}  // namespace

double parse_number(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    throw wrong_call(fmt::format("{} needs a number, not '{}'", option, printable(text)));
  }
  return value;
}

std::size_t parse_count(std::string_view option, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw wrong_call(fmt::format("{} needs a whole number, not '{}'", option, printable(text)));
  }
  return value;
}

std::size_t parse_bytes(std::string_view option, std::string_view text) {
  constexpr std::string_view example = "for example 8GB or 512MB";
  constexpr std::string_view digits = "0123456789.";
  const std::size_t end = std::min(text.find_first_not_of(digits), text.size());
  std::string unit = lower(text.substr(end));
  unit.erase(0, unit.find_first_not_of(' '));
  const bool binary = unit.size() > 1 && unit[1] == 'i';
  const std::size_t prefix =
      unit.empty() ? std::string::npos : std::string_view("bkmgt").find(unit[0]);
  const std::string rest = unit.empty() ? "" : unit.substr(binary ? 2 : 1);
  const bool known =
      prefix != std::string::npos && (rest.empty() ? !binary : rest == "b" && prefix > 0);
  if (end == 0 || !known) {
    const bool bare = end > 0 && unit.empty();
    throw wrong_call(
        fmt::format("{} needs a size with a unit, not '{}'", option, printable(text)),
        bare ? fmt::format("{0}GB, {0}MB, {0}KB or {0}B?", text) : std::string(example));
  }
  const double factor = std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(prefix));
  const double bytes = parse_number(option, text.substr(0, end)) * factor;
  if (bytes < 1) {
    throw wrong_call(fmt::format("{} must be at least one byte", option), std::string(example));
  }
  if (bytes >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) {
    throw wrong_call(fmt::format("{} '{}' is more than any machine has", option, printable(text)),
                     std::string(example));
  }
  return static_cast<std::size_t>(bytes);
}

std::int64_t parse_duration(std::string_view option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86'400}, {"w", 604'800}}};
  constexpr double most = 3.2e9;  // a hundred years
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view unit = text.substr(end);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto* const found = std::find_if(units.begin(), units.end(),
                                         [&](const auto& known) { return known.first == unit; });
  if (end == 0 || found == units.end()) {
    throw wrong_call(fmt::format("{} needs a time with a unit, not '{}'", option, printable(text)),
                     "for example 30min, 12h, 90d or 52w");
  }
  const double seconds = parse_number(option, text.substr(0, end)) * found->second;
  if (seconds > most) {
    throw wrong_call(fmt::format("{} can be a hundred years at most", option));
  }
  return static_cast<std::int64_t>(seconds);
}

std::string OptionSpec::synopsis() const {
  std::string out = join(names, ", ");
  if (!value.empty() && !positional()) out += " " + value;
  return out;
}

std::vector<std::string> OptionSpec::choices() const {
  if (value.find('|') == std::string::npos) return {};
  std::vector<std::string> words;
  for (std::string& word : split_list(value, '|')) {
    if (word == lower(word)) words.push_back(std::move(word));
  }
  return words;
}

Command::Command(CLI::App& app, std::string name, std::string summary)
    : app_(app), name_(std::move(name)), summary_(std::move(summary)) {}

OptionSpec& Command::add(const std::string& names, const std::string& value,
                         const std::string& help, Take take, Need need) {
  OptionSpec& spec = options_.emplace_back();
  spec.names = split_list(names, ',');
  spec.value = value;
  spec.help = help;
  spec.group = group_;
  spec.required = need == Need::required;
  if (value.empty()) {
    app_.add_flag_callback(names, [take = std::move(take)] { take("true"); });
    return spec;
  }
  const auto callback = [take = std::move(take), &spec](const CLI::results_t& results) {
    if (results.size() > 1 && !spec.repeatable) {
      throw wrong_call(fmt::format("{} is given more than once", spec.names.back()));
    }
    for (const std::string& text : results) take(text);
    return true;
  };
  CLI::Option* option = app_.add_option(names, callback);
  // One word per occurrence, however many occurrences; the callback counts them.
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  option->required(spec.required);
  return spec;
}

void Command::flag(const std::string& names, bool& value, const std::string& help) {
  add(names, "", help, [&value](const std::string&) { value = true; });
}

void Command::repeatable(const std::string& names, std::vector<std::string>& values,
                         const std::string& type, const std::string& help, Need need) {
  const auto take = [&values](const std::string& text) { values.push_back(text); };
  add(names, type, help, take, need).repeatable = true;
  // An argument has no name to repeat: its values follow each other.
  constexpr int most = 1 << 20;
  if (!names.starts_with('-')) app_.get_option(names)->expected(1, most)->allow_extra_args();
}

void Command::list(const std::string& names, std::vector<std::string>& values,
                   const std::string& type, const std::string& help) {
  add(names, type, help, [&values, names](const std::string& text) {
    values = split_list(text, ',');
    if (values.empty())
      throw wrong_call(fmt::format("{} needs at least one word", long_name(names)));
  });
}

bool Command::chosen() const { return app_.parsed(); }

void Command::refuse_choice(const std::string& names, const std::string& text,
                            const std::string& type) {
  throw wrong_call(fmt::format("{} cannot be '{}'", long_name(names), printable(text)),
                   fmt::format("it is one of {}", join(split_list(type, '|'), ", ")));
}

Tree::Tree() : app_(std::make_unique<CLI::App>("", "palate")) {
  app_->set_help_flag("-h,--help");
  app_->set_version_flag("--version", std::string(version));
  app_->require_subcommand(0, 1);
  app_->add_flag_callback("--json", [this] { common.json = true; });
  app_->add_flag_callback("-q,--quiet", [this] { common.quiet = true; });
  app_->add_option("--threads", [this](const CLI::results_t& results) {
    common.threads =
        static_cast<unsigned>(std::min(parse_count("--threads", results.back()), most_threads));
    return true;
  });
}

Tree::~Tree() = default;

Command& Tree::add(const std::string& name, const std::string& summary) {
  CLI::App* app = app_->add_subcommand(name, summary);
  app->set_help_flag("-h,--help");
  app->allow_extras();
  return commands_.emplace_back(*app, name, summary);
}

Command* Tree::parse(int argc, const char* const* argv, std::string& text) {
  for (Command& command : commands_) add_common(command, common);
  app_->allow_extras();
  const auto chosen = [this]() -> Command* {
    for (Command& command : commands_) {
      if (command.chosen()) return &command;
    }
    return nullptr;
  };
  const std::size_t width = std::min<std::size_t>(screen_of(1).width, 100);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const Command* command = chosen();
    text = command != nullptr ? command->help(width) : help(width);
    return nullptr;
  } catch (const CLI::CallForVersion&) {
    text = fmt::format("palate {}\n", version);
    return nullptr;
  } catch (const CLI::ArgumentMismatch& error) {
    // "--out: 1 required TEXT missing"
    const std::string message = error.what();
    throw wrong_call(fmt::format("{} needs a value", message.substr(0, message.find(':'))));
  } catch (const CLI::ParseError& error) {
    Command* command = chosen();
    if (const auto extra = left_over(*app_); !extra.empty()) {
      throw unexpected(extra.front(), command, *this);
    }
    throw wrong_call(error.what(), fmt::format("palate {}{}--help shows the usage",
                                               command == nullptr ? "" : command->name(),
                                               command == nullptr ? "" : " "));
  }
  Command* command = chosen();
  if (const auto extra = left_over(*app_); !extra.empty()) {
    throw unexpected(extra.front(), command, *this);
  }
  if (command == nullptr) throw wrong_call("which command?", "palate --help lists the commands");
  return command;
}

}  // namespace palate::cli
