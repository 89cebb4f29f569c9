// palate methods: which methods there are, what each can do, and its settings.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "json.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

// "explain, serve newcomers"
std::string words(const MethodDescription& method) {
  const Json about = Json::parse(to_json(method));
  std::string out;
  for (const auto& [ability, can] : about.at("can").items()) {
    if (!can.get<bool>()) continue;
    std::string word = ability;
    std::replace(word.begin(), word.end(), '_', ' ');
    out += (out.empty() ? "" : ", ") + word;
  }
  return out;
}

std::string details(const Session& session, const MethodDescription& method) {
  std::string out = toned(session.out, Tone::bold, method.name) + "\n" + method.summary + "\n";
  out += fmt::format("can: {}\n", words(method));
  if (method.trained) out += "trained by gradient descent\n";
  if (method.reconstruction) out += "a reconstruction: its authors' code was not to be had\n";
  for (const auto* list : {&method.asks, &method.settings}) {
    for (const Setting& setting : *list) {
      const auto asked = std::find_if(method.asks.begin(), method.asks.end(),
                                      [&](const Setting& ask) { return ask.name == setting.name; });
      if (list == &method.settings && asked != method.asks.end()) continue;
      out += fmt::format("\n  {}={}", setting.name, value_text(setting));
      if (!setting.default_value.empty()) out += fmt::format(" ({})", setting.default_value);
      out += "\n";
      for (const std::string& line : wrap(setting.help, 84)) out += "      " + line + "\n";
    }
  }
  return out;
}

void run_methods(const std::vector<std::string>& names, Session& session) {
  if (session.json()) {
    Json list = Json::array();
    for (const MethodDescription& method : methods()) {
      const bool wanted = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return &describe_method(name) == &method;
      });
      if (names.empty() || wanted) list.push_back(Json::parse(to_json(method)));
    }
    print_json(session, {{"methods", std::move(list)}});
    return;
  }
  if (!names.empty()) {
    std::string text;
    for (const std::string& name : names) {
      text += (text.empty() ? "" : "\n") + details(session, describe_method(name));
    }
    session.print(text);
    return;
  }
  std::string text;
  const auto add = [&](const std::string& name, const std::string& summary,
                       const MethodDescription& method) {
    text += toned(session.out, Tone::bold, name) + "\n";
    for (const std::string& line : wrap(summary, 84)) text += "    " + line + "\n";
    text += toned(session.out, Tone::dim, "    can " + words(method)) + "\n";
  };
  for (const MethodDescription& method : methods()) {
    add(method.name, method.summary + (method.reconstruction ? " (reconstruction)" : ""), method);
    for (const auto& alias : method.aliases) add(alias.name, alias.summary, method);
  }
  session.print(
      text +
      "\n'palate methods NAME' lists the settings of one; --set SETTING=VALUE gives them.\n");
}

}  // namespace

void add_methods(Tree& tree) {
  Command& command = tree.add("methods", "List the methods, what each can do, and its settings.");
  auto names = std::make_shared<std::vector<std::string>>();
  command.repeatable("method", *names, "NAME", "Only these, with all of their settings.");
  command.example("palate methods", "A line for each.");
  command.example("palate methods ease", "The settings of one.");
  command.run = [names](Session& session) { run_methods(*names, session); };
}

}  // namespace palate::cli
