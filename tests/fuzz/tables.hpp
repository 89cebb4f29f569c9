// What tables of ratings have in common, whatever their format. The first byte of an input says how
// it is read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fuzz/must.hpp"
#include "palate/error.hpp"
#include "palate/io.hpp"
#include "support/temporary_folder.hpp"

namespace palate::fuzz {

/// Where inputs are read from; gone with the program.
inline const testing::TemporaryFolder& folder() {
  static const testing::TemporaryFolder made;
  return made;
}

/// '@' is as everybody reads; the five bits after it change something each.
inline ReadOptions options_of(std::uint8_t first, Format format) {
  ReadOptions options{.format = format};
  if ((first & 1U) != 0) options.zero_is_missing = false;
  if ((first & 2U) != 0) {
    options.user = "user";
    options.item = "item";
    options.overall = "overall";
  }
  if ((first & 4U) != 0) options.strict = true;
  if ((first & 8U) != 0) options.highest = 10;
  if ((first & 16U) != 0) options.format = Format::automatic;
  return options;
}

inline void check_ratings(const Ratings& ratings) {
  const std::size_t width = ratings.criteria().size();
  must(ratings.interactions() > 0 && width > 0 && width <= max_criteria);
  std::size_t seen = 0;
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings row = ratings.of(user);
    must(ratings.find_user(ratings.user_id(user)) == user);
    must(row.values.size() == row.size() * width && row.present.size() == row.size());
    seen += row.size();
    for (std::size_t k = 0; k < row.size(); ++k) {
      must(row.items[k] < ratings.items() && row.present[k] != 0);
      must(k == 0 || row.items[k - 1] < row.items[k]);
      for (std::size_t c = 0; c < width; ++c) {
        const float value = row.values[k * width + c];
        const Criterion& scale = ratings.criteria()[c];
        if ((row.present[k] >> c & 1U) == 0) continue;
        must(std::isfinite(value) && value >= scale.min && value <= scale.max);
      }
    }
  }
  must(seen == ratings.interactions());
  for (std::uint32_t item = 0; item < ratings.items(); ++item) {
    must(ratings.find_item(ratings.item_id(item)) == item);
  }
}

inline void check_same(const Ratings& a, const Ratings& b, bool titles) {
  must(a.users() == b.users() && a.items() == b.items());
  must(a.interactions() == b.interactions() && a.criteria().size() == b.criteria().size());
  must(a.has_times() == b.has_times());
  for (std::uint32_t user = 0; user < a.users(); ++user) {
    must(a.user_id(user) == b.user_id(user));
    const UserRatings mine = a.of(user);
    const UserRatings theirs = b.of(user);
    must(std::ranges::equal(mine.items, theirs.items));
    must(std::ranges::equal(mine.present, theirs.present));
    must(std::ranges::equal(mine.values, theirs.values));
    must(std::ranges::equal(mine.times, theirs.times));
  }
  for (std::uint32_t item = 0; item < a.items(); ++item) {
    must(a.item_id(item) == b.item_id(item));
    must(!titles || a.item_title(item) == b.item_title(item));
  }
}

/// Whether a text holds what no reader takes for part of a text file once there is much of it.
inline bool has_control(const Ratings& ratings) {
  const auto odd = [](std::string_view text) {
    return std::ranges::any_of(text, [](char ch) {
      const auto byte = static_cast<unsigned char>(ch);
      return byte < 0x20 || byte == 0x7f;
    });
  };
  for (const Criterion& criterion : ratings.criteria()) {
    if (odd(criterion.name)) return true;
  }
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    if (odd(ratings.user_id(user))) return true;
  }
  for (std::uint32_t item = 0; item < ratings.items(); ++item) {
    if (odd(ratings.item_id(item)) || odd(ratings.item_title(item))) return true;
  }
  return false;
}

/// Ratings that are written and read again are what they were.
inline void check_written(const Ratings& ratings, Format format) {
  if (has_control(ratings)) return;
  const bool inter = format == Format::inter;
  const auto path = folder() / (inter ? "out.inter" : "out.csv");
  ReadOptions options{.format = inter ? Format::inter : Format::csv,
                      .user = inter ? "user_id" : "user",
                      .item = inter ? "item_id" : "item",
                      .zero_is_missing = false,
                      .missing_words = {},
                      .strict = true,
                      .highest = std::numeric_limits<float>::max()};
  if (!inter) options.delimiter = ',';
  if (ratings.has_times()) options.time = "timestamp";
  if (!inter && ratings.has_titles()) options.title = "title";
  for (const Criterion& criterion : ratings.criteria()) options.criteria.push_back(criterion.name);
  options.overall = options.criteria.front();
  if (inter && !ratings.find_criterion("rating")) options.overall = "rating";
  options.criteria.erase(options.criteria.begin());
  try {
    inter ? write_inter(ratings, path) : write_csv(ratings, path);
  } catch (const Error& error) {
    must(error.code() == ErrorCode::unsupported);
    return;
  }
  check_same(ratings, read(path, options).ratings, !inter && ratings.has_titles());
}

inline void check_error(const Error& error) {
  must(!error.message().empty());
  must(error.code() == ErrorCode::bad_input || error.code() == ErrorCode::usage ||
       error.code() == ErrorCode::unsupported || error.code() == ErrorCode::too_large ||
       error.code() == ErrorCode::not_found);
}

/// Reads the input as a file of that format; what comes of it has to be sound.
inline void check_table(const std::uint8_t* data, std::size_t size, Format format) {
  if (size == 0) return;
  const auto path = folder() / "in";
  testing::write_text(path, std::string(data + 1, data + size));
  try {
    const Import out = read(path, options_of(data[0], format));
    const ImportReport& report = out.report;
    must(report.kept == out.ratings.interactions() && report.kept <= report.rows);
    must(report.bad_rows + report.kept + report.duplicates == report.rows);
    must(!report.text().empty());
    check_ratings(out.ratings);
    check_written(out.ratings, format);
  } catch (const Error& error) {
    check_error(error);
  }
}

}  // namespace palate::fuzz
