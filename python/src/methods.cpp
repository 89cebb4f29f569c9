// Filters, the settings of each method, and how they are chosen.
#include <type_traits>

#include "common.hpp"

namespace palate::python {
namespace {

using PlainFilter = std::pair<std::vector<double>, double>;

PlainFilter plain(const Filter& filter) { return {filter.coefficients, filter.power}; }

// The settings, and how they were chosen on the way, as JSON, or None. `choosing` has fields of
// ChooseOptions.
py::tuple settle(std::string method, std::vector<std::pair<std::string, std::string>> settings,
                 const Ratings& train, const py::dict& choosing, unsigned threads,
                 std::size_t memory, py::object progress) {
  const MethodRequest request{std::move(method), std::move(settings)};
  ChooseOptions options;
  const auto take = [&choosing](const char* name, auto& value) {
    if (choosing.contains(name)) value = choosing[name].cast<std::decay_t<decltype(value)>>();
  };
  take("validation", options.validation);
  take("seconds", options.seconds);
  take("seed", options.seed);
  take("at", options.at);
  take("powers", options.powers);
  take("threshold", options.threshold);
  const Run run(threads, memory, std::move(progress));
  Resolved resolved = without_gil([&] { return resolve(request, train, options, run.options()); });
  py::object choice = py::none();
  if (resolved.choice) choice = to_str(to_json(*resolved.choice));
  return py::make_tuple(std::move(resolved), std::move(choice));
}

}  // namespace

void bind_methods(py::module_& module) {
  const py::class_<Resolved> opaque(module, "Settings");
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
