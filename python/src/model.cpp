// Fitting a model and asking it. Users and items go by their indices here; the Python layer knows
// their ids.
#include <algorithm>
#include <limits>

#include "common.hpp"

namespace palate::python {
namespace {

using Indices = ArrayOf<std::uint32_t>;
using Weights = std::vector<std::pair<std::string, double>>;
using PlainProfile =
    std::vector<std::pair<std::uint32_t, std::vector<std::pair<std::string, float>>>>;

// As many lists are made in one go as the engine itself makes.
constexpr std::size_t users_per_call = 32768;

std::vector<std::string> item_ids(const Ratings& ratings, const std::optional<Indices>& items) {
  std::vector<std::string> out;
  if (!items) return out;
  for (const std::uint32_t item : span_of(*items)) {
    if (item >= ratings.items()) throw py::index_error("there is no item with this index");
    out.emplace_back(ratings.item_id(item));
  }
  return out;
}

std::string user_id(const Ratings& ratings, std::uint32_t user) {
  if (user >= ratings.users()) throw py::index_error("there is no user with this index");
  return std::string(ratings.user_id(user));
}

// Lists of different lengths, one after the other. Similar items have neither matches nor
// predictions.
struct Lists {
  explicit Lists(std::size_t criteria) : width(criteria) {}

  std::size_t width;
  std::vector<std::uint32_t> items;
  std::vector<float> scores;
  std::vector<float> match;
  std::vector<float> predicted;  // `width` a place, NaN where nothing is predicted
  std::vector<std::int64_t> lengths;
  std::vector<std::uint8_t> popular;

