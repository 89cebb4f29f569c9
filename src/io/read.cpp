// palate::read and palate::read_like.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/counted.hpp"
#include "core/ratings_data.hpp"
#include "io/import.hpp"
#include "io/named_columns.hpp"
#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

using namespace io;

OpenOptions open_options(const ReadOptions& options) {
  OpenOptions out{options.format, options.delimiter, options.criteria, options.max_bytes,
                  options.names.delimiter};
  for (const std::string& name :
       {options.user, options.item, options.overall, options.time, options.title}) {
    out.wanted.push_back(name);
  }
  return out;
}

/// What the report says before the first row is read.
ImportReport begin_report(const Table& table, const ColumnPlan& plan, const ReadOptions& options,
                          const RatingRule& rule) {
  const auto name = [&](int column) {
    return column < 0 ? std::string{}
                      : table.rows->columns()[static_cast<std::size_t>(column)].name;
  };
  ImportReport report;
  report.files = {table.source->name()};
  report.format = table.format;
  report.user_column = name(plan.user);
  report.item_column = name(plan.item);
  report.time_column = name(plan.time);
  report.title_column = name(plan.title);
  for (const int column : plan.ratings) {
    if (column >= 0) report.criterion_columns.push_back(name(column));
  }
  report.ignored_columns = plan.ignored;
  report.guessed = plan.guessed;
  report.duplicates_rule = options.duplicates;
  report.missing_rule = rule.sentence();
  report.advice = plan.advice;
  report.notes = table.notes;
  report.notes.insert(report.notes.end(), plan.notes.begin(), plan.notes.end());
  return report;
}

/// A table with at least one row.
Table open_rows(const std::filesystem::path& path, const OpenOptions& options,
                const RunOptions& run) {
  Table table = open_table(path, options, run);
  Row row;
  if (!table.rows->next(row)) {
    throw Error(ErrorCode::bad_input, "there is a header but no row below it",
                {table.source->name()}, "expected one row per rating");
  }
  table.rows->rewind();
  return table;
}

/// About how many rows there will be, by the length of those read, and some more: room for too few
/// would be moved, room for too many is never touched.
std::size_t expected_rows(const Table& table, std::size_t rows_read) {
  const double share = static_cast<double>(table.rows->position()) /
                       static_cast<double>(table.source->text().size());
  return static_cast<std::size_t>(1.1 * static_cast<double>(rows_read) / share);
}

/// A file of rows on its way to ratings. With `like`, its criteria are those of `like`.
struct Reading {
  Reading(const std::filesystem::path& path, const ReadOptions& options, const RunOptions& run,
          const Ratings* like)
      : names(options.names),
        rule(options),
        table(open_rows(path, open_options(options), run)),
        plan(plan_columns(table, options, rule, like)),
        report(begin_report(table, plan, options, rule)),
        bad(options, report),
        builder(plan.criteria, options.duplicates),
        rows(table, plan, rule, bad, report, names) {}

  void require_good_row(std::size_t good) const {
    if (good > 0) return;
    const BadRow& first = report.first_bad_rows.front();
    throw Error(ErrorCode::bad_input,
                fmt::format("none of the {} rows can be used; the first problem: {}", report.rows,
                            first.reason),
                {table.source->name(), first.line, first.column, first.field},
                "check the columns and what means \"not rated\"");
  }

  /// An error about a pair rated twice also says in which file.
  Import finish() {
    for (std::string& note : table.rows->notes()) report.notes.push_back(std::move(note));
    try {
      Ratings ratings = builder.build();
      report.duplicates = builder.duplicates_found();
      report.kept = ratings.interactions();
      advise();
      return {std::move(ratings), {}, std::move(report)};
    } catch (const Error& error) {
      Where where = error.where();
      if (where.file.empty()) where.file = report.files.front();
      throw Error(error.code(), error.message(), std::move(where), error.hint());
    }
  }

  /// What the counts say about columns and zeros that may have been taken wrongly.
  void advise() {
    if (const std::string zeros = rows.zeros_advice(); !zeros.empty()) {
      report.advice.push_back(zeros);
    }
    const std::size_t used = report.kept + report.duplicates;
    constexpr std::size_t enough = 20;
    if (used < enough || report.duplicates * 2 < used) return;
    if (!plan.within_pairs.empty()) {
      report.advice.push_back(fmt::format(
          "{:.0f} % of the rows repeat a (user, item) pair, and '{}' tells them apart; if it says "
          "what a row rates, bring a pair's rows into one, with a column for each",
          100.0 * static_cast<double>(report.duplicates) / static_cast<double>(used),
          plan.within_pairs));
      return;
    }
    report.advice.push_back(fmt::format(
        "{:.0f} % of the rows repeat a (user, item) pair, and {}; are '{}' the users and '{}' the "
        "items? else name them with {} and {}",
        100.0 * static_cast<double>(report.duplicates) / static_cast<double>(used),
        report.duplicates_text(), report.user_column, report.item_column, names.user, names.item));
  }

  const ReadOptionNames& names;
  RatingRule rule;
  Table table;
  ColumnPlan plan;
  ImportReport report;
  BadRows bad;
  RatingsBuilder builder;
  RowConverter rows;
};

