// What all parts of the binding share: text, arrays, and how a long call runs.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palate/palate.hpp"

namespace palate::python {

namespace py = pybind11;

/// Arrays as callers hand them in: converted only if type or layout differ.
template <class T>
using ArrayOf = py::array_t<T, py::array::c_style | py::array::forcecast>;

/// Bytes that are no UTF-8 become lone surrogates and come back as the same bytes.
[[nodiscard]] py::str to_str(std::string_view text);
[[nodiscard]] std::string to_text(py::handle text);

/// What a word stands for; `wrong` is said of a word that is none of them, with it in place of {}.
template <class T>
[[nodiscard]] T by_name(const std::string& name, std::string_view wrong,
                        std::initializer_list<std::pair<std::string_view, T>> meanings) {
  std::string all;
  for (const auto& [word, meaning] : meanings) {
    if (word == name) return meaning;
    all += (all.empty() ? "choose one of " : ", ") + std::string(word);
  }
  std::string message(wrong);
  throw Error(ErrorCode::usage, message.replace(message.find("{}"), 2, "'" + name + "'"), {}, all);
}
[[nodiscard]] Duplicates duplicates_by_name(const std::string& name);

/// Ids from a list of str or from an array of int64.
[[nodiscard]] std::vector<std::string> to_ids(const py::object& ids);

template <class T>
[[nodiscard]] std::span<const T> span_of(const ArrayOf<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// The vector as an array, without a copy.
template <class T>
[[nodiscard]] py::array_t<T> give(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  const auto size = static_cast<py::ssize_t>(kept->size());
  const py::capsule owner(kept.release(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array_t<T>(size, data, owner);
}

/// Threads, memory and progress of one call. Signals are looked at whenever the engine reports, so
/// that Ctrl-C ends the call; `progress` may be None.
class Run {
 public:
  Run(unsigned threads, std::size_t memory, py::object progress)
      : threads_(threads), memory_(memory), progress_(std::move(progress)) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Valid while this object lives.
  [[nodiscard]] RunOptions options() const;

 private:
  [[nodiscard]] bool tell(std::string_view stage, std::uint64_t done, std::uint64_t total) const;

  unsigned threads_;
  std::size_t memory_;
  py::object progress_;
};

/// Runs `work` while other Python threads go on.
template <class Work>
auto without_gil(const Work& work) {
  const py::gil_scoped_release release;
  return work();
}

void bind_errors(py::module_& module);
void bind_ratings(py::module_& module);
void bind_files(py::module_& module);
void bind_methods(py::module_& module);
void bind_model(py::module_& module);
void bind_evaluation(py::module_& module);

}  // namespace palate::python
