// palate completion: scripts for the shells, from the command tree.
#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "palate/method.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

std::string command_names(const Tree& tree) {
  std::vector<std::string> names;
  for (const Command& command : tree.commands()) names.push_back(command.name());
  return join(names, " ");
}

// What may be offered for an option: what its value lists, or what is too long for that.
std::vector<std::string> words_of(const OptionSpec& spec) {
  const std::string& name = spec.names.back();
  if (std::vector<std::string> listed = spec.choices(); !listed.empty()) return listed;
  if (name == "--method") return method_names();
  for (const MethodDescription& method : methods()) {
    for (const auto* list : {&method.asks, &method.settings}) {
      for (const Setting& setting : *list) {
        if (setting.option && name == "--" + setting.name) return setting.choices;
      }
    }
  }
  return {};
}

bool takes_path(const OptionSpec& spec) {
  return spec.value == "FILE" || spec.value == "DIR" || spec.value.starts_with("DATA") ||
         spec.value.starts_with("MODEL");
}

// A text between single quotes, safe in all three shells.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What fits beside a word that is completed: the first sentence, or as much of it as may be.
std::string in_brief(const std::string& help) {
  constexpr std::size_t longest = 60;
  std::string out = help.substr(0, help.find(". "));
  if (out.ends_with('.')) out.pop_back();
  if (columns_of(out) <= longest) return out;
  out = wrap(out, longest - 3).front();
  while (out.ends_with(',') || out.ends_with(':') || out.ends_with(';')) out.pop_back();
  return out + "...";
}

std::string bash(const Tree& tree) {
  std::string out = "# bash completion for palate\n_palate() {\n";
  out += "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n";
  out += "  local command=\"${COMP_WORDS[1]}\" words=\"\"\n  COMPREPLY=()\n";
  out += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$current\")\n"
      "    return\n  fi\n",
      command_names(tree));
  out += "  case \"$command $previous\" in\n";
  for (const Command& command : tree.commands()) {
    for (const OptionSpec& spec : command.options()) {
      const std::string action = !words_of(spec).empty()
                                     ? fmt::format("words='{}'", join(words_of(spec), " "))
                                     : std::string("return");
      // Options that take a path or a free word fall through to the shell's own file names.
      if (spec.positional() || spec.value.empty()) continue;
      for (const std::string& name : spec.names) {
        out += fmt::format("    '{} {}') {} ;;\n", command.name(), name, action);
      }
    }
  }
  out += "  esac\n";
  out +=
      "  if [ -n \"$words\" ]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n    return\n  fi\n";
  out += "  case \"$command\" in\n";
  for (const Command& command : tree.commands()) {
    std::string words = "--help";
    for (const OptionSpec& spec : command.options()) {
      words += " " + (spec.positional() ? join(words_of(spec), " ") : spec.names.back());
    }
    out += fmt::format("    {}) words='{}' ;;\n", command.name(), words);
  }
  out += "  esac\n";
  out +=
      "  case \"$current\" in\n"
      "    -*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
      "    *) if [ \"$command\" = completion ]; then\n"
      "         mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "       fi ;;\n"
      "  esac\n}\ncomplete -o default -F _palate palate\n";
  return out;
}

// _arguments reads [ ] : in descriptions as its own.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionSpec& spec) {
  if (!words_of(spec).empty()) {
    return fmt::format(":value:({})", join(words_of(spec), " "));
  }
  return takes_path(spec) ? fmt::format(":{}:_files", zsh_text(spec.value))
                          : fmt::format(":{}: ", zsh_text(spec.value));
}

std::string zsh(const Tree& tree) {
  std::string out = "#compdef palate\n_palate() {\n  local -a commands\n  commands=(\n";
  for (const Command& command : tree.commands()) {
    out += "    " + in_quotes(fmt::format("{}:{}", command.name(), zsh_text(command.summary()))) +
           "\n";
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : tree.commands()) {
    out += fmt::format("    {})\n      _arguments", command.name());
    for (const OptionSpec& spec : command.options()) {
      std::string line;
      if (spec.positional()) {
        line = ":" + zsh_action(spec);
        if (line.starts_with("::")) line.erase(0, 1);
      } else {
        line = fmt::format("{}{}[{}]", spec.repeatable ? "*" : "", spec.names.back(),
                           zsh_text(in_brief(spec.help)));
        if (!spec.value.empty()) line += zsh_action(spec);
      }
      out += " \\\n        " + in_quotes(line);
    }
    out += "\n      ;;\n";
  }
  // Works as a file of $fpath, which is the body of the function, and when sourced.
  return out +
         "  esac\n}\nif [ \"$funcstack[1]\" = _palate ]; then\n  _palate \"$@\"\nelse\n"
         "  compdef _palate palate\nfi\n";
}

std::string fish(const Tree& tree) {
  std::string out = "# fish completion for palate\ncomplete -c palate -e\n";
  for (const Command& command : tree.commands()) {
    out += fmt::format("complete -c palate -n __fish_use_subcommand -f -a {} -d {}\n",
                       command.name(), in_quotes(command.summary()));
    for (const OptionSpec& spec : command.options()) {
      std::string line =
          fmt::format("complete -c palate -n '__fish_seen_subcommand_from {}'", command.name());
      for (const std::string& name : spec.names) {
        if (name.starts_with("--")) {
          line += " -l " + name.substr(2);
        } else if (name.starts_with('-')) {
          line += " -s " + name.substr(1);
        }
      }
      if (spec.positional() && words_of(spec).empty()) continue;
      if (!words_of(spec).empty()) {
        line += fmt::format(" -x -a '{}'", join(words_of(spec), " "));
      } else if (!spec.value.empty()) {
        line += takes_path(spec) ? " -r" : " -x";
      }
      out += line + " -d " + in_quotes(in_brief(spec.help)) + "\n";
    }
  }
  return out;
}

}  // namespace

void add_completion(Tree& tree) {
  Command& command = tree.add("completion", "Print a completion script for a shell.");
  auto shell = std::make_shared<std::string>();
  command.choice("shell", *shell, {{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}},
                 "The shell.", Need::required);
  command.example("palate completion bash > ~/.local/share/bash-completion/completions/palate",
                  "Install it for yourself.");
  command.example("source <(palate completion bash)", "Try it in this shell.");
  command.run = [shell, &tree](Session& session) {
    const std::string script = *shell == "bash"  ? bash(tree)
                               : *shell == "zsh" ? zsh(tree)
                                                 : fish(tree);
    if (session.json()) {
      print_json(session, {{"shell", *shell}, {"script", script}});
    } else {
      session.print(script);
    }
  };
}

}  // namespace palate::cli
