#include "suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "palate/error.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

// Levenshtein distance, or limit + 1 if it is larger than that.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    std::size_t best = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
  }
  return row[b.size()];
}

// Whether a name begins with `wrong`, or with something one letter away from it.
bool begins_like(std::string_view name, std::string_view wrong) {
  if (wrong.empty()) return false;
  if (name.starts_with(wrong)) return true;
  constexpr std::size_t enough_letters = 5;
  if (wrong.size() < enough_letters) return false;
  for (const std::size_t length : {wrong.size() - 1, wrong.size(), wrong.size() + 1}) {
    if (edit_distance(wrong, name.substr(0, length), 1) <= 1) return true;
  }
  return false;
}

constexpr std::size_t most = 3;

}  // namespace

std::string did_you_mean(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back("'" + printable(name) + "'");
  return fmt::format("did you mean {}?", join(quoted, " or "));
}

std::vector<std::string> nearest(std::string_view wrong, std::size_t count,
                                 const std::function<std::string_view(std::size_t)>& name_of) {
  const std::string target = lower(wrong);
  const std::size_t limit = std::clamp<std::size_t>(target.size() / 3, 1, 3);
  struct Candidate {
    std::size_t distance, index;
  };
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = lower(name_of(i));
    std::size_t distance = edit_distance(target, name, limit);
    if (begins_like(name, target)) distance = std::min<std::size_t>(distance, 1);
    if (distance > limit) continue;
    found.push_back({distance, i});
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.distance < b.distance; });
    if (found.size() > most) found.pop_back();
  }
  std::vector<std::string> names;
  for (const Candidate& candidate : found) names.emplace_back(name_of(candidate.index));
  return names;
}

std::vector<std::string> nearest(std::string_view wrong, const std::vector<std::string>& names) {
  return nearest(wrong, names.size(), [&](std::size_t i) { return std::string_view(names[i]); });
}

std::uint32_t require_user(const Ratings& ratings, std::string_view id) {
  if (const auto user = ratings.find_user(id)) return *user;
  std::string hint = did_you_mean(nearest(id, ratings.users(), [&](std::size_t u) {
    return ratings.user_id(static_cast<std::uint32_t>(u));
  }));
  if (hint.empty() && ratings.users() > 0) {
    hint = fmt::format("the ids look like '{}'; for someone new, use --profile",
                       printable(ratings.user_id(0)));
  }
  throw Error(ErrorCode::not_found, fmt::format("there is no user '{}'", printable(id)), {}, hint);
}

std::uint32_t require_item(const Ratings& ratings, std::string_view id) {
  if (const auto item = ratings.find_item(id)) return *item;
  std::string hint;
  const std::string wanted = lower(id);
  for (std::uint32_t i = 0; ratings.has_titles() && i < ratings.items(); ++i) {
    if (lower(ratings.item_title(i)) != wanted) continue;
    hint = fmt::format("the item of that title has the id '{}'", printable(ratings.item_id(i)));
    break;
  }
  if (hint.empty()) {
    hint = did_you_mean(nearest(id, ratings.items(), [&](std::size_t i) {
      return ratings.item_id(static_cast<std::uint32_t>(i));
    }));
  }
  if (hint.empty() && ratings.items() > 0) {
    hint = fmt::format("the ids look like '{}'", printable(ratings.item_id(0)));
  }
  throw Error(ErrorCode::not_found, fmt::format("there is no item '{}'", printable(id)), {}, hint);
}

std::size_t require_criterion(const Ratings& ratings, std::string_view name,
                              std::string_view option) {
  if (const auto criterion = ratings.find_criterion(name)) return *criterion;
  std::vector<std::string> names;
  for (const Criterion& criterion : ratings.criteria()) names.push_back(printable(criterion.name));
  throw Error(ErrorCode::not_found,
              fmt::format("{}: there is no criterion '{}'", option, printable(name)), {},
              fmt::format("the criteria are {}", join(names, ", ")));
}

}  // namespace palate::cli