  void add(const Recommendations& list) {
    for (std::size_t k = 0; k < list.items.size(); ++k) {
      const Recommended& one = list.items[k];
      items.push_back(one.index);
      scores.push_back(one.score);
      if (!one.match) continue;
      match.push_back(static_cast<float>(*one.match));
      const std::span<const float> row = list.predicted_for(k);
      predicted.insert(predicted.end(), row.begin(), row.end());
      predicted.insert(predicted.end(), width - row.size(),
                       std::numeric_limits<float>::quiet_NaN());
    }
    lengths.push_back(static_cast<std::int64_t>(list.items.size()));
    popular.push_back(list.basis == Basis::popularity ? 1 : 0);
  }
  [[nodiscard]] py::tuple give_all() && {
    return py::make_tuple(give(std::move(items)), give(std::move(scores)), give(std::move(lengths)),
                          give(std::move(popular)), give(std::move(match)),
                          give(std::move(predicted)));
  }
};

RecommendOptions options_of(const Ratings& ratings, std::size_t top, bool exclude_seen,
                            Weights weights, const std::optional<Indices>& allow,
                            const std::optional<Indices>& deny) {
  return {.top = top,
          .exclude_seen = exclude_seen,
          .weights = std::move(weights),
          .allow = item_ids(ratings, allow),
          .deny = item_ids(ratings, deny)};
}

py::tuple recommend(const Model& model, const std::optional<Indices>& users, std::size_t top,
                    bool exclude_seen, Weights weights, const std::optional<Indices>& allow,
                    const std::optional<Indices>& deny, unsigned threads, py::object progress) {
  const Ratings& ratings = model.ratings();
  const RecommendOptions options =
      options_of(ratings, top, exclude_seen, std::move(weights), allow, deny);
  const Run run(threads, 0, std::move(progress));
  Lists lists(ratings.criteria().size());
  if (!users) {
    without_gil([&] {
      model.recommend_all(
          options, [&](const Recommendations& one) { lists.add(one); }, run.options());
    });
    return std::move(lists).give_all();
  }
  std::vector<std::string> ids;
  for (const std::uint32_t user : span_of(*users)) ids.push_back(user_id(ratings, user));
  without_gil([&] {
    for (std::size_t first = 0; first < ids.size(); first += users_per_call) {
      const std::size_t count = std::min(users_per_call, ids.size() - first);
      for (const Recommendations& one :
           model.recommend(std::span(ids).subspan(first, count), options, run.options())) {
        lists.add(one);
      }
    }
  });
  return std::move(lists).give_all();
}

Profile to_profile(const Ratings& ratings, const PlainProfile& plain) {
  Profile out;
  for (const auto& [item, values] : plain) {
    if (item >= ratings.items()) throw py::index_error("there is no item with this index");
    out.push_back({std::string(ratings.item_id(item)), values});
  }
  return out;
}

py::tuple recommend_for(const Model& model, const PlainProfile& plain, std::size_t top,
                        bool exclude_seen, Weights weights, const std::optional<Indices>& allow,
                        const std::optional<Indices>& deny) {
  const Ratings& ratings = model.ratings();
  const RecommendOptions options =
      options_of(ratings, top, exclude_seen, std::move(weights), allow, deny);
  const Profile profile = to_profile(ratings, plain);
  Lists lists(ratings.criteria().size());
  const Recommendations one = without_gil([&] { return model.recommend_for(profile, options); });
  lists.add(one);
  return std::move(lists).give_all();
}

py::tuple similar(const Model& model, const Indices& items, std::size_t top) {
  const std::vector<std::string> ids = item_ids(model.ratings(), items);
  Lists lists(model.criteria().size());
  without_gil([&] {
    for (const std::string& id : ids) lists.add({.items = model.similar(id, top)});
  });
  return std::move(lists).give_all();
}

py::dict explanation_of(const Explanation& why) {
  std::vector<std::uint32_t> item;
  std::vector<std::int64_t> criterion;
  std::vector<double> rating;
  std::vector<double> value;
  for (const Explanation::Part& part : why.parts) {
    item.push_back(part.index);
    criterion.push_back(static_cast<std::int64_t>(part.criterion));
    rating.push_back(part.rating);
    value.push_back(part.value);
  }
  py::dict out;
  out["score"] = why.score;
  out["match"] = why.match;
  out["predicted"] = why.predicted;
  py::list notes;
  for (const std::string& note : why.notes) notes.append(to_str(note));
  out["notes"] = notes;
  out["baseline"] = why.baseline;
  out["popular"] = why.basis == Basis::popularity;
  out["by_criterion"] = why.by_criterion;
  out["preference"] = why.preference;
  py::list dials;
  for (const Explanation::Dial& dial : why.dials) {
    dials.append(py::make_tuple(dial.criterion, dial.weight, dial.value, dial.above, dial.raters,
                                to_str(dial.why)));
  }
  out["dials"] = dials;
  out["item"] = give(std::move(item));
  out["criterion"] = give(std::move(criterion));
  out["rating"] = give(std::move(rating));
  out["value"] = give(std::move(value));
  return out;
}

py::dict explain(const Model& model, std::uint32_t user, std::uint32_t item, Weights weights) {
  const std::string who = user_id(model.ratings(), user);
  const std::string what = item_ids(model.ratings(), Indices(1, &item)).front();
  const RecommendOptions options{.weights = std::move(weights)};
  return explanation_of(without_gil([&] { return model.explain(who, what, options); }));
}

py::dict explain_for(const Model& model, const PlainProfile& plain, std::uint32_t item,
                     Weights weights) {
  const Profile profile = to_profile(model.ratings(), plain);
  const std::string what = item_ids(model.ratings(), Indices(1, &item)).front();
  const RecommendOptions options{.weights = std::move(weights)};
  return explanation_of(without_gil([&] { return model.explain_for(profile, what, options); }));
}

py::array_t<double> attributions(const Model& model, std::uint32_t user, const Indices& items,
                                 Weights weights) {
  const std::string who = user_id(model.ratings(), user);
  const std::vector<std::string> what = item_ids(model.ratings(), items);
  const RecommendOptions options{.weights = std::move(weights)};
  std::vector<double> flat;
  for (const auto& row : without_gil([&] { return model.attributions(who, what, options); })) {
    flat.insert(flat.end(), row.begin(), row.end());
  }
  return give(std::move(flat));
}

py::dict info_of(const Model& model) {
  const ModelInfo info = model.info();
  py::dict out;
  out["method"] = info.method;
  out["settings"] = to_str(info.settings);
  out["users"] = info.users;
  out["items"] = info.items;
  out["interactions"] = info.interactions;
  py::list filters;
  for (const Filter& filter : info.filters) {
    filters.append(py::make_tuple(filter.coefficients, filter.power));
  }
  out["filters"] = filters;
  out["preference"] = info.preference;
  out["variant"] = info.variant;
  out["solver"] = info.solver;
  out["storage"] = info.storage;
  out["why"] = info.why;
  out["response"] = info.response;
  out["graph_entries"] = info.graph_entries;
  out["bytes"] = info.bytes;
  out["trained_with"] = info.trained_with;
  return out;
}

py::dict prediction_of(const Model& model) {
  py::dict out;
  for (const PredictionError& error : model.prediction_errors()) {
    out[to_str(model.criteria()[error.criterion].name)] =
        py::dict(py::arg("mae") = error.mae, py::arg("trivial_mae") = error.trivial_mae,
                 py::arg("ratings") = error.ratings);
  }
  return out;
}

py::object choice_of(const Model& model) {
  const std::optional<Choice> choice = model.choice();
  return choice ? py::object(to_str(to_json(*choice))) : py::object(py::none());
}

py::tuple fit_model(const Ratings& ratings, const Resolved& settings, unsigned threads,
                    std::size_t memory, py::object progress) {
  const Run run(threads, memory, std::move(progress));
  Model model = without_gil([&] { return fit(ratings, settings, run.options()); });
  const Stages stages = model.info().seconds;
  return py::make_tuple(std::move(model), stages);
}

}  // namespace

void bind_model(py::module_& module) {
  module.def("fit", &fit_model);
  py::class_<Model>(module, "Model")
      .def_property_readonly("ratings", [](const Model& model) { return model.ratings(); })
      .def("info", &info_of)
      .def("choice", &choice_of)
      .def("prediction", &prediction_of)
      .def("recommend", &recommend)
      .def("recommend_for", &recommend_for)
      .def("similar", &similar)
      .def("explain", &explain)
      .def("explain_for", &explain_for)
      .def("attributions", &attributions)
      .def("save", &Model::save, py::call_guard<py::gil_scoped_release>())
      .def_static(
          "load", [](const std::filesystem::path& path) { return Model::load(path); },
          py::call_guard<py::gil_scoped_release>());
}

}  // namespace palate::python
