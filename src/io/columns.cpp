#include "io/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/utf8.hpp"
#include "io/column_names.hpp"
#include "io/column_sample.hpp"
#include "io/named_columns.hpp"
#include "io/rating_column.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

/// From so many rows on, what a column shows is no chance.
constexpr std::size_t enough_rows = 20;

/// Works out one plan; claims columns as it goes so that none is used twice.
class Planner {
 public:
  Planner(Table& table, const ReadOptions& options, const RatingRule& rule)
      : table_(table),
        options_(options),
        columns_(table.rows->columns()),
        used_(columns_.size()),
        samples_(sample_columns(*table.rows, table.source->text().size(), rule)) {}

  ColumnPlan plan(const Ratings* like);

 private:
  int named(const std::string& name, const std::string& option);
  void guess(int k, const char* role);
  void claim_named(const Ratings* like);
  void guess_roles(const Ratings* like);
  int best_id(ColumnRole role);
  int best_item_by_content();
  void guess_user();
  void guess_item();
  void guess_overall();
  void guess_time();
  void guess_title();
  void guess_criteria();
  void match_criteria(const Ratings& like);
  void finish(const Ratings* like);
  void set_limits(const Ratings* like);
  void note_sentinel(int k);
  void set_aside();
  void note_guesses();
  [[nodiscard]] bool free(std::size_t k) const { return used_[k].empty(); }
  [[nodiscard]] const ColumnSample& sample(int k) const {
    return samples_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] RatingContext context() const;
  [[nodiscard]] std::vector<int> rating_like() const;
  [[nodiscard]] bool mostly_numbers(std::size_t k) const {
    return samples_[k].numbers() * 2 >= std::max<std::size_t>(1, samples_[k].filled);
  }
  [[nodiscard]] std::string hint_to_name(const std::string& option) const;
  [[nodiscard]] std::string name(int k) const { return columns_[static_cast<std::size_t>(k)].name; }
  [[noreturn]] void fail(std::string message, std::string hint) const;

