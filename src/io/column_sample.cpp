#include "io/column_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "io/timestamps.hpp"
#include "io/utf8.hpp"

namespace palate::io {
namespace {

void look_at_number(ColumnSample& sample, float value, float& last) {
  if (!std::isnan(last)) {
    ++sample.steps;
    if (value == last + 1) ++sample.steps_up;
  }
  last = value;
  if (value * 2 != std::floor(value * 2)) ++sample.fractions;
}

void look_at(ColumnSample& sample, std::string_view text, const RatingRule& rule, float& last) {
  ++sample.rows;
  const RatingCell cell = rule.of(text);
  sample.hashes.push_back(0);
  if (cell.kind == Cell::empty) return;
  ++sample.filled;
  sample.bytes += text.size();
  sample.hashes.back() = std::max<std::uint64_t>(1, std::hash<std::string_view>{}(text));
  if (const auto time = parse_time(text); time && std::llabs(*time) > 100'000) ++sample.times;
  if (text.find("eview") != std::string_view::npos) ++sample.reviews;
  const std::string_view inner = trimmed(text);
  if (cell.kind == Cell::value || cell.kind == Cell::zero) {
    look_at_number(sample, cell.value, last);
    if (cell.kind == Cell::zero) {
      ++sample.zeros;
    } else {
      sample.values.push_back(cell.value);
    }
  } else if (cell.kind == Cell::negative && (inner == "-1" || inner == "-1.0")) {
    ++sample.minus_one;
  } else {
    if (sample.other++ == 0) sample.odd = inner;
  }
}

/// Looks at up to `most` rows from where the table stands.
void look_at_rows(RowReader& rows, const RatingRule& rule, std::size_t most,
                  std::vector<ColumnSample>& samples) {
  std::vector<float> last(samples.size(), std::numeric_limits<float>::quiet_NaN());
  Row row;
  for (std::size_t k = 0; k < most && rows.next(row);) {
    if (!row.problem.empty()) continue;
    for (std::size_t c = 0; c < samples.size(); ++c) {
      look_at(samples[c], row.fields[c], rule, last[c]);
    }
    ++k;
  }
}

}  // namespace

bool ColumnSample::numeric() const noexcept {
  if (numbers() == 0) return false;
  return other * 20 <= filled || (other == 1 && numbers() >= 3);
}

// The highest hundredth, one number at least, does not say how far a scale goes. Twice what the
// others reach is beyond doubt with many numbers: people use the upper half of a scale far more
// often than once in a hundred times. Of few numbers the second highest may well be a low one, so
// there it takes ten times as much.
float ColumnSample::limit() const noexcept {
  constexpr std::size_t few = 4;
  constexpr std::size_t many = 100;
  const std::size_t count = values.size();
  if (count < few) return std::numeric_limits<float>::infinity();
  const float others = values[count - 1 - std::max<std::size_t>(1, count / 100)];
  if (!(others > 0)) return std::numeric_limits<float>::infinity();
  return others * (count < many ? 10.0F : 2.0F);
}

bool ColumnSample::sentinel() const noexcept {
  constexpr std::size_t many = 100;
  if (values.size() < many || values.back() > limit()) return false;
  const auto first = std::lower_bound(values.begin(), values.end(), values.back());
  if (first == values.begin()) return false;
  // Two small numbers alone, such as 0 and 1, are a scale.
  if (*(first - 1) == values.front() && values.back() <= 10) return false;
  return *(first - 1) * 2 < values.back();
}

float ColumnSample::top() const noexcept {
  const auto above = std::upper_bound(values.begin(), values.end(), limit());
  return above == values.begin() ? 0 : *(above - 1);
}

// The first rows alone would mislead: files are often sorted by item, by time or by rating.
std::vector<ColumnSample> sample_columns(RowReader& rows, std::uint64_t bytes,
                                         const RatingRule& rule) {
  constexpr std::size_t first = 1000;
  constexpr std::size_t places = 45;
  std::vector<ColumnSample> samples(rows.columns().size());
  look_at_rows(rows, rule, first, samples);
  const std::uint64_t begin = rows.position();
  const std::uint64_t left = bytes - std::min(bytes, begin);
  if (left > (sample_rows / first - 1) * begin) {
    for (std::size_t k = 0; k < places; ++k) {
      rows.seek(begin + left / places * k);
      look_at_rows(rows, rule, (sample_rows - first) / places, samples);
    }
  } else {
    look_at_rows(rows, rule, sample_rows - first, samples);
  }
  rows.rewind();
  for (ColumnSample& sample : samples) {
    std::sort(sample.values.begin(), sample.values.end());
    std::unordered_set<std::uint64_t> seen(sample.hashes.begin(), sample.hashes.end());
    seen.erase(0);
    sample.distinct = seen.size();
  }
  return samples;
}

Agreement agreement(const ColumnSample& key, const ColumnSample& value) {
  Agreement out;
  std::unordered_map<std::uint64_t, std::uint64_t> first;
  for (std::size_t k = 0; k < key.hashes.size(); ++k) {
    if (key.hashes[k] == 0 || value.hashes[k] == 0) continue;
    const auto [found, fresh] = first.try_emplace(key.hashes[k], value.hashes[k]);
    if (fresh) continue;
    ++out.repeats;
    if (found->second != value.hashes[k]) ++out.differ;
  }
  return out;
}

bool tells_pairs_apart(const ColumnSample& user, const ColumnSample& item,
                       const ColumnSample& cells) {
  constexpr std::size_t enough = 20;
  if (cells.numeric() || cells.distinct < 2 || cells.distinct >= max_criteria) return false;
  ColumnSample pairs;
  for (std::size_t row = 0; row < user.hashes.size(); ++row) {
    pairs.hashes.push_back(user.hashes[row] * 0x9E3779B97F4A7C15U ^ item.hashes[row]);
  }
  const Agreement found = agreement(pairs, cells);
  return found.repeats >= enough && found.differ * 10 >= found.repeats * 9;
}

}  // namespace palate::io
