#include "settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "text.hpp"

namespace palate::cli {
namespace {

// More than so many columns of words are listed in the help instead.
constexpr std::size_t longest_value = 48;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// One option of the tool: the same setting of one method or several.
struct SharedOption {
  const Setting* setting = nullptr;
  std::vector<std::pair<std::string, const Setting*>> owners;  // by method

  [[nodiscard]] std::string help() const {
    std::string out;
    for (const auto& [method, about] : owners) {
      const std::string all = join(about->choices, "|");
      if (owners.size() > 1) out += fmt::format("{}For {}: ", out.empty() ? "" : " ", method);
      out += about->help;
      if (all.size() > longest_value) out += fmt::format(" One of {}.", join(about->choices, ", "));
      if (!about->default_value.empty()) out += fmt::format(" ({})", about->default_value);
    }
    return out;
  }
};

std::vector<SharedOption> shared_options() {
  std::vector<SharedOption> out;
  for (const MethodDescription& method : methods()) {
    for (const auto* list : {&method.asks, &method.settings}) {
      for (const Setting& setting : *list) {
        if (!setting.option) continue;
        auto same = std::find_if(out.begin(), out.end(), [&](const SharedOption& o) {
          return o.setting->name == setting.name;
        });
        if (same == out.end()) same = out.insert(out.end(), {&setting, {}});
        same->owners.emplace_back(method.name, &setting);
      }
    }
  }
  return out;
}

}  // namespace

std::string value_text(const Setting& setting) {
  switch (setting.kind) {
    case Setting::Kind::flag:
      return "true|false";
    case Setting::Kind::count:
    case Setting::Kind::number:
      return "N";
    case Setting::Kind::optional_number:
      return "N|off";
    case Setting::Kind::filter:
      return "FILTER[:POWER]";
    case Setting::Kind::filters:
      return "CRITERION=FILTER[:POWER];...";
    default:
      if (const std::string all = join(setting.choices, "|"); !all.empty()) {
        return all.size() <= longest_value ? all : upper(setting.name);
      }
      return setting.repeatable ? "CRITERION=FILTER[:POWER]" : "auto|FILTER[:POWER]";
  }
}

void add_method_options(Command& command, MethodOptions& options, CommonOptions& common) {
  command.group("Method");
  command.option("--method", options.method, "NAME",
                 "Which method: " + join(method_names(), ", ") +
                     ". By default adaptive, its settings found on the ratings; with settings that "
                     "it does not have, the first method that has them: --preset, --filters and "
                     "--solver mean ca-gf. 'palate methods' tells what each can do.");
  for (const SharedOption& option : shared_options()) {
    const std::string& name = option.setting->name;
    command
        .add("--" + name, value_text(*option.setting), option.help(),
             [&options, name](const std::string& text) {
               options.settings.emplace_back(name, text);
             })
        .repeatable = option.setting->repeatable;
  }
  command
      .add("--set", "SETTING=VALUE",
           "Any setting of the method, as 'palate methods' lists them, such as lambda=200.",
           [&options](const std::string& text) {
             const std::size_t equals = text.find('=');
             if (equals == std::string::npos || equals == 0) {
               throw wrong_call(fmt::format("--set needs setting=value, not '{}'", printable(text)),
                                "for example --set neighbours=50");
             }
             options.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
           })
      .repeatable = true;
  add_memory_option(command, common);
}

void add_memory_option(Command& command, CommonOptions& common) {
  command.add(
      "--memory", "SIZE",
      "Memory that fitting may take besides the ratings, such as 8GB or 512MB; by default "
      "what the machine has to spare.",
      [&common](const std::string& text) { common.memory = parse_bytes("--memory", text); });
}

MethodRequest MethodOptions::request() const {
  if (!method) return MethodRequest::of(settings);
  MethodRequest out{*method, settings};
  out.check();
  return out;
}

Resolved settle(Session& session, const MethodRequest& request, const Ratings& train,
                const ChooseOptions& choose, std::optional<Choice>* cache) {
  const bool known = cache != nullptr && cache->has_value();
  if (request.automatic() && !known) session.stage("choosing settings");
  return resolve(request, train, choose, session.run(), cache);
}

ChooseOptions until_interrupted(Session& session, ChooseOptions choose) {
  choose.enough = [&session] { return session.enough(); };
  return choose;
}

std::string settings_text(const Method& method) {
  std::string out = fmt::format("{:<14}{}\n", "method", method.name());
  for (const Setting& setting : method.description().settings) {
    out += fmt::format("{:<14}{}\n", setting.name, printable(method.get(setting.name)));
  }
  return out;
}

std::string settings_text(const Session& session, const Model& model) {
  const ModelInfo info = model.info();
  std::string out = fmt::format("method      {}", info.method);
  if (!info.variant.empty() && info.variant != "full")
    out += fmt::format(", variant {}", info.variant);
  out += "\n";
  if (info.filters.empty()) {
    return info.settings.empty() ? out : settings_text(Method::from_json(info.settings));
  }
  Table table({{"criterion", false, true}, {"filter"}, {"power", true}});
  for (std::size_t c = 0; c < info.filters.size() && c < info.criteria.size(); ++c) {
    table.row({printable(info.criteria[c].name), filter_name(info.filters[c]),
               fmt::format("{:g}", info.filters[c].power)});
  }
  out += info.preference ? fmt::format("preference  power {:g}\n\n", *info.preference)
                         : std::string("preference  off\n\n");
  return out + table.text(session.out);
}

std::string response_text(const ModelInfo& info) {
  if (info.response.empty()) return {};
  const auto passes = [&](double strength) {
    const auto at = std::min_element(
        info.response.begin(), info.response.end(), [&](const auto& a, const auto& b) {
          return std::abs(a.first - strength) < std::abs(b.first - strength);
        });
    return 100 * at->second;
  };
  return fmt::format(
      "lets through {:.0f} % of an average pattern of ratings, {:.0f} % of one 10 times as strong, "
      "{:.0f} % of one 100 times as strong\n",
      passes(1), passes(10), passes(100));
}

std::string engine_text(const ModelInfo& info) {
  if (info.storage.empty()) return {};
  const std::string how = info.solver.empty()
                              ? fmt::format("{} weights", info.storage)
                              : fmt::format("{} graph, {} solver", info.storage, info.solver);
  return fmt::format("{}{}{}\n", how, info.why.empty() ? "" : ": ", printable(info.why));
}

}  // namespace palate::cli
