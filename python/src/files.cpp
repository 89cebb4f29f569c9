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
  out["bad_rows"] = report.bad_rows;
  out["first_bad_rows"] = bad;
  return out;
}

ReadOptions read_options(const std::map<std::string, std::string>& columns,
                         std::vector<std::string> criteria, const std::string& duplicates,
                         bool zero_is_missing, bool strict) {
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
  out.duplicates = duplicates_by_name(duplicates);
  out.zero_is_missing = zero_is_missing;
  out.strict = strict;
  return out;
}

py::tuple read_file(const Ratings* like, const std::filesystem::path& path,
                    const std::map<std::string, std::string>& columns,
                    std::vector<std::string> criteria, const std::string& duplicates,
                    bool zero_is_missing, bool strict, unsigned threads, py::object progress) {
  const ReadOptions options =
      read_options(columns, std::move(criteria), duplicates, zero_is_missing, strict);
  const Run run(threads, 0, std::move(progress));
  Import out = without_gil([&] {
    return like != nullptr ? read_like(*like, path, options, run.options())
                           : read(path, options, run.options());
  });
  py::dict report = report_of(out.report);
  return py::make_tuple(std::move(out.ratings), std::move(out.test), report);
}

Ratings made_up(std::size_t users, std::size_t items, double ratings_per_user,
                std::vector<std::string> criteria, double missing, double popularity_skew,
                std::size_t taste_groups, double noise, bool titles, bool times,
                std::uint64_t seed) {
  const SynthOptions options{users,
                             items,
                             ratings_per_user,
                             std::move(criteria),
                             missing,
                             popularity_skew,
                             taste_groups,
                             noise,
                             titles,
                             times,
                             seed};
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
  module.def("never_a_rating", [](const std::string& name) { return never_a_rating(name); });
  module.def("read", &read_file);
  module.def("write_csv", &write_csv, py::call_guard<py::gil_scoped_release>());
  module.def("write_inter", &write_inter, py::call_guard<py::gil_scoped_release>());
  module.def("synthesize", &made_up);
}

}  // namespace palate::python
