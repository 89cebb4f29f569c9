#include "io/rating_column.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "io/column_names.hpp"

namespace palate::io {
namespace {

/// From so many rows on, what they have in common is no chance.
constexpr std::size_t enough = 20;

bool row_numbers(const ColumnSample& sample) {
  return sample.steps >= 3 && sample.steps_up * 20 >= sample.steps * 19;
}

// "recommended", "verified": 1 for yes. Where overall is no more than that, it may be a rating.
bool flag(const ColumnSample& sample, float overall_top) {
  const bool zeros = sample.zeros > 0 || (!sample.values.empty() && sample.values.front() == 0);
  return overall_top > 1 && sample.top() <= 1 && sample.fractions == 0 &&
         (zeros || sample.values.size() >= enough);
}

// Votes, nights, earlier reviews: mostly few, sometimes many. People use a scale the other way.
bool count(const ColumnSample& sample, float overall_top) {
  if (sample.values.size() < enough || sample.sentinel()) return false;
  const float median = sample.values[sample.values.size() / 2];
  return sample.top() > std::max(10.0F, overall_top) && median * 4 < sample.top();
}

// Votes that hardly anybody gives: none in most rows, and one in most of the others.
bool rare_votes(const ColumnSample& sample, bool overall_zeros) {
  if (overall_zeros || sample.values.size() < enough || sample.zeros < sample.values.size()) {
    return false;
  }
  const auto ones = std::upper_bound(sample.values.begin(), sample.values.end(), 1.0F);
  return sample.values.front() == 1 &&
         (ones - sample.values.begin()) * 2 > std::ssize(sample.values);
}

// The stars of a hotel, the age of a guest: the same in each of their rows.
bool belongs_to(const ColumnSample* key, const ColumnSample& sample) {
  if (key == nullptr || sample.distinct < 2) return false;
  const Agreement found = agreement(*key, sample);
  return found.repeats >= enough && found.differ * 100 <= found.repeats;
}

std::string share(std::size_t part, std::size_t whole) {
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

bool spoilt_rating(const ColumnSample& sample) {
  return !sample.numeric() && sample.numbers() * 2 > sample.filled;
}

std::string why_no_rating(const Column& column, const ColumnSample& sample,
                          const RatingContext& context) {
  if (sample.filled == 0) return "empty";
  if (!column.type.empty() && column.type != "float") return "declared as " + column.type;
  if (spoilt_rating(sample)) {
    return fmt::format("{} of its cells are not numbers, such as {}",
                       share(sample.other, sample.filled), shown(sample.odd));
  }
  if (!sample.numeric()) return sample.times * 2 > sample.filled ? "times" : "text";
  if (never_a_rating(column.name)) return "by its name an id, a count or a measure";
  if (row_numbers(sample)) return "row numbers";
  if (flag(sample, context.overall_top)) return "only 0 and 1, a yes or no";
  const float top = sample.top();
  if (top > 100 && top > context.overall_top) return fmt::format("numbers up to {:g}", top);
  if (count(sample, context.overall_top)) {
    return fmt::format("like a count: mostly small, up to {:g}", top);
  }
  if (rare_votes(sample, context.overall_zeros)) return "like a count: mostly 0 and 1";
  // Another scale than overall's: fine if it is a scale, not a measure such as alcohol by volume.
  if (top > context.overall_top && column.type != "float" &&
      sample.fractions * 20 > sample.numbers()) {
    return fmt::format("fractions up to {:g}, not the steps of a scale", top);
  }
  if (belongs_to(context.item, sample)) return "the same in all rows of an item";
  if (belongs_to(context.user, sample)) return "the same in all rows of a user";
  return {};
}

}  // namespace palate::io
