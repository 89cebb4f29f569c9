#include "common.hpp"

namespace palate::python {

py::str to_str(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

std::string to_text(py::handle text) {
  if (!py::isinstance<py::str>(text)) {
    throw py::type_error("an id must be a str or an integer, not " +
                         std::string(py::str(py::type::of(text))));
  }
  Py_ssize_t size = 0;
  if (const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
    return {data, static_cast<std::size_t>(size)};
  }
  PyErr_Clear();
  PyObject* encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
  if (encoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(encoded);
}

Duplicates duplicates_by_name(const std::string& name) {
  return by_name<Duplicates>(name, "there is no rule {} for repeated pairs",
                             {{"last", Duplicates::last},
                              {"first", Duplicates::first},
                              {"mean", Duplicates::mean},
                              {"error", Duplicates::error}});
}

std::vector<std::string> to_ids(const py::object& ids) {
  std::vector<std::string> out;
  if (py::isinstance<py::array>(ids)) {
    const auto numbers = ArrayOf<std::int64_t>::ensure(ids);
    if (!numbers) throw py::error_already_set();
    out.reserve(static_cast<std::size_t>(numbers.size()));
    for (const std::int64_t number : span_of(numbers)) out.push_back(std::to_string(number));
    return out;
  }
  const auto list = ids.cast<py::sequence>();
  out.reserve(list.size());
  for (const py::handle id : list) out.push_back(to_text(id));
  return out;
}

RunOptions Run::options() const {
  RunOptions out;
  out.threads = threads_;
  out.memory = memory_;
  out.progress = [this](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    return tell(stage, done, total);
  };
  return out;
}

bool Run::tell(std::string_view stage, std::uint64_t done, std::uint64_t total) const {
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (progress_.is_none()) return true;
  const py::object answer = progress_(to_str(stage), done, total);
  return !(py::isinstance<py::bool_>(answer) && !answer.cast<bool>());
}

// palate._errors makes the exception, so that Python code and the engine raise the same ones.
void bind_errors(py::module_& module) {
  py::list kinds;
  for (const ErrorKind& kind : error_table()) {
    kinds.append(py::make_tuple(to_str(kind.name), to_str(kind.python_exception)));
  }
  module.attr("error_kinds") = kinds;
  py::register_exception_translator(
      [](std::exception_ptr pointer) {  // NOLINT(performance-unnecessary-value-param)
        try {
          if (pointer) std::rethrow_exception(pointer);
        } catch (const Error& error) {
          const py::object value =
              py::module_::import("palate._errors")
                  .attr("from_engine")(to_str(kind_of(error.code()).name), to_str(error.message()),
                                       to_str(error.where().text()), to_str(error.hint()));
          PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), value.ptr());
        }
      });
}

}  // namespace palate::python
