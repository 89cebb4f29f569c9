// Ratings: made of columns, looked at as arrays, and split.
#include <algorithm>
#include <charconv>
#include <optional>

#include "common.hpp"

namespace palate::python {
namespace {

constexpr std::uint32_t not_found = 0xffffffffU;

using Scale = std::optional<std::pair<float, float>>;

// Users or items, by one word.
struct Ids {
  const Ratings& ratings;
  bool of_users;

  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(of_users ? ratings.users() : ratings.items());
  }
  [[nodiscard]] std::string_view operator[](std::uint32_t k) const {
    return of_users ? ratings.user_id(k) : ratings.item_id(k);
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view id) const {
    return of_users ? ratings.find_user(id) : ratings.find_item(id);
  }
};

py::list texts_of(const Ratings& ratings, bool of_users) {
  const Ids ids{ratings, of_users};
  py::list out(ids.size());
  for (std::uint32_t k = 0; k < ids.size(); ++k) out[k] = to_str(ids[k]);
  return out;
}

// The ids as numbers if every one of them is what a number would be written as.
py::object numbers_of(const Ratings& ratings, bool of_users) {
  const Ids ids{ratings, of_users};
  std::vector<std::int64_t> out(ids.size());
  for (std::uint32_t k = 0; k < ids.size(); ++k) {
    const std::string_view id = ids[k];
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), out[k]);
    if (error != std::errc() || end != id.data() + id.size()) return py::none();
    if (std::to_string(out[k]) != id) return py::none();
  }
  return give(std::move(out));
}

py::array_t<std::uint32_t> find_ids(const Ratings& ratings, bool of_users, const py::object& ids) {
  const Ids known{ratings, of_users};
  std::vector<std::uint32_t> out;
  for (const std::string& id : to_ids(ids)) out.push_back(known.find(id).value_or(not_found));
  return give(std::move(out));
}

py::list titles_of(const Ratings& ratings) {
  py::list out(ratings.items());
  for (std::uint32_t k = 0; k < ratings.items(); ++k) out[k] = to_str(ratings.item_title(k));
  return out;
}

py::list criteria_of(const Ratings& ratings) {
  py::list out;
  std::size_t c = 0;
  for (const Criterion& one : ratings.criteria()) {
    out.append(py::make_tuple(to_str(one.name), one.min, one.max, ratings.ratings_of(c++)));
  }
  return out;
}

py::array_t<std::int64_t> offsets_of(const Ratings& ratings) {
  std::vector<std::int64_t> out = {0};
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    out.push_back(out.back() + static_cast<std::int64_t>(ratings.of(u).size()));
  }
  return give(std::move(out));
}

// Rows of all users lie one after the other, so that the first one begins them all.
template <class T>
py::array_t<T> view(const py::object& self, std::span<const T> UserRatings::*column,
                    std::size_t width) {
  const auto& ratings = self.cast<const Ratings&>();
  const T* data = ratings.users() == 0 ? nullptr : (ratings.of(0).*column).data();
  const auto rows = static_cast<py::ssize_t>(ratings.interactions());
  std::vector<py::ssize_t> shape = {rows};
  if (width > 0) shape.push_back(static_cast<py::ssize_t>(width));
  if (data == nullptr) {
    shape[0] = 0;
    return py::array_t<T>(shape);
  }
  py::array_t<T> out(shape, data, self);
  py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

Ratings make_ratings(std::vector<std::string> criteria, const py::object& users,
                     const py::object& items, const ArrayOf<std::uint32_t>& user,
                     const ArrayOf<std::uint32_t>& item, const ArrayOf<float>& values,
                     const std::optional<ArrayOf<std::int64_t>>& times,
                     const std::optional<py::list>& titles, const std::vector<Scale>& scales,
                     const std::string& duplicates) {
  const std::vector<std::string> user_ids = to_ids(users);
  const std::vector<std::string> item_ids = to_ids(items);
  std::vector<std::string> names;
  if (titles) {
    for (const py::handle title : *titles) names.push_back(to_text(title));
  }
  RatingsBuilder builder(std::move(criteria), duplicates_by_name(duplicates));
  const RatingColumns columns{.users = user_ids,
                              .items = item_ids,
                              .user = span_of(user),
                              .item = span_of(item),
                              .values = span_of(values),
                              .times = times ? span_of(*times) : std::span<const std::int64_t>()};
  return without_gil([&] {
    builder.add(columns);
    for (std::size_t k = 0; k < std::min(names.size(), item_ids.size()); ++k) {
      if (!names[k].empty()) builder.set_title(item_ids[k], names[k]);
    }
    for (std::size_t c = 0; c < scales.size(); ++c) {
      if (scales[c]) builder.set_scale(c, scales[c]->first, scales[c]->second);
    }
    return builder.build();
  });
}

}  // namespace

void bind_ratings(py::module_& module) {
  py::class_<Ratings>(module, "Ratings")
      .def_property_readonly("users", &Ratings::users)
      .def_property_readonly("items", &Ratings::items)
      .def_property_readonly("interactions", &Ratings::interactions)
      .def_property_readonly("criteria", &criteria_of)
      .def_property_readonly("has_times", &Ratings::has_times)
      .def_property_readonly("has_titles", &Ratings::has_titles)
      .def("texts", &texts_of)
      .def("numbers", &numbers_of)
      .def("find", &find_ids)
      .def("titles", &titles_of)
      .def("offsets", &offsets_of)
      .def("item_index", [](const py::object& self) { return view(self, &UserRatings::items, 0); })
      .def("values",
           [](const py::object& self) {
             const std::size_t width = self.cast<const Ratings&>().criteria().size();
             return view(self, &UserRatings::values, width);
           })
      .def("present", [](const py::object& self) { return view(self, &UserRatings::present, 0); })
      .def("times", [](const py::object& self) { return view(self, &UserRatings::times, 0); });
  module.attr("no_time") = no_time;

  module.def("make_ratings", &make_ratings, py::arg("criteria"), py::arg("users"), py::arg("items"),
             py::arg("user"), py::arg("item"), py::arg("values"), py::arg("times"),
             py::arg("titles"), py::arg("scales"), py::arg("duplicates"));
  module.def("subset", [](const Ratings& ratings, const ArrayOf<std::uint8_t>& keep) {
    return subset(ratings, span_of(keep));
  });
  module.def("split", [](const Ratings& ratings, const std::string& rule, double test,
                         double validation, std::uint64_t seed) {
    const auto how = by_name<SplitRule>(rule, "there is no rule {} to split by",
                                        {{"random", SplitRule::random_per_user},
                                         {"leave-last-out", SplitRule::leave_last_out},
                                         {"time", SplitRule::global_time}});
    const SplitOptions options{how, test, validation, seed};
    Split parts = without_gil([&] { return split(ratings, options); });
    return py::make_tuple(std::move(parts.train), std::move(parts.test),
                          std::move(parts.validation));
  });
  module.def("folds", [](const Ratings& ratings, std::size_t k, std::uint64_t seed) {
    py::list out;
    for (Split& one : without_gil([&] { return folds(ratings, k, seed); })) {
      out.append(py::make_tuple(std::move(one.train), std::move(one.test)));
    }
    return out;
  });
}

}  // namespace palate::python
