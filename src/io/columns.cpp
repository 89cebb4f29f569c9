#include "io/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/column_sample.hpp"
#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

/// By letters exchanged, added or left out.
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

/// The candidate nearest to `name`, or "" if none is near.
std::string nearest(std::string_view name, const std::vector<Column>& candidates) {
  const std::string wanted = lowered(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  for (const auto& [candidate, type] : candidates) {
    if (candidate.empty() || candidate.size() > 200 || wanted.size() > 200) continue;
    const std::size_t d = distance(wanted, lowered(candidate));
    if (d < best_distance && d < std::max(wanted.size(), candidate.size())) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

/// The column of the highest fit above 0; -1 if there is none.
template <class Fit>
int best_of(const std::vector<Column>& columns, const Fit& fit) {
  int found = -1;
  int found_fit = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int here = fit(k);
    if (here > found_fit) {
      found = static_cast<int>(k);
      found_fit = here;
    }
  }
  return found;
}

/// Works out one plan; claims columns as it goes so that none is used twice.
class Planner {
 public:
  Planner(Table& table, const ReadOptions& options, const RatingRule& rule)
      : table_(table),
        options_(options),
        columns_(table.rows->columns()),
        used_(columns_.size(), nullptr),
        samples_(sample_columns(*table.rows, rule)) {}

  ColumnPlan plan(const Ratings* like);

 private:
  int named(const std::string& name, const char* option);
  int best(ColumnRole role, const char* option);
  void guess(int k, const char* role);
  void claim_named(const Ratings* like);
  void guess_roles(const Ratings* like);
  void guess_overall();
  void guess_time();
  void guess_title();
  void guess_criteria();
  void match_criteria(const Ratings& like);
  void finish(const Ratings* like);
  void note_guesses();
  [[nodiscard]] bool free(std::size_t k) const { return used_[k] == nullptr; }
  [[nodiscard]] bool token(std::size_t k) const {
    return !columns_[k].type.empty() && columns_[k].type != "float";
  }
  [[nodiscard]] std::vector<int> rating_like(float overall_max) const;
  [[nodiscard]] std::string name(int k) const { return columns_[static_cast<std::size_t>(k)].name; }
  [[noreturn]] void fail(std::string message, std::string hint) const;

  Table& table_;
  const ReadOptions& options_;
  const std::vector<Column>& columns_;
  std::vector<const char*> used_;  // by which role
  std::vector<ColumnSample> samples_;
  ColumnPlan plan_;
  int overall_ = -1;
  std::vector<int> criteria_;
  bool any_named_ = false;
  std::vector<std::string> guesses_;  // roles
};

void Planner::fail(std::string message, std::string hint) const {
  throw Error(ErrorCode::bad_input, std::move(message), {table_.source->name()}, std::move(hint));
}

int find_named(const Table& table, const std::string& wanted, const char* option) {
  const std::vector<Column>& columns = table.rows->columns();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Column& column = columns[k];
    if (column.name == wanted || (table.typed && column.name + ":" + column.type == wanted)) {
      return static_cast<int>(k);
    }
  }
  const std::string near = nearest(wanted, columns);
  throw Error(ErrorCode::usage,
              fmt::format("there is no column '{}' (asked for as {}); there are: {}", wanted,
                          option, listed(columns)),
              {table.source->name()}, near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

int Planner::named(const std::string& wanted, const char* option) {
  const int k = find_named(table_, wanted, option);
  const char*& use = used_[static_cast<std::size_t>(k)];
  if (use != nullptr) {
    throw Error(
        ErrorCode::usage,
        fmt::format("the column '{}' is asked for twice: as {} and as {}", wanted, use, option),
        {table_.source->name()});
  }
  use = option;
  any_named_ = true;
  return k;
}

void Planner::guess(int k, const char* role) {
  if (k < 0) return;
  used_[static_cast<std::size_t>(k)] = role;
  guesses_.emplace_back(role);
}

int Planner::best(ColumnRole role, const char* option) {
  const int found = best_of(
      columns_, [&](std::size_t k) { return free(k) ? column_fit(role, columns_[k].name) : 0; });
  guess(found, option);
  return found;
}

void Planner::claim_named(const Ratings* like) {
  if (!options_.user.empty()) plan_.user = named(options_.user, "user");
  if (!options_.item.empty()) plan_.item = named(options_.item, "item");
  if (!options_.overall.empty()) overall_ = named(options_.overall, "overall");
  if (!options_.time.empty()) plan_.time = named(options_.time, "time");
  if (!options_.title.empty()) plan_.title = named(options_.title, "title");
  if (like != nullptr) return;
  for (const std::string& criterion : options_.criteria) {
    criteria_.push_back(named(criterion, "a criterion"));
  }
}

std::vector<int> Planner::rating_like(float overall_max) const {
  std::vector<int> out;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (free(k) && !token(k) && !never_a_rating(columns_[k].name) &&
        looks_like_rating(samples_[k], overall_max, columns_[k].type == "float")) {
      out.push_back(static_cast<int>(k));
    }
  }
  return out;
}

void Planner::guess_overall() {
  overall_ = best(ColumnRole::overall, "overall");
  if (overall_ >= 0) return;
  const std::vector<int> candidates = rating_like(5);
  if (candidates.empty()) {
    fail(fmt::format("no rating column was found among: {}", listed(columns_)),
         "a column of numbers is needed; name it as overall");
  }
  if (candidates.size() > 1) {
    fail(
        fmt::format("no column is known to be the overall rating; there are: {}", listed(columns_)),
        fmt::format("name one as overall, perhaps '{}'", name(candidates.front())));
  }
  overall_ = candidates.front();
  guess(overall_, "overall");
}

// Only names whose values are times: Amazon's "reviewTime" is "09 13, 2009" beside a unix time.
void Planner::guess_time() {
  plan_.time = best_of(columns_, [&](std::size_t k) {
    const int fit = free(k) ? column_fit(ColumnRole::time, columns_[k].name) : 0;
    const ColumnSample& sample = samples_[k];
    if (fit == 0 || sample.times * 2 > sample.numbers + sample.other + sample.minus_one) return fit;
    if (!sample.numeric()) {
      plan_.notes.push_back(fmt::format(
          "'{}' holds no times that can be read (unix seconds or ISO 8601)", columns_[k].name));
    }
    return 0;
  });
  guess(plan_.time, "time");
}

void Planner::guess_title() {
  const int title = best(ColumnRole::title, "title");
  if (title < 0) return;
  const ColumnSample& sample = samples_[static_cast<std::size_t>(title)];
  const bool text = sample.other > 0 || token(static_cast<std::size_t>(title));
  if (text && title_belongs_to_item(*table_.rows, plan_.item, title)) {
    plan_.title = title;
    return;
  }
  used_[static_cast<std::size_t>(title)] = nullptr;
  guesses_.pop_back();
  if (text) {
    plan_.notes.push_back(
        fmt::format("'{}' differs between rows of one item, so it is not taken as the item's title",
                    name(title)));
  }
}

void Planner::guess_criteria() {
  const ColumnSample& overall = samples_[static_cast<std::size_t>(overall_)];
  criteria_ = rating_like(overall.max);
  if (criteria_.size() + 1 > max_criteria) {
    fail(fmt::format("{} columns look like criteria, and {} are the most", criteria_.size(),
                     max_criteria - 1),
         "name the criteria to use");
  }
  for (const int k : criteria_) used_[static_cast<std::size_t>(k)] = "a criterion";
  if (!criteria_.empty()) guesses_.emplace_back("criteria");
}

void Planner::match_criteria(const Ratings& like) {
  for (const std::string& criterion : options_.criteria) {
    if (!like.find_criterion(criterion)) {
      throw Error(ErrorCode::usage, fmt::format("the ratings have no criterion '{}'", criterion),
                  {table_.source->name()});
    }
  }
  std::vector<std::string> absent;
  for (const Criterion& criterion : like.criteria().subspan(1)) {
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
      return column.name == criterion.name;
    });
    const auto k = static_cast<std::size_t>(found - columns_.begin());
    if (found == columns_.end() || !free(k)) {
      criteria_.push_back(-1);
      absent.push_back(criterion.name);
    } else {
      criteria_.push_back(static_cast<int>(k));
      used_[k] = "a criterion";
    }
  }
  if (!absent.empty()) {
    plan_.notes.push_back(fmt::format("not in this file: {}", fmt::join(absent, ", ")));
  }
}

