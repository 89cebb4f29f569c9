// How good lists are.
#include "common.hpp"

namespace palate::python {
namespace {

using Weights = std::vector<std::pair<std::string, double>>;

EvaluateOptions options_of(std::vector<std::size_t> at, std::optional<double> threshold,
                           const std::string& rule, Weights weights) {
  const auto relevance = by_name<Relevance>(rule, "there is no relevance rule {}",
                                            {{"at_least", Relevance::at_least},
                                             {"above", Relevance::above},
                                             {"above_median", Relevance::above_median},
                                             {"above_user_mean", Relevance::above_user_mean}});
  return {std::move(at), threshold, relevance, std::move(weights), {}};
}

Evaluation evaluate_model(const Model& model, const Ratings& test, std::vector<std::size_t> at,
                          std::optional<double> threshold, const std::string& rule, Weights weights,
                          unsigned threads, py::object progress) {
  const EvaluateOptions options = options_of(std::move(at), threshold, rule, std::move(weights));
  const Run run(threads, 0, std::move(progress));
  return without_gil([&] { return evaluate(model, test, options, run.options()); });
}

// The lists of all users, one after the other: that of user u from offsets[u] to offsets[u + 1].
Evaluation evaluate_flat_lists(const Ratings& train, const Ratings& test,
                               const ArrayOf<std::int64_t>& offsets,
                               const ArrayOf<std::uint32_t>& items, std::vector<std::size_t> at,
                               std::optional<double> threshold, const std::string& rule,
                               unsigned threads, py::object progress) {
  const EvaluateOptions options = options_of(std::move(at), threshold, rule, {});
  const Run run(threads, 0, std::move(progress));
  const std::span<const std::int64_t> start = span_of(offsets);
  const std::span<const std::uint32_t> all = span_of(items);
  if (start.size() != train.users() + 1 || start.front() != 0 ||
      start.back() != static_cast<std::int64_t>(all.size())) {
    throw py::value_error("one list per user of the train part is needed");
  }
  const auto list_of = [&](std::uint32_t user) {
    return std::vector<std::uint32_t>(all.begin() + start[user], all.begin() + start[user + 1]);
  };
  return without_gil([&] { return evaluate_lists(train, test, list_of, options, run.options()); });
}

py::list compare_all(const std::vector<Evaluation>& evaluations, std::vector<std::string> metrics,
                     std::size_t resamples, double confidence, std::uint64_t seed) {
  const CompareOptions options{std::move(metrics), resamples, confidence, seed};
  py::list out;
  for (const Difference& d : without_gil([&] { return compare(evaluations, options); })) {
    out.append(py::make_tuple(to_str(d.metric), to_str(d.baseline), to_str(d.method),
                              d.baseline_mean, d.method_mean, d.difference, d.low, d.high,
                              d.p_value, d.users));
  }
  return out;
}

}  // namespace

void bind_evaluation(py::module_& module) {
  py::class_<Evaluation>(module, "Evaluation")
      .def(py::init<>())
      .def_readwrite("name", &Evaluation::name)
      .def_readwrite("metrics", &Evaluation::metrics)
      .def_readwrite("mean", &Evaluation::mean)
      .def_readwrite("users", &Evaluation::users)
      .def_readwrite("per_user", &Evaluation::per_user)
      .def_readwrite("relevance", &Evaluation::relevance)
      .def_readwrite("seconds", &Evaluation::seconds)
      .def_property_readonly("too_few", &Evaluation::too_few);
  module.attr("enough_users") = enough_users;
  module.def("evaluate", &evaluate_model);
  module.def("evaluate_lists", &evaluate_flat_lists);
  module.def("compare", &compare_all);
  module.def("mean_interval", [](const Evaluation& evaluation, const std::string& metric,
                                 std::size_t resamples, double confidence, std::uint64_t seed) {
    const CompareOptions options{{}, resamples, confidence, seed};
    return without_gil([&] { return mean_interval(evaluation, metric, options); });
  });
}

}  // namespace palate::python
