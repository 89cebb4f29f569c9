// Filters, the settings of each method, and the choice of filters.
#include <tuple>

#include "common.hpp"

namespace palate::python {
namespace {

// (criterion, coefficients, power)
using NamedFilter = std::tuple<std::string, std::vector<double>, double>;
using PlainFilter = std::pair<std::vector<double>, double>;

PlainFilter plain(const Filter& filter) { return {filter.coefficients, filter.power}; }

std::vector<NamedFilter> plain(const std::vector<CaGf::CriterionFilter>& choices) {
  std::vector<NamedFilter> out;
  for (const CaGf::CriterionFilter& one : choices) {
    out.emplace_back(one.criterion, one.filter.coefficients, one.filter.power);
  }
  return out;
}

py::list as_list(const std::vector<Choice::Step>& steps) {
  py::list out;
  for (const Choice::Step& step : steps) {
    out.append(py::make_tuple(to_str(step.tried), step.value, step.gain, step.error, step.taken));
  }
  return out;
}

py::tuple as_tuple(const Choice& choice) {
  const CaGf* filters = choice.method.ca_gf();
  return py::make_tuple(
      choice.method.to_json(), plain(filters != nullptr ? filters->filters : CaGf{}.filters),
      filters != nullptr ? filters->preference : std::nullopt, choice.measure, choice.start,
      choice.end, choice.users, as_list(choice.steps), as_list(choice.without));
}

// The settings, and the choice that was made on the way to them, or None.
py::tuple settle(const std::string& method,
                 std::vector<std::pair<std::string, std::string>> settings, const Ratings& train,
                 double validation, std::uint64_t seed, std::optional<double> threshold,
                 unsigned threads, std::size_t memory, py::object progress) {
  const MethodRequest request{method, std::move(settings)};
  ChooseOptions options;
  options.validation = validation;
  options.seed = seed;
  options.threshold = threshold;
  const Run run(threads, memory, std::move(progress));
  const Resolved resolved =
      without_gil([&] { return resolve(request, train, options, run.options()); });
  return py::make_tuple(resolved.method,
                        resolved.choice ? as_tuple(*resolved.choice) : py::object(py::none()));
}

py::tuple choose(const Ratings& train, double validation, std::uint64_t seed, std::size_t at,
                 std::vector<double> powers, double threshold, unsigned threads, std::size_t memory,
                 py::object progress) {
  ChooseOptions options;
  options.validation = validation;
  options.seed = seed;
  options.at = at;
  options.powers = std::move(powers);
  options.threshold = threshold;
  const Run run(threads, memory, std::move(progress));
  const Choice choice = without_gil([&] { return choose_filters(train, options, run.options()); });
  return as_tuple(choice);
}

py::tuple tuned(const Ratings& train, double validation, std::uint64_t seed,
                std::optional<double> threshold, unsigned threads, std::size_t memory,
                py::object progress) {
  ChooseOptions options;
  options.validation = validation;
  options.seed = seed;
  options.threshold = threshold;
  const Run run(threads, memory, std::move(progress));
  const Choice choice = without_gil([&] { return tune(train, options, run.options()); });
  return as_tuple(choice);
}

}  // namespace

void bind_methods(py::module_& module) {
  const py::class_<Method> opaque(module, "Settings");
  module.def("methods", [] {
    std::vector<std::string> out;
    for (const MethodDescription& method : methods()) out.push_back(to_json(method));
    return out;
  });
  module.def("resolve", &settle);
  module.def("preset_names", [] {
    std::vector<std::string> out(preset_names().begin(), preset_names().end());
    return out;
  });
  module.def("choose_filters", &choose);
  module.def("tune", &tuned);
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