void Planner::guess_roles(const Ratings* like) {
  if (plan_.user < 0) plan_.user = best(ColumnRole::user, "user");
  if (plan_.user < 0) {
    fail(fmt::format("no column is known to hold users; there are: {}", listed(columns_)),
         "name it as user");
  }
  if (plan_.item < 0) plan_.item = best(ColumnRole::item, "item");
  if (plan_.item < 0) plan_.item = best(ColumnRole::title, "item");
  if (plan_.item < 0) {
    fail(fmt::format("no column is known to hold items; there are: {}", listed(columns_)),
         "name it as item");
  }
  if (like != nullptr) match_criteria(*like);
  if (overall_ < 0) guess_overall();
  if (plan_.time < 0) guess_time();
  if (plan_.title < 0 && like == nullptr) guess_title();
  if (like == nullptr && options_.criteria.empty()) guess_criteria();
}

void Planner::finish(const Ratings* like) {
  plan_.ratings = {overall_};
  plan_.ratings.insert(plan_.ratings.end(), criteria_.begin(), criteria_.end());
  if (like != nullptr) {
    for (const Criterion& criterion : like->criteria()) plan_.criteria.push_back(criterion.name);
  } else {
    // The overall rating goes by one name everywhere, whatever its column is called.
    plan_.criteria = {"overall"};
    for (const int k : criteria_) plan_.criteria.push_back(name(k));
    if (std::count(plan_.criteria.begin(), plan_.criteria.end(), "overall") > 1) {
      plan_.criteria[0] = name(overall_);
    }
    if (criteria_.empty()) {
      plan_.notes.push_back("there is an overall rating only, and no further criterion");
    }
  }
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (free(k)) plan_.ignored.push_back(static_cast<int>(k));
  }
}

