#include "reproduce/chosen.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace palate::cli::reproduce {
namespace {

// How settings came about.
enum class Found { validation, taken_over, authors };

struct Chosen {
  std::string_view data, method;
  std::string_view settings;  ///< "rank=64 ideal=0.3"
  Found found = Found::taken_over;
};

constexpr auto all = std::to_array<Chosen>({
    {"YM", "gf-cf", "rank=32 ideal=0.1", Found::validation},
    {"YM", "gf-cf-mc", "rank=32 ideal=0.1", Found::validation},
    {"YM", "turbo-cf", "link_power=1", Found::validation},
    {"YM", "pgsp", "rank=32 linear=0.7", Found::validation},
    {"YM", "bspm", "rank=32 ideal=0.1 time=0.5", Found::validation},
    {"YM", "chebycf", "rank=32 ideal=0.1", Found::validation},
    {"YM", "sgfcf", "rank=32 power=0.35 rest=2 input=binary", Found::validation},
    {"YM", "ease", "lambda=200"},
    {"YM", "edlae", "lambda=100 dropout=0.3 user_power=0.2", Found::validation},
    {"TA", "gf-cf", "rank=32 ideal=0.3", Found::validation},
    {"TA", "gf-cf-mc", "ideal=0", Found::validation},
    {"TA", "turbo-cf", "link_power=0.5", Found::validation},
    {"TA", "pgsp", "rank=32 linear=0.7"},
    {"TA", "bspm", "rank=32 ideal=0.3 time=0.5"},
    {"TA", "chebycf", "rank=32 ideal=0.1"},
    {"TA", "sgfcf", "rank=32 power=0.35 rest=2 input=binary"},
    {"TA", "ease", "lambda=50"},
    {"TA", "edlae", "lambda=20 dropout=0.3 user_power=0.2 item_power=0.2"},
    {"BA", "gf-cf", "ideal=0", Found::validation},
    {"BA", "gf-cf-mc", "ideal=0"},
    {"BA", "turbo-cf", "link_power=0.7", Found::validation},
    {"BA", "pgsp", "rank=32 linear=0.7"},
    {"BA", "bspm", "rank=32 ideal=0.3 time=0.5"},
    {"BA", "chebycf", "rank=32 ideal=0.1"},
    {"BA", "sgfcf", "rank=32 power=0.35 rest=2 input=binary"},
    {"BA", "ease", "lambda=500"},
    {"BA", "edlae", "lambda=200 dropout=0.3 user_power=0.2 item_power=0.2"},
    {"gowalla", "item-knn", "neighbours=100", Found::authors},
    {"gowalla", "ease", "lambda=80", Found::authors},
    {"gowalla", "gf-cf", "rank=256 ideal=0.3", Found::authors},
    {"gowalla", "turbo-cf", "user_power=0.6 link_power=0.7", Found::authors},
    {"gowalla", "pgsp", "rank=512 linear=0.7", Found::authors},
    {"gowalla", "bspm", "rank=448 ideal=0.2 time=2.5", Found::authors},
    {"gowalla", "chebycf", "rank=512 ideal=0.2 flatness=1.5 item_power=0.4", Found::authors},
    {"yelp2018", "item-knn", "neighbours=150 similarity=pearson", Found::authors},
    {"yelp2018", "ease", "lambda=300", Found::authors},
    {"yelp2018", "gf-cf", "rank=256 ideal=0.3", Found::authors},
    {"yelp2018", "turbo-cf", "user_power=0.6 filter=second", Found::authors},
    {"yelp2018", "bspm", "rank=384 ideal=0.3 time=1.2 solver=euler average=true", Found::authors},
    {"amazon-book", "item-knn", "neighbours=10 similarity=pearson", Found::authors},
    {"amazon-book", "ease", "lambda=50", Found::authors},
    {"amazon-book", "gf-cf", "ideal=0", Found::authors},
    {"amazon-book", "turbo-cf", "link_power=1.4", Found::authors},
    {"amazon-book", "bspm", "ideal=0 time=2.2 steps=2 merge=late", Found::authors},
});

// What has settings that suit most data, and for item-kNN stands for what people would use instead.
bool as_it_is(std::string_view data, std::string_view method) {
  if (method == "popularity") return true;
  const bool several = data == "YM" || data == "TA" || data == "BA";
  return several && (method == "item-knn" || method == "adaptive");
}

}  // namespace

std::string_view how_chosen() {
  return "validation: of a small grid, the best Recall@10 on a tenth of each person's train "
         "ratings "
         "(seed 1), never on test. taken over: from another data set or from earlier measurements, "
         "and not searched for here. authors: from the method's authors. CA-GF has the settings of "
         "the paper.";
}

std::string_view found_by(std::string_view data, std::string_view method) {
  if (method == "ca-gf") return "authors";
  for (const Chosen& one : all) {
    if (one.data != data || one.method != method) continue;
    return one.found == Found::validation ? "validation"
           : one.found == Found::authors  ? "authors"
                                          : "taken over";
  }
  return "defaults";
}

std::optional<Method> chosen(std::string_view data, std::string_view method,
                             std::span<const Criterion> criteria) {
  if (as_it_is(data, method)) return Method(method);
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
