// From what a person asked for to the settings of a method.
#include <algorithm>

#include "methods/registry.hpp"
#include "palate/error.hpp"
#include "palate/model.hpp"
#include "tuning/choose_settings.hpp"

namespace palate {
namespace {

using Word = std::pair<std::string, std::string>;

// A request with its words sorted into asks and settings, all of which its method has.
struct Sorted {
  NamedMethod named;
  std::vector<Word> asks, settings;
};

bool has(const std::vector<Setting>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [name](const Setting& s) { return s.name == name; });
}

// Who else could be meant by a word that this method does not know.
std::string hint_for(const MethodDescription& method, std::string_view word) {
  std::vector<std::string> owners;
  for (const MethodDescription& other : methods()) {
    if (has(other.settings, word) || has(other.asks, word)) owners.push_back(other.name);
  }
  std::string belongs;
  for (std::size_t k = 0; k < owners.size(); ++k) {
    const bool last = k > 0 && k + 1 == owners.size();
    belongs += (k == 0 ? "it belongs to " : last ? " and " : ", ") + owners[k];
  }
  if (!belongs.empty()) return belongs;
  std::string known;
  for (const auto* list : {&method.asks, &method.settings}) {
    for (const Setting& setting : *list) {
      if (list == &method.settings && has(method.asks, setting.name)) continue;
      known += (known.empty() ? "it has " : ", ") + setting.name;
    }
  }
  return known.empty() ? "it has none" : known;
}

void check_choice(const Setting& ask, const std::string& value) {
  if (ask.choices.empty() ||
      std::find(ask.choices.begin(), ask.choices.end(), value) != ask.choices.end()) {
    return;
  }
  std::string known;
  for (const std::string& one : ask.choices) known += (known.empty() ? "" : ", ") + one;
  throw Error(ErrorCode::usage, "there is no " + ask.name + " '" + value + "'", {},
              "choose one of " + known);
}

Sorted sort_words(const MethodRequest& request) {
  Sorted out{find_method(request.method), {}, {}};
  const MethodDescription& method = out.named.entry->description;
  for (const Word& word : request.settings) {
    const auto ask = std::find_if(method.asks.begin(), method.asks.end(),
                                  [&](const Setting& s) { return s.name == word.first; });
    const auto setting = std::find_if(method.settings.begin(), method.settings.end(),
                                      [&](const Setting& s) { return s.name == word.first; });
    const bool known = ask != method.asks.end() || setting != method.settings.end();
    // An alias says all of what the model is.
    const bool fits =
        out.named.alias == nullptr || (setting != method.settings.end() && setting->computing);
    if (!known || !fits) {
      throw Error(ErrorCode::usage, request.method + " has no setting '" + word.first + "'", {},
                  hint_for(method, word.first));
    }
    if (ask != method.asks.end()) {
      check_choice(*ask, word.second);
      out.asks.push_back(word);
    } else {
      out.settings.push_back(word);
    }
  }
  return out;
}

// The settings that are named, over the defaults.
Method given(const MethodRequest& request, const Sorted& sorted) {
  Method out(request.method);
  for (const auto& [name, value] : sorted.settings) out.set(name, value);
  return out;
}

bool is_open(const Sorted& sorted, const Method& method) {
  const auto& asks = sorted.named.entry->asks;
  return asks != nullptr && sorted.named.alias == nullptr && asks->open(sorted.asks, method);
}

// The value of the one setting that has `word` among its choices.
Word bare_word(const MethodRequest& request, const std::string& word) {
  const MethodDescription& method = describe_method(request.method);
  for (const Setting& setting : method.settings) {
    for (const auto* names : {&setting.choices, &setting.short_choices}) {
      if (std::find(names->begin(), names->end(), word) != names->end()) {
        return {setting.name, word};
      }
    }
  }
  std::string words;
  for (const Setting& setting : method.settings) {
    if (setting.computing) continue;
    for (const auto& name :
         setting.short_choices.empty() ? setting.choices : setting.short_choices) {
      words += ", " + name;
    }
  }
  throw Error(ErrorCode::usage, request.method + " has no setting with a value '" + word + "'", {},
              "write setting=value" + (words.empty() ? "" : ", or one of " + words.substr(2)));
}

}  // namespace

