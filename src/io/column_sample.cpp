#include "io/column_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include "io/timestamps.hpp"
#include "io/utf8.hpp"

namespace palate::io {
namespace {

void look_at(ColumnSample& sample, std::string_view text, const RatingRule& rule) {
  if (const auto time = parse_time(text); time && std::llabs(*time) > 100'000) ++sample.times;
  const RatingCell cell = rule.of(text);
  switch (cell.kind) {
    case Cell::empty:
      return;
    case Cell::negative:
      ++(trimmed(text) == "-1" || trimmed(text) == "-1.0" ? sample.minus_one : sample.other);
      return;
    case Cell::not_a_number:
    case Cell::not_finite:
      ++sample.other;
      return;
    case Cell::zero:
    case Cell::value:
      break;
  }
  const float value = cell.value;
  if (sample.numbers > 0 && value != sample.last + 1) sample.counts_up = false;
  sample.last = value;
  ++sample.numbers;
  if (value * 2 != std::floor(value * 2)) sample.halves = false;
  sample.max = std::max(sample.max, value);
}

}  // namespace

std::vector<ColumnSample> sample_columns(RowReader& rows, const RatingRule& rule) {
  std::vector<ColumnSample> samples(rows.columns().size());
  Row row;
  for (std::size_t k = 0; k < sample_rows && rows.next(row);) {
    if (!row.problem.empty()) continue;
    for (std::size_t c = 0; c < samples.size(); ++c) look_at(samples[c], row.fields[c], rule);
    ++k;
  }
  rows.rewind();
  return samples;
}

bool looks_like_rating(const ColumnSample& sample, float overall_max, bool declared_float) {
  if (!sample.numeric()) return false;
  if (sample.counts_up && sample.numbers >= 4) return false;  // a row number
  if (sample.max <= overall_max) return true;
  // Another scale than overall's: fine if it is a scale, not a measure such as alcohol by volume.
  return sample.max <= 100 && (sample.halves || declared_float);
}

bool title_belongs_to_item(RowReader& rows, int item, int title) {
  std::unordered_map<std::string, std::string> titles;
  std::size_t repeats = 0;
  std::size_t differ = 0;
  Row row;
  for (std::size_t k = 0; k < sample_rows && rows.next(row); ++k) {
    if (!row.problem.empty()) continue;
    const std::string_view text = row.fields[static_cast<std::size_t>(title)];
    if (text.empty()) continue;
    const auto [found, fresh] =
        titles.try_emplace(std::string(row.fields[static_cast<std::size_t>(item)]), text);
    if (fresh) continue;
    ++repeats;
    if (found->second != text) ++differ;
  }
  rows.rewind();
  return differ * 10 <= repeats;
}

}  // namespace palate::io