void read_items(RatingsBuilder& builder, const ReadOptions& options, BadRows& bad,
                ImportReport& report) {
  OpenOptions open;
  open.wanted = {options.items_id, options.items_title};
  open.delimiter_option = options.names.delimiter;
  const Table table = open_rows(options.items_file, open, {});
  const ItemColumns columns = plan_item_columns(table, options);
  const std::string& file = table.source->name();
  std::size_t titles = 0;
  Row row;
  while (table.rows->next(row)) {
    if (!row.problem.empty()) {
      bad.add(file, *table.rows, row, row.problem_column - 1, row.problem);
      continue;
    }
    const std::string_view id = row.fields[static_cast<std::size_t>(columns.id)];
    const std::string_view title = row.fields[static_cast<std::size_t>(columns.title)];
    if (id.empty()) {
      bad.add(file, *table.rows, row, columns.id, "empty item id");
    } else if (!table.source->valid_utf8() && !(valid_utf8(id) && valid_utf8(title))) {
      bad.add(file, *table.rows, row, valid_utf8(id) ? columns.title : columns.id, "invalid UTF-8");
    } else if (title.empty()) {
      builder.add_item(id);
    } else {
      builder.set_title(id, title);
      ++titles;
    }
  }
  report.files.push_back(file);
  report.notes.push_back(
      fmt::format("{} titles from {} (columns {} and {})", titles, file,
                  table.rows->columns()[static_cast<std::size_t>(columns.id)].name,
                  table.rows->columns()[static_cast<std::size_t>(columns.title)].name));
}

/// The same ratings over the catalogue of `like`, whose order of ids may be another.
Ratings onto_catalog(const Ratings& own, const Ratings& like) {
  const std::size_t width = like.criteria().size();
  std::vector<std::uint32_t> item_of(own.items());
  for (std::uint32_t i = 0; i < own.items(); ++i) {
    item_of[i] = like.find_item(own.item_id(i)).value();
  }
  std::vector<std::uint32_t> own_user(like.users(), static_cast<std::uint32_t>(own.users()));
  for (std::uint32_t u = 0; u < own.users(); ++u) {
    own_user[like.find_user(own.user_id(u)).value()] = u;
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> items, present;
  std::vector<float> values;
  std::vector<std::int64_t> times;
  std::vector<std::size_t> order;
  for (const std::uint32_t user : own_user) {
    if (user < own.users()) {
      const UserRatings from = own.of(user);
      order.resize(from.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return item_of[from.items[a]] < item_of[from.items[b]];
      });
      for (const std::size_t k : order) {
        items.push_back(item_of[from.items[k]]);
        present.push_back(from.present[k]);
        const auto row = from.values.subspan(k * width, width);
        values.insert(values.end(), row.begin(), row.end());
        if (!from.times.empty()) times.push_back(from.times[k]);
      }
    }
    offsets.push_back(items.size());
  }
  return Ratings(std::make_shared<Ratings::Data>(
      Ratings::Data{like.data().catalogue, std::move(offsets), std::move(items), std::move(values),
                    std::move(present), std::move(times)}));
}

bool is_npz(const std::filesystem::path& path, Format format) {
  std::error_code ignored;
  return format == Format::npz ||
         (format == Format::automatic && std::filesystem::is_directory(path, ignored));
}

}  // namespace

Import read(const std::filesystem::path& path, const ReadOptions& options, const RunOptions& run) {
  if (is_npz(path, options.format)) return read_npz_folder(path, options, run);
  Reading from(path, options, run, nullptr);
  RatingsBuilder& builder = from.builder;
  while (const RatedRow* row = from.rows.next(run)) {
    builder.add(row->user, row->item, row->values, row->time);
    if (builder.rows() == 1000) builder.reserve(expected_rows(from.table, from.report.rows));
    if (!row->title.empty()) builder.set_title(row->item, row->title);
  }
  from.require_good_row(builder.rows());
  if (!options.items_file.empty()) read_items(builder, options, from.bad, from.report);
  return from.finish();
}

Import read_like(const Ratings& like, const std::filesystem::path& path, const ReadOptions& options,
                 const RunOptions& run) {
  if (is_npz(path, options.format)) {
    throw Error(ErrorCode::unsupported, "an npz folder cannot be read against other ratings",
                {path.string()}, "it brings its own train and test part: read it alone");
  }
  if (like.criteria().empty()) {
    throw Error(ErrorCode::usage, "there are no ratings to read this file against",
                {path.string()});
  }
  Reading from(path, options, run, &like);
  std::size_t good = 0;
  std::size_t unknown_users = 0;
  std::size_t unknown_items = 0;
  while (const RatedRow* row = from.rows.next(run)) {
    ++good;
    const bool user_known = like.find_user(row->user).has_value();
    const bool item_known = like.find_item(row->item).has_value();
    if (user_known && item_known) {
      from.builder.add(row->user, row->item, row->values, row->time);
    } else {
      ++(user_known ? unknown_items : unknown_users);
    }
  }
  from.require_good_row(good);
  if (unknown_users + unknown_items > 0) {
    from.report.notes.push_back(
        fmt::format("{} left out: {} of unknown users, {} more of unknown items",
                    counted(unknown_users + unknown_items, "row"), unknown_users, unknown_items));
  }
  Import out = from.finish();
  out.ratings = onto_catalog(out.ratings, like);
  return out;
}

}  // namespace palate