MethodRequest MethodRequest::of(std::vector<Word> settings) {
  MethodRequest out{.settings = std::move(settings)};
  for (const MethodDescription& method : methods()) {
    const bool has_all =
        std::all_of(out.settings.begin(), out.settings.end(), [&](const Word& word) {
          return has(method.settings, word.first) || has(method.asks, word.first);
        });
    if (!has_all) continue;
    out.method = method.name;
    break;
  }
  out.check();
  return out;
}

MethodRequest MethodRequest::parse(std::string_view text) {
  const std::string all(text);
  std::size_t colon = all.find(':');
  MethodRequest out{all.substr(0, colon), {}};
  static_cast<void>(find_method(out.method));
  while (colon != std::string::npos) {
    std::string word = all.substr(colon + 1);
    // A filter has a colon of its own, so it takes the rest.
    const bool rest = word.starts_with("filter");
    colon = rest ? std::string::npos : all.find(':', colon + 1);
    if (colon != std::string::npos) word.resize(word.find(':'));
    const std::size_t equals = word.find('=');
    out.settings.push_back(equals == std::string::npos
                               ? bare_word(out, word)
                               : Word{word.substr(0, equals), word.substr(equals + 1)});
  }
  out.check();
  return out;
}

void MethodRequest::check() const {
  const Sorted sorted = sort_words(*this);
  static_cast<void>(given(*this, sorted));
  if (sorted.named.entry->asks != nullptr) sorted.named.entry->asks->check(sorted.asks);
}

bool MethodRequest::automatic() const {
  const Sorted sorted = sort_words(*this);
  return is_open(sorted, given(*this, sorted));
}

std::string MethodRequest::fingerprint() const {
  const Sorted sorted = sort_words(*this);
  std::string out = given(*this, sorted).to_json();
  // Which settings are named matters where the others are chosen.
  std::vector<std::string> named;
  for (const auto& [name, value] : sorted.settings) named.push_back(name);
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  for (const std::string& name : named) out += ";" + name;
  for (const auto& [name, value] : sorted.asks) out.append(";").append(name).append("=") += value;
  return out;
}

std::string MethodRequest::name() const {
  std::string out = method;
  for (const Setting& setting : describe_method(method).settings) {
    if (setting.kind != Setting::Kind::choice || setting.computing) continue;
    for (const auto& [name, value] : settings) {
      if (name == setting.name && value != setting.default_value) out += ":" + value;
    }
  }
  return out;
}

Resolved resolve(const MethodRequest& request, const Ratings& ratings, const ChooseOptions& choose,
                 const RunOptions& run, std::optional<Choice>* known) {
  request.check();
  const Sorted sorted = sort_words(request);
  Resolved out{given(request, sorted), std::nullopt};
  const auto& asks = sorted.named.entry->asks;
  if (asks == nullptr || sorted.named.alias != nullptr) return out;
  if (is_open(sorted, out.method)) {
    std::optional<Choice> own;
    std::optional<Choice>& choice = known != nullptr ? *known : own;
    if (!choice) choice = choose_settings(request.method, ratings, choose, run);
    out.choice = choice;
    out.method = choice->method;
    // Popularity may be the best there is; it has no settings.
    if (out.method.description().name != request.method) return out;
  } else {
    out.method = asks->start(sorted.asks, ratings.criteria());
  }
  // A choice may be of a simpler method, which has none of the settings that are named.
  if (out.method.name() == sorted.named.entry->description.name) {
    for (const auto& [name, value] : sorted.settings) out.method.set(name, value);
  }
  out.method = asks->finish(sorted.asks, out.method, ratings.criteria());
  return out;
}

}  // namespace palate
