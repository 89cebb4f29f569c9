#include "server/service/importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "palate/error.hpp"

namespace palate::server {
namespace {

std::string names_of(const std::vector<Criterion>& criteria) {
  std::string out;
  for (const Criterion& one : criteria) out += (out.empty() ? "" : ", ") + one.name;
  return out;
}

StoredRating rating_of(const Ratings& ratings, std::uint32_t user, std::size_t k,
                       const MatchedCriteria& matched) {
  const UserRatings rated = ratings.of(user);
  const std::size_t width = ratings.criteria().size();
  StoredRating rating{std::string(ratings.user_id(user)),
                      std::string(ratings.item_id(rated.items[k]))};
  for (const auto& place : matched.places) {
    const bool there = place && (rated.present[k] >> *place & 1U) != 0;
    rating.values.push_back(there ? rated.values[k * width + *place] : std::nanf(""));
  }
  if (!rated.times.empty()) rating.time = rated.times[k];
  return rating;
}

void require_on_scale(const std::vector<Criterion>& stored, const Ratings& ratings,
                      const std::string& file) {
  for (const Criterion& seen : ratings.criteria()) {
    const auto found = std::find_if(stored.begin(), stored.end(),
                                    [&](const Criterion& c) { return c.name == seen.name; });
    if (seen.max == 0) continue;  // nobody rated it
    const bool known = found != stored.end() && found->max > 0;
    const double low = known ? decimal(found->min) : 0;
    const double high = known ? decimal(found->max) : max_without_scale;
    if (decimal(seen.min) >= low && decimal(seen.max) <= high) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("the ratings of '{}' go from {} to {}, and its scale from {} to {}",
                            seen.name, decimal(seen.min), decimal(seen.max), low, high),
                {.file = file, .field = seen.name},
                known ? "PUT /v1/criteria changes the scale of a criterion" : "");
  }
}

}  // namespace

MatchedCriteria match_criteria(std::vector<Criterion> stored, const Ratings& ratings,
                               const std::string& file, const std::string& option, Scales scales) {
  if (scales == Scales::keep) require_on_scale(stored, ratings, file);
  MatchedCriteria out{std::move(stored)};
  if (out.criteria.empty()) {
    for (const Criterion& found : ratings.criteria()) out.criteria.push_back(usual_scale(found));
    out.changed = true;
  }
  for (const Criterion& criterion : ratings.criteria()) {
    const auto same = [&](const Criterion& other) { return other.name == criterion.name; };
    if (std::any_of(out.criteria.begin(), out.criteria.end(), same)) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("the store has no criterion '{}', only {}", criterion.name,
                            names_of(out.criteria)),
                {.file = file}, "name the columns that are its criteria with " + option);
  }
  for (Criterion& criterion : out.criteria) {
    out.places.push_back(ratings.find_criterion(criterion.name));
    if (!out.places.back()) continue;
    const Criterion& seen = ratings.criteria()[*out.places.back()];
    if (seen.max == 0 || (seen.min >= criterion.min && seen.max <= criterion.max)) continue;
    if (criterion.max == 0) {
      criterion = usual_scale(seen);
      out.changed = out.changed || criterion.max > 0;
      continue;
    }
    out.changed = true;
    criterion.min = std::min(criterion.min, seen.min);
    criterion.max = std::max(criterion.max, seen.max);
  }
  return out;
}

void Importer::add(const Ratings& ratings, const MatchedCriteria& matched, std::string_view stage,
                   const RunOptions& run) {
  std::uint64_t done = 0;
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings rated = ratings.of(user);
    for (std::size_t k = 0; k < rated.size(); ++k) put(rating_of(ratings, user, k, matched));
    done += rated.size();
    if (run.progress && !run.progress(stage, done, ratings.interactions())) {
      throw Error(ErrorCode::cancelled, "stopped; what was written so far stays in the store", {},
                  "the same import goes on where it stopped");
    }
  }
  flush();
}

void Importer::add_titles(const Ratings& ratings) {
  if (!ratings.has_titles()) return;
  constexpr std::size_t page = 10'000;
  std::unordered_map<std::string, StoredItem> known;
  for (std::vector<StoredItem> items = store_.items("", page); !items.empty();
       items = store_.items(items.back().id, page)) {
    for (const StoredItem& item : items) known.emplace(item.id, item);
  }
  for (std::uint32_t k = 0; k < ratings.items(); ++k) {
    const auto id = std::string(ratings.item_id(k));
    const std::string_view title = ratings.item_title(k);
    if (title == id) continue;  // what stands for an item without one
    const auto found = known.find(id);
    StoredItem item = found == known.end() ? StoredItem{.id = id} : found->second;
    if (item.title == title) continue;
    item.title = title;
    put(std::move(item));
  }
  flush();
}

void Importer::put(StoreWrite write) {
  constexpr std::size_t batch = 10'000;
  writes_.push_back(std::move(write));
  if (writes_.size() >= batch) flush();
}

void Importer::flush() {
  if (writes_.empty()) return;
  try {
    const WriteResult result = store_.write(writes_);
    for (std::size_t k = 0; k < writes_.size(); ++k) {
      if (!std::holds_alternative<StoredRating>(writes_[k])) continue;
      new_ratings_ += result.effects[k] == WriteEffect::created ? 1 : 0;
      changed_ratings_ += result.effects[k] == WriteEffect::changed ? 1 : 0;
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    // Its line is a place in the batch, which means nothing to whoever has the file.
    throw Error(error.code(), error.message(), {.file = file_, .field = error.where().field},
                error.hint());
  }
  writes_.clear();
}

Json to_json(const ImportReport& report) {
  constexpr std::array<std::string_view, 4> rules = {"last", "first", "mean", "error"};
  Json bad = Json::array();
  for (const BadRow& row : report.first_bad_rows) {
    bad.push_back({{"file", row.file},
                   {"line", row.line},
                   {"column", row.column},
                   {"field", row.field},
                   {"reason", row.reason}});
  }
  Json ignored = Json::array();
  Json because = Json::object();
  for (const IgnoredColumn& column : report.ignored_columns) {
    ignored.push_back(column.name);
    because[column.name] = column.reason;
  }
  return {{"files", report.files},
          {"format", report.format},
          {"columns",
           {{"user", report.user_column},
            {"item", report.item_column},
            {"criteria", report.criterion_columns},
            {"time", report.time_column},
            {"title", report.title_column},
            {"ignored", std::move(ignored)},
            {"ignored_because", std::move(because)},
            {"guessed", report.guessed}}},
          {"rows", report.rows},
          {"kept", report.kept},
          {"duplicates", report.duplicates},
          {"duplicates_rule", rules.at(static_cast<std::size_t>(report.duplicates_rule))},
          {"missing_rule", report.missing_rule},
          {"zeros_as_missing", report.zeros_as_missing},
          {"empty_as_missing", report.empty_as_missing},
          {"bad_rows", report.bad_rows},
          {"first_bad_rows", std::move(bad)},
          {"advice", report.advice},
          {"notes", report.notes}};
}

Json to_json(const Ratings& ratings) {
  Json criteria = Json::array();
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    const Criterion& criterion = ratings.criteria()[c];
    criteria.push_back({{"name", criterion.name},
                        {"ratings", ratings.ratings_of(c)},
                        {"min", decimal(criterion.min)},
                        {"max", decimal(criterion.max)}});
  }
  return {{"users", ratings.users()},
          {"items", ratings.items()},
          {"interactions", ratings.interactions()},
          {"times", ratings.has_times()},
          {"titles", ratings.has_titles()},
          {"criteria", std::move(criteria)}};
}

}  // namespace palate::server
