// palate._palate: the public C++ API, with arrays instead of spans. The package palate is what
// people use.
#include "common.hpp"

PYBIND11_MODULE(_palate, module) {
  namespace python = palate::python;
  module.attr("version") = python::to_str(palate::version);
  python::bind_errors(module);
  python::bind_ratings(module);
  python::bind_files(module);
  python::bind_methods(module);
  python::bind_model(module);
  python::bind_evaluation(module);
}