  Table& table_;
  const ReadOptions& options_;
  const std::vector<Column>& columns_;
  std::vector<std::string> used_;  // by which role or option
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

int Planner::named(const std::string& wanted, const std::string& option) {
  const int k = find_named(table_, wanted, option);
  std::string& use = used_[static_cast<std::size_t>(k)];
  if (!use.empty()) {
    throw Error(
        ErrorCode::usage,
        fmt::format("the column '{}' is asked for twice: with {} and with {}", wanted, use, option),
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

void Planner::claim_named(const Ratings* like) {
  const ReadOptionNames& names = options_.names;
  if (!options_.user.empty()) plan_.user = named(options_.user, names.user);
  if (!options_.item.empty()) plan_.item = named(options_.item, names.item);
  if (!options_.overall.empty()) overall_ = named(options_.overall, names.overall);
  if (!options_.time.empty()) plan_.time = named(options_.time, names.time);
  if (!options_.title.empty()) plan_.title = named(options_.title, names.title);
  if (like != nullptr) return;
  for (const std::string& criterion : options_.criteria) {
    criteria_.push_back(named(criterion, names.criteria));
  }
}

RatingContext Planner::context() const {
  RatingContext out;
  if (plan_.user >= 0) out.user = &sample(plan_.user);
  if (plan_.item >= 0) out.item = &sample(plan_.item);
  if (overall_ >= 0 && sample(overall_).top() > 0) out.overall_top = sample(overall_).top();
  if (overall_ >= 0) out.overall_zeros = sample(overall_).zeros > 0;
  return out;
}

std::vector<int> Planner::rating_like() const {
  std::vector<int> out;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (free(k) && why_no_rating(columns_[k], samples_[k], context()).empty()) {
      out.push_back(static_cast<int>(k));
    }
  }
  return out;
}

/// How to go on when no column is known to hold ids.
std::string Planner::hint_to_name(const std::string& option) const {
  const std::string with = fmt::format("name it with {}", option);
  if (rating_like().size() + 1 > max_criteria) {
    return fmt::format(
        "if each of these columns is an item: one row per rating is needed, with a user, an item "
        "and a rating; else {}",
        with);
  }
  const bool unnamed = std::any_of(columns_.begin(), columns_.end(),
                                   [](const Column& column) { return column.name.empty(); });
  return unnamed ? with + "; if the names are not in the first line, remove what is above them"
                 : with;
}

/// Whether ids may stand there: mostly filled, short, and not one and the same.
bool may_be_ids(const ColumnSample& sample) {
  constexpr std::size_t longest = 80;  // bytes, on average
  return sample.filled * 2 >= sample.rows && sample.bytes <= longest * sample.filled &&
         (sample.rows < enough_rows || sample.distinct > 1);
}

/// Whether the values come back in other rows, as items do and the titles of reviews do not.
bool comes_back(const ColumnSample& sample) {
  return sample.rows < enough_rows || sample.distinct * 10 <= sample.filled * 9;
}

/// By name, among columns in which ids may stand if there are such.
int Planner::best_id(ColumnRole role) {
  const auto fit = [&](std::size_t k) { return free(k) ? column_fit(role, columns_[k].name) : 0; };
  const int found =
      best_of(columns_, [&](std::size_t k) { return may_be_ids(samples_[k]) ? fit(k) : 0; });
  return found >= 0 ? found : best_of(columns_, fit);
}

void Planner::guess_user() {
  plan_.user = best_id(ColumnRole::user);
  if (plan_.user < 0) {
    fail(fmt::format("no column is known to hold users; there are: {}", listed(columns_)),
         hint_to_name(options_.names.user));
  }
  guess(plan_.user, "user");
}

/// Of the columns called like a title, or like the id or name of anything, the one with the most
/// values among those that come back; -1 if there is none.
int Planner::best_item_by_content() {
  return best_of(columns_, [&](std::size_t k) {
    const ColumnSample& cells = samples_[k];
    const int ending = id_ending_fit(columns_[k].name);
    const bool title = column_fit(ColumnRole::title, columns_[k].name) > 0;
    const bool someone = column_fit(ColumnRole::user, columns_[k].name) > 0;
    if (!free(k) || someone || (ending == 0 && !title)) return 0;
    if (!may_be_ids(cells) || !comes_back(cells)) return 0;
    return static_cast<int>(cells.distinct) * 4 + ending;
  });
}

void Planner::guess_item() {
  plan_.item = best_id(ColumnRole::item);
  if (plan_.item < 0) {
    plan_.item = best_item_by_content();
    if (plan_.item >= 0) {
      plan_.notes.push_back(fmt::format(
          "no column is called like an item; '{}' is taken, for its {} values come back in other "
          "rows",
          name(plan_.item), sample(plan_.item).distinct));
    }
  }
  if (plan_.item < 0) {
    fail(fmt::format("no column is known to hold items; there are: {}", listed(columns_)),
         hint_to_name(options_.names.item));
  }
  guess(plan_.item, "item");
}

void Planner::guess_overall() {
  const auto fit = [&](std::size_t k) {
    return free(k) ? column_fit(ColumnRole::overall, columns_[k].name) : 0;
  };
  const std::string with = fmt::format("name it with {}", options_.names.overall);
  overall_ = best_of(columns_, [&](std::size_t k) { return mostly_numbers(k) ? fit(k) : 0; });
  if (overall_ < 0) {
    const std::vector<int> candidates = rating_like();
    const int called = best_of(columns_, fit);
    if (candidates.size() == 1) overall_ = candidates.front();
    if (overall_ >= 0 && called >= 0) {
      plan_.advice.push_back(fmt::format(
          "'{}' holds text, such as {}, so '{}' is taken for the overall rating; write numbers for "
          "the words, or {}",
          name(called), shown(sample(called).odd), name(overall_), with));
    }
    if (overall_ < 0) overall_ = called;
    if (overall_ < 0 && candidates.empty()) {
      const int yes = best_of(columns_, [&](std::size_t k) {
        return free(k) && mostly_numbers(k) && !never_a_rating(columns_[k].name) ? 1 : 0;
      });
      fail(fmt::format("no rating column was found among: {}", listed(columns_)),
           yes >= 0 ? fmt::format("{}, perhaps '{}'", with, name(yes))
                    : "a column of numbers is needed; if each row says that someone chose "
                      "something, add one with a 1 in every row");
    }
    if (overall_ < 0) {
      fail(fmt::format("no column is known to be the overall rating; there are: {}",
                       listed(columns_)),
           fmt::format("{}, perhaps '{}'", with, name(candidates.front())));
    }
  }
  guess(overall_, "overall");
}

// Only names whose values are times: Amazon's "reviewTime" is "09 13, 2009" beside a unix time.
void Planner::guess_time() {
  plan_.time = best_of(columns_, [&](std::size_t k) {
    const int fit = free(k) ? column_fit(ColumnRole::time, columns_[k].name) : 0;
    const ColumnSample& cells = samples_[k];
    if (fit == 0 || cells.times * 2 > cells.filled) return fit;
    if (!cells.numeric()) {
      plan_.notes.push_back(fmt::format(
          "'{}' holds no times that can be read (unix seconds or ISO 8601)", columns_[k].name));
    }
    return 0;
  });
  guess(plan_.time, "time");
}

void Planner::guess_title() {
  const int title = best_of(columns_, [&](std::size_t k) {
    return free(k) ? column_fit(ColumnRole::title, columns_[k].name) : 0;
  });
  if (title < 0) return;
  const ColumnSample& cells = sample(title);
  const std::string& type = columns_[static_cast<std::size_t>(title)].type;
  if (cells.other == 0 && (type.empty() || type == "float")) return;  // numbers
  const Agreement found = agreement(sample(plan_.item), cells);
  if (found.differ * 10 > found.repeats) {
    plan_.notes.push_back(
        fmt::format("'{}' differs between rows of one item, so it is not taken as the item's title",
                    name(title)));
  } else if (cells.reviews * 2 > cells.filled) {
    plan_.notes.push_back(
        fmt::format("'{}' is of reviews, so it is not taken as the item's title", name(title)));
  } else {
    plan_.title = title;
    guess(title, "title");
  }
}

void Planner::guess_criteria() {
  criteria_ = rating_like();
  if (criteria_.size() + 1 > max_criteria) {
    fail(fmt::format("{} columns look like criteria, and {} are the most", criteria_.size(),
                     max_criteria - 1),
         fmt::format("name those to use with {}", options_.names.criteria));
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
  if (plan_.user < 0) guess_user();
  if (plan_.item < 0) guess_item();
  if (like != nullptr) match_criteria(*like);
  if (overall_ < 0) guess_overall();
  if (plan_.time < 0) guess_time();
  if (plan_.title < 0 && like == nullptr) guess_title();
  if (like == nullptr && options_.criteria.empty()) guess_criteria();
}

void Planner::note_sentinel(int k) {
  const std::vector<float>& values = sample(k).values;
  if (!sample(k).sentinel()) return;
  const auto first = std::lower_bound(values.begin(), values.end(), values.back());
  plan_.advice.push_back(fmt::format(
      "'{}' has {:g} in {:.1f} % of its ratings and nothing between it and {:g}; if it means "
      "\"not rated\", say {} {:g}",
      name(k), values.back(),
      100.0 * static_cast<double>(values.end() - first) / static_cast<double>(values.size()),
      *(first - 1), options_.names.missing_word, values.back()));
}

void Planner::set_limits(const Ratings* like) {
  for (std::size_t c = 0; c < plan_.ratings.size(); ++c) {
    float limit = std::numeric_limits<float>::infinity();
    const int k = plan_.ratings[c];
    if (options_.highest > 0) {
      limit = static_cast<float>(options_.highest);
    } else if (k >= 0) {
      limit = sample(k).limit();
      if (like != nullptr) limit = std::max(limit, like->criteria()[c].max);
      note_sentinel(k);
    }
    plan_.highest.push_back(limit);
  }
}

void Planner::set_aside() {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (!free(k)) continue;
    std::string reason = why_no_rating(columns_[k], samples_[k], context());
    if (columns_[k].name.empty() && samples_[k].filled == 0) continue;  // spreadsheets leave them
    if (tells_pairs_apart(sample(plan_.user), sample(plan_.item), samples_[k])) {
      plan_.within_pairs = columns_[k].name;
    }
    if (reason.empty()) {
      reason = "not named";
    } else if (options_.criteria.empty() && spoilt_rating(samples_[k])) {
      plan_.advice.push_back(fmt::format("'{}' is not used, for {}; {} takes it all the same",
                                         columns_[k].name, reason, options_.names.criteria));
    }
    plan_.ignored.push_back({columns_[k].name, std::move(reason)});
  }
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
  set_limits(like);
  set_aside();
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

}  // namespace palate::io
