// Filters, the settings of each method, and the choice of filters.
#include <tuple>

#include "common.hpp"
#include "settings.hpp"

namespace palate::python {
namespace {

// (criterion, coefficients, power)
using NamedFilter = std::tuple<std::string, std::vector<double>, double>;
using PlainFilter = std::pair<std::vector<double>, double>;

PlainFilter plain(const Filter& filter) { return {filter.coefficients, filter.power}; }

std::vector<NamedFilter> plain(const std::vector<CaGf::Choice>& choices) {
  std::vector<NamedFilter> out;
  for (const CaGf::Choice& one : choices) {
    out.emplace_back(one.criterion, one.filter.coefficients, one.filter.power);
  }
  return out;
}

Settings ca_gf(const std::vector<NamedFilter>& filters, const PlainFilter& other,
               std::optional<double> preference, const std::string& variant,
               const std::string& solver, std::size_t neighbours) {
  CaGf out;
  for (const auto& [criterion, coefficients, power] : filters) {
    out.filters.push_back({criterion, {coefficients, power}});
  }
  out.other = {other.first, other.second};
  out.preference = preference;
  out.variant = variant_by_name(variant);
  out.solver = solver_by_name(solver);
  out.neighbours = neighbours;
  return {out};
}

py::tuple choose(const Ratings& train, double validation, std::uint64_t seed, std::size_t at,
                 std::vector<double> powers, double threshold, unsigned threads, std::size_t memory,
                 py::object progress) {
  const ChooseOptions options{validation, seed, at, std::move(powers), threshold};
  const Run run(threads, memory, std::move(progress));
  const Choice choice = without_gil([&] { return choose_filters(train, options, run.options()); });
  py::list steps;
  for (const Choice::Step& step : choice.steps) {
    steps.append(py::make_tuple(to_str(step.tried), step.ndcg, step.taken));
  }
  return py::make_tuple(plain(choice.settings.filters), choice.settings.preference,
                        choice.ndcg_start, choice.ndcg_end, choice.users, steps);
}

}  // namespace

void bind_methods(py::module_& module) {
  const py::class_<Settings> opaque(module, "Settings");
  module.def("ca_gf", &ca_gf, py::arg("filters"), py::arg("other"), py::arg("preference"),
             py::arg("variant"), py::arg("solver"), py::arg("neighbours"));
  module.def(
      "item_knn",
      [](std::size_t neighbours, double shrink) {
        return Settings{ItemKnn{neighbours, shrink}};
      },
      py::arg("neighbours"), py::arg("shrink"));
  module.def("popularity", [] { return Settings{Popularity{}}; });
  module.def(
      "preset",
      [](const std::string& name, const Ratings& ratings) {
        const CaGf settings = preset(name, ratings.criteria());
        return py::make_tuple(plain(settings.filters), settings.preference);
      },
      py::arg("name"), py::arg("ratings"));
  module.def("preset_names", [] {
    std::vector<std::string> out(preset_names().begin(), preset_names().end());
    return out;
  });
  module.def("choose_filters", &choose, py::arg("train"), py::arg("validation"), py::arg("seed"),
             py::arg("at"), py::arg("powers"), py::arg("threshold"), py::arg("threads"),
             py::arg("memory"), py::arg("progress"));
  module.def("parse_filter", [](const std::string& text) { return plain(parse_filter(text)); });
  module.def("filter_name", [](const std::vector<double>& coefficients, double power) {
    return filter_name({coefficients, power});
  });
  module.def("frequency_response",
             [](const std::vector<double>& coefficients, double power, const ArrayOf<double>& x) {
               const Filter filter{coefficients, power};
               std::vector<double> out;
               for (const double at : span_of(x)) out.push_back(frequency_response(filter, at));
               return give(std::move(out));
             });
}

}  // namespace palate::python
