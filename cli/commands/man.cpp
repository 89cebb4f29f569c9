// palate man: the manual page palate(1), from the command tree.
#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "palate/version.hpp"

namespace palate::cli {
namespace {

// Text as roff takes it: no line may begin with a control character, a backslash must be doubled,
// and a dash that a person may copy must be a real one.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.') || out.starts_with('\'')) out = "\\&" + out;
  return out;
}

std::string option_entry(const OptionSpec& spec) {
  std::string head;
  for (const std::string& name : spec.names) {
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  }
  if (!spec.value.empty()) head += fmt::format(" \\fI{}\\fR", roff(spec.value));
  const std::string more =
      spec.required ? " Required." : (spec.repeatable ? " May be repeated." : "");
  return fmt::format(".TP\n{}\n{}\n", head, roff(spec.help + more));
}

std::string command_section(const Command& command) {
  std::string out = fmt::format(".SS \"{}\"\n{}\n", roff(command.usage()), roff(command.summary()));
  if (!command.description().empty()) out += fmt::format(".PP\n{}\n", roff(command.description()));
  for (const OptionSpec& spec : command.options()) {
    if (!spec.positional() && spec.group != "Common options") out += option_entry(spec);
  }
  for (const Example& example : command.examples()) {
    out += fmt::format(".PP\n{}\n.PP\n.nf\n.RS 4\n{}\n.RE\n.fi\n", roff(example.what),
                       roff(example.command));
  }
  return out;
}

std::string man_page(const Tree& tree) {
  std::string out = fmt::format(".TH PALATE 1 \"\" \"palate {}\" \"User Commands\"\n", version);
  out += ".SH NAME\npalate \\- recommendations from multi\\-criteria ratings\n";
  out += ".SH SYNOPSIS\n\\fBpalate\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  out +=
      ".SH DESCRIPTION\n"
      "palate reads ratings that people gave on several criteria, fits a model by graph\n"
      "filtering, recommends items with reasons, and measures how good the lists are.\n"
      ".PP\n"
      "DATA is a ratings file (CSV, TSV, RecBole .inter, JSON lines; gzip of these) or a folder\n"
      "of SciPy matrices. MODEL is a file that\n"
      "\\fBpalate fit\\fR\nwrote.\n";
  out += ".SH OPTIONS OF EVERY COMMAND\n";
  if (!tree.commands().empty()) {
    for (const OptionSpec& spec : tree.commands().front().options()) {
      if (spec.group == "Common options") out += option_entry(spec);
    }
  }
  out +=
      ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow help; after a command, that of the command.\n";
  out += ".TP\n\\fB\\-\\-version\\fR\nShow the version.\n";
  out += ".SH COMMANDS\n";
  for (const Command& command : tree.commands()) out += command_section(command);
  out += ".SH EXIT STATUS\n";
  for (const ExitStatus& exit : exit_statuses()) {
    out +=
        fmt::format(".TP\n\\fB{}\\fR\n{} ({})\n", exit.status, roff(exit.meaning), roff(exit.name));
  }
  out +=
      ".PP\nWith \\-\\-json an error is one JSON object on standard error: error.code,\n"
      "error.message, error.where, error.hint and error.exit_status.\n";
  out +=
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBNO_COLOR\\fR\nIf set, no colours.\n"
      ".TP\n\\fBCOLUMNS\\fR\nWidth of tables when the output is not a terminal.\n"
      ".TP\n\\fBLC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\\fR\n"
      "Bars are drawn with block characters if the encoding is UTF\\-8, else with ASCII.\n";
  return out;
}

}  // namespace

void add_man(Tree& tree) {
  Command& command = tree.add("man", "Print the manual page.");
  command.example("palate man | man -l -", "Read it.");
  command.run = [&tree](Session& session) {
    if (session.json()) {
      print_json(session, {{"page", man_page(tree)}});
    } else {
      session.print(man_page(tree));
    }
  };
}

}  // namespace palate::cli
