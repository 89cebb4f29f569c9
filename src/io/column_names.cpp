#include "io/column_names.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "io/utf8.hpp"

namespace palate::io {
namespace {

std::string letters(std::string_view name) {
  std::string out;
  for (const char ch : lowered(name)) {
    const bool kept = (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') ||
                      static_cast<unsigned char>(ch) >= 0x80;
    if (kept) out += ch;
  }
  return out;
}

constexpr std::array<std::string_view, 18> user_nouns = {
    "user",    "reviewer", "profile", "reviewprofile", "customer", "member",
    "author",  "rater",    "visitor", "guest",         "consumer", "client",
    "account", "person",   "critic",  "subscriber",    "traveler", "participant"};

constexpr std::array<std::string_view, 30> item_nouns = {
    "item",  "beer",   "hotel",  "movie",   "product",  "restaurant",   "place",  "book",
    "film",  "song",   "track",  "album",   "artist",   "game",         "recipe", "wine",
    "anime", "course", "venue",  "listing", "offering", "article",      "show",   "app",
    "dish",  "bar",    "coffee", "podcast", "business", "accommodation"};

constexpr std::array<std::string_view, 16> overall_names = {
    "overall",     "overallrating", "ratingoverall", "reviewoverall", "overallscore", "rating",
    "ratings",     "reviewrating",  "userrating",    "stars",         "starrating",   "score",
    "reviewscore", "totalscore",    "grade",         "ratingscore"};

constexpr std::array<std::string_view, 18> time_names = {
    "timestamp",  "unixreviewtime", "unixtime",  "time",       "datetime",        "date",
    "reviewtime", "reviewdate",     "createdat", "ratedat",    "ratingtimestamp", "ratingtime",
    "ratingdate", "created",        "ts",        "reviewedat", "submitted",       "when"};

template <std::size_t N>
int place(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? 0 : static_cast<int>(names.end() - found);
}

/// The noun's place if `name` is the noun followed by one of `endings`; "beer_beerid" counts too.
template <std::size_t N>
int noun_with(const std::array<std::string_view, N>& nouns, std::string_view name,
              std::initializer_list<std::string_view> endings) {
  for (const std::string_view noun : nouns) {
    if (!name.starts_with(noun)) continue;
    std::string_view rest = name.substr(noun.size());
    if (rest.starts_with(noun)) rest.remove_prefix(noun.size());
    for (const std::string_view ending : endings) {
      if (rest == ending) return place(nouns, noun);
    }
  }
  return 0;
}

int fit_user(std::string_view name) {
  if (const int p = noun_with(user_nouns, name, {"id", "key", "code", "no", "uuid"})) {
    return 300 + p;
  }
  if (name == "uid") return 300;
  if (const int p = noun_with(user_nouns, name, {"", "s"})) return 200 + p;
  if (const int p = noun_with(user_nouns, name, {"name"})) return 100 + p;
  return name == "u" || name == "nickname" ? 50 : 0;
}

int fit_item(std::string_view name) {
  if (const int p = noun_with(item_nouns, name, {"id", "key", "code", "no", "uuid"})) {
    return 300 + p;
  }
  if (name == "iid" || name == "asin" || name == "parentasin" || name == "isbn" || name == "sku") {
    return 300;
  }
  // "business" alone is a criterion of hotels (business service).
  if (name == "business") return 0;
  if (const int p = noun_with(item_nouns, name, {"", "s"})) return 200 + p;
  if (const int p = noun_with(item_nouns, name, {"name", "title"})) return 100 + p;
  return name == "i" ? 50 : 0;
}

int fit_title(std::string_view name) {
  if (const int p = noun_with(item_nouns, name, {"title", "name"})) return 200 + p;
  if (name == "title") return 150;
  return name == "name" || name == "label" ? 100 : 0;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

int fit(Role role, std::string_view raw_name) {
  const std::string name = letters(raw_name);
  switch (role) {
    case Role::user:
      return fit_user(name);
    case Role::item:
      return fit_item(name);
    case Role::overall:
      return place(overall_names, name);
    case Role::time:
      return place(time_names, name);
    case Role::title:
      return fit_title(name);
  }
  return 0;
}

bool names_no_rating(std::string_view raw_name) {
  const std::string name = letters(raw_name);
  if (name.empty() || name.starts_with("unnamed")) return true;
  constexpr std::array<std::string_view, 21> whole = {
      "index", "idx",  "row",      "rowid",     "no",    "nr",     "number",
      "age",   "year", "month",    "day",       "price", "cost",   "abv",
      "lat",   "lon",  "latitude", "longitude", "zip",   "weight", "fold"};
  if (std::find(whole.begin(), whole.end(), name) != whole.end()) return true;
  constexpr std::array<std::string_view, 16> endings = {
      "id",  "ids",   "count",    "counts", "votes",     "helpful", "abv",  "price",
      "key", "index", "latitude", "year",   "longitude", "zipcode", "size", "length"};
  if (std::any_of(endings.begin(), endings.end(),
                  [&](std::string_view ending) { return name.ends_with(ending); })) {
    return true;
  }
  constexpr std::array<std::string_view, 4> beginnings = {"num", "count", "numberof", "helpful"};
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view start) { return name.starts_with(start); }) ||
         lowered(raw_name).starts_with("n_");
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  const std::string wanted = lowered(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > 200 || wanted.size() > 200) continue;
    const std::size_t d = distance(wanted, lowered(candidate));
    if (d < best_distance && d < std::max(wanted.size(), candidate.size())) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace palate::io

namespace palate {

int column_fit(ColumnRole role, std::string_view name) { return io::fit(role, name); }
bool never_a_rating(std::string_view name) { return io::names_no_rating(name); }

}  // namespace palate