// Of a mixture the report says which part was guessed.
void Planner::note_guesses() {
  plan_.guessed = !guesses_.empty();
  if (plan_.guessed && any_named_) {
    plan_.notes.push_back(fmt::format("guessed, not named: {}", fmt::join(guesses_, ", ")));
  }
}

ColumnPlan Planner::plan(const Ratings* like) {
  if (options_.criteria.size() + 1 > max_criteria) {
    throw Error(ErrorCode::usage, fmt::format("{} criteria are named, and {} are the most",
                                              options_.criteria.size(), max_criteria - 1));
  }
  if (columns_.empty()) fail("there are no columns", "expected one JSON object a line");
  claim_named(like);
  guess_roles(like);
  finish(like);
  note_guesses();
  return std::move(plan_);
}

}  // namespace

ColumnPlan plan_columns(Table& table, const ReadOptions& options, const RatingRule& rule,
                        const Ratings* like) {
  return Planner(table, options, rule).plan(like);
}

ItemColumns plan_item_columns(const Table& table, const ReadOptions& options) {
  const std::vector<Column>& columns = table.rows->columns();
  ItemColumns out;
  if (!options.items_id.empty()) out.id = find_named(table, options.items_id, "the items' id");
  if (!options.items_title.empty()) {
    out.title = find_named(table, options.items_title, "the items' title");
  }
  const auto best = [&](ColumnRole role, int taken) {
    return best_of(columns, [&](std::size_t k) {
      if (static_cast<int>(k) == taken) return 0;
      if (role == ColumnRole::item && lowered(columns[k].name) == "id") return 250;
      return column_fit(role, columns[k].name);
    });
  };
  if (out.id < 0) out.id = best(ColumnRole::item, out.title);
  if (out.title < 0) out.title = best(ColumnRole::title, out.id);
  if (out.id < 0 || out.title < 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("no column is known to hold the items' {}; there are: {}",
                            out.id < 0 ? "ids" : "titles", listed(columns)),
                {table.source->name()}, "name the items' id and title columns");
  }
  return out;
}

std::string listed(const std::vector<Column>& columns) {
  constexpr std::size_t most = 40;
  std::string out;
  for (std::size_t k = 0; k < columns.size() && k < most; ++k) {
    if (k > 0) out += ", ";
    out += columns[k].name.empty() ? "(no name)" : columns[k].name;
  }
  if (columns.size() > most) out += fmt::format(" and {} more", columns.size() - most);
  return out;
}

}  // namespace palate::io
