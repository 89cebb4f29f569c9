#include "reproduce/chosen.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace palate::cli::reproduce {
namespace {

struct Chosen {
  std::string_view data, method;
  std::string_view settings;  ///< "rank=64 ideal=0.3"
};

constexpr auto all = std::to_array<Chosen>({
    {"YM", "gf-cf", "rank=64 ideal=0.3"},
});

// Of methods that need none, or choose their own.
bool as_it_is(std::string_view method) { return method == "popularity"; }

}  // namespace

std::string_view how_chosen() {
  return "Settings of YM, TA and BA: of a small grid the best Recall@10 on a tenth of each "
         "person's "
         "train ratings, never on test. CA-GF has the settings of the paper; those of the public "
         "data are the authors'.";
}

std::optional<Method> chosen(std::string_view data, std::string_view method,
                             std::span<const Criterion> criteria) {
  if (as_it_is(method)) return Method(method);
  if (method == "ca-gf") {
    for (const std::string_view name : preset_names()) {
      const bool same = std::equal(name.begin(), name.end(), data.begin(), data.end(),
                                   [](char a, char b) { return a == std::tolower(b); });
      if (same) return Method(preset(name, criteria));
    }
  }
  for (const Chosen& one : all) {
    if (one.data != data || one.method != method) continue;
    Method out(method);
    std::string_view rest = one.settings;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      out.set(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace palate::cli::reproduce
