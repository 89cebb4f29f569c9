// Files of ratings in and out, and made-up ratings.
#include "common.hpp"

namespace palate::python {
namespace {

py::dict report_of(const ImportReport& report) {
  py::list bad;
  for (const BadRow& row : report.first_bad_rows) {
    bad.append(py::make_tuple(to_str(row.file), row.line, row.column, to_str(row.field),
                              to_str(row.reason)));
  }
  py::list criteria;
  for (const std::string& name : report.criterion_columns) criteria.append(to_str(name));
  py::dict out;
  out["text"] = to_str(report.text());
  out["format"] = report.format;
  out["user_column"] = to_str(report.user_column);
  out["item_column"] = to_str(report.item_column);
  out["criterion_columns"] = criteria;
  out["rows"] = report.rows;
  out["kept"] = report.kept;
  out["duplicates"] = report.duplicates;
  py::dict ignored;
  for (const IgnoredColumn& column : report.ignored_columns) {
    ignored[to_str(column.name)] = to_str(column.reason);
  }
  out["ignored_columns"] = ignored;
  py::list advice;
  for (const std::string& sentence : report.advice) advice.append(to_str(sentence));
  out["advice"] = advice;
  out["bad_rows"] = report.bad_rows;
  out["first_bad_rows"] = bad;
  return out;
}

/// What a caller in Python names, beside columns.
struct Given {
  std::string duplicates = "last";
  bool zero_is_missing = true;
  bool strict = false;
  std::vector<std::string> missing_words = {};
  double highest = 0;
  std::size_t max_bad_rows = 1000;
  std::string delimiter = {};
};

Given given_of(const py::dict& named) {
  Given out;
  out.duplicates = named["duplicates"].cast<std::string>();
  out.zero_is_missing = named["zero_is_missing"].cast<bool>();
  out.strict = named["strict"].cast<bool>();
  out.missing_words = named["missing_words"].cast<std::vector<std::string>>();
  out.highest = named["highest"].cast<double>();
  out.max_bad_rows = named["max_bad_rows"].cast<std::size_t>();
  out.delimiter = named["delimiter"].cast<std::string>();
  return out;
}

/// What the messages of the reader call the arguments of palate.read.
ReadOptionNames argument_names() {
  return {.user = "user=",
          .item = "item=",
          .overall = "overall=",
          .criteria = "criteria=",
          .time = "time=",
          .title = "title=",
          .delimiter = "delimiter=",
          .zero_is_a_rating = "zero_is_missing=False",
          .missing_word = "missing_words=",
          .highest = "highest=",
          .max_bad_rows = "max_bad_rows="};
}

ReadOptions read_options(const std::map<std::string, std::string>& columns,
                         std::vector<std::string> criteria, const Given& given) {
  const auto named = [&](const char* role) {
    const auto found = columns.find(role);
    return found == columns.end() ? std::string() : found->second;
  };
  ReadOptions out;
  out.user = named("user");
  out.item = named("item");
  out.overall = named("overall");
  out.time = named("time");
  out.title = named("title");
  out.criteria = std::move(criteria);
  out.duplicates = duplicates_by_name(given.duplicates);
  out.zero_is_missing = given.zero_is_missing;
  out.strict = given.strict;
  out.missing_words.insert(out.missing_words.end(), given.missing_words.begin(),
                           given.missing_words.end());
  out.highest = given.highest;
  out.max_bad_rows = given.max_bad_rows;
  if (given.delimiter.size() > 1) {
    throw Error(ErrorCode::usage, "delimiter= needs one character");
  }
  if (!given.delimiter.empty()) out.delimiter = given.delimiter.front();
  out.names = argument_names();
  return out;
}

py::tuple read_file(const Ratings* like, const std::filesystem::path& path,
                    const std::map<std::string, std::string>& columns,
                    std::vector<std::string> criteria, const py::dict& given, unsigned threads,
                    py::object progress) {
  const ReadOptions options = read_options(columns, std::move(criteria), given_of(given));
  const Run run(threads, 0, std::move(progress));
  Import out = without_gil([&] {
    return like != nullptr ? read_like(*like, path, options, run.options())
                           : read(path, options, run.options());
  });
  py::dict report = report_of(out.report);
  return py::make_tuple(std::move(out.ratings), std::move(out.test), report);
}

/// The criteria besides overall of a table with these cells, as text, and from where on a value of
/// overall and of each of them is an outlier; advice; the column of titles, or "".
py::tuple guess_criteria(const std::vector<std::string>& names,
                         const std::vector<std::vector<std::string>>& cells,
                         const std::map<std::string, std::string>& columns,
                         std::vector<std::string> criteria, bool zero_is_missing, double highest) {
  Given given;
  given.zero_is_missing = zero_is_missing;
  given.highest = highest;
  const ReadOptions options = read_options(columns, std::move(criteria), given);
  const ColumnRoles roles = guess_columns(names, cells, options);
  return py::make_tuple(roles.criteria, roles.highest, roles.advice, roles.title);
}

Ratings made_up(std::size_t users, std::size_t items, double ratings_per_user,
                std::vector<std::string> criteria, double missing, double popularity_skew,
                std::size_t taste_groups, double noise, bool titles, bool times,
                std::uint64_t seed) {
  const SynthOptions options{.users = users,
                             .items = items,
                             .ratings_per_user = ratings_per_user,
                             .criteria = std::move(criteria),
                             .missing = missing,
                             .popularity_skew = popularity_skew,
                             .taste_groups = taste_groups,
                             .noise = noise,
                             .titles = titles,
                             .times = times,
                             .seed = seed};
  return without_gil([&] { return synthesize(options); });
}

}  // namespace

void bind_files(py::module_& module) {
  for (const auto& [name, role] :
       {std::pair{"user_fit", ColumnRole::user}, std::pair{"item_fit", ColumnRole::item},
        std::pair{"overall_fit", ColumnRole::overall}, std::pair{"time_fit", ColumnRole::time},
        std::pair{"title_fit", ColumnRole::title}}) {
    const ColumnRole wanted = role;
    module.def(name, [wanted](const std::string& column) { return column_fit(wanted, column); });
  }
  module.def("guess_criteria", &guess_criteria);
  module.def("missing_words", &usual_missing_words);
  module.def("read", &read_file);
  module.def("write_csv", &write_csv, py::call_guard<py::gil_scoped_release>());
  module.def("write_inter", &write_inter, py::call_guard<py::gil_scoped_release>());
  module.def("synthesize", &made_up);
}

}  // namespace palate::python
