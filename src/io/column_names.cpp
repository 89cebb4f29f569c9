// The names that columns usually go by. Case and anything but letters and digits do not matter:
// "Beer ID", "beer_id" and "beerId" are the same.
#include "io/column_names.hpp"

#include <algorithm>
#include <array>

#include "io/utf8.hpp"
#include "palate/io.hpp"

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

constexpr std::array<std::string_view, 22> user_nouns = {
    "user",      "reviewer",   "profile", "reviewprofile", "customer", "member",
    "author",    "rater",      "visitor", "guest",         "consumer", "client",
    "account",   "person",     "critic",  "subscriber",    "traveler", "participant",
    "traveller", "respondent", "student", "judge"};

constexpr std::array<std::string_view, 36> item_nouns = {
    "item",       "beer",   "hotel",   "movie",   "product",  "restaurant",    "place",   "book",
    "film",       "song",   "track",   "album",   "artist",   "game",          "recipe",  "wine",
    "anime",      "course", "venue",   "listing", "offering", "article",       "show",    "app",
    "dish",       "bar",    "coffee",  "podcast", "business", "accommodation", "airline", "airport",
    "attraction", "doctor", "company", "school"};

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
  if (name == "iid" || name == "asin" || name == "asins" || name == "parentasin" ||
      name == "isbn" || name == "sku") {
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

/// "reviews.username" is a username. Not so a title: that of a review is no item's.
std::string_view without_review(std::string_view name) {
  for (const std::string_view prefix : {"reviews", "review"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
      return name.substr(prefix.size());
    }
  }
  return name;
}

int fit_of(ColumnRole role, std::string_view name) {
  switch (role) {
    case ColumnRole::user:
      return fit_user(name);
    case ColumnRole::item:
      return fit_item(name);
    case ColumnRole::overall:
      return place(overall_names, name);
    case ColumnRole::time:
      return place(time_names, name);
    case ColumnRole::title:
      return fit_title(name);
  }
  return 0;
}

bool no_rating(std::string_view name) {
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
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

int id_ending_fit(std::string_view raw_name) {
  const std::string name = letters(raw_name);
  if (name.size() > 2 && (name.ends_with("id") || name.ends_with("code"))) return 3;
  return name.size() > 4 && name.ends_with("name") ? 2 : 0;
}

bool never_a_rating(std::string_view raw_name) {
  const std::string name = letters(raw_name);
  return no_rating(name) || no_rating(without_review(name)) || lowered(raw_name).starts_with("n_");
}

}  // namespace palate::io

namespace palate {

int column_fit(ColumnRole role, std::string_view raw_name) {
  const std::string name = io::letters(raw_name);
  const int whole = io::fit_of(role, name);
  if (whole > 0 || role == ColumnRole::item || role == ColumnRole::title) return whole;
  return io::fit_of(role, io::without_review(name));
}

}  // namespace palate
