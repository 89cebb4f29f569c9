#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>

#include "base/utf8.hpp"
#include "palate/error.hpp"
#include "rating_store/store.hpp"

namespace palate::store {
namespace {

Error refused(std::string message, std::string field, std::string hint = {}) {
  return {ErrorCode::bad_input, std::move(message), {.field = std::move(field)}, std::move(hint)};
}

// PostgreSQL has no text with a zero in it, and a store must not depend on where it lives.
void check_text(std::string_view text, const char* what, const char* field) {
  if (!valid_utf8(text)) throw refused(std::string(what) + " is not valid UTF-8", field);
  if (text.find('\0') != std::string_view::npos) {
    throw refused(std::string(what) + " holds a zero character", field);
  }
}

void check_id(std::string_view id, const char* kind) {
  const std::string what = std::string("the ") + kind + " id";
  if (id.empty()) throw refused(what + " is empty", kind);
  check_text(id, what.c_str(), kind);
  if (id.size() > max_stored_id) {
    throw refused(what + " has " + std::to_string(id.size()) + " bytes", kind,
                  "an id may have at most " + std::to_string(max_stored_id));
  }
}

void check_attributes(std::string_view text) {
  const char* const field = "attributes";
  if (text.size() > max_stored_attributes) {
    throw refused("the attributes have " + std::to_string(text.size()) + " bytes", field,
                  "they may have at most " + std::to_string(max_stored_attributes));
  }
  check_text(text, "the text of the attributes", field);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{' ||
      !nlohmann::json::accept(text.begin(), text.end())) {
    throw refused("the attributes are no JSON object", field, "for example {\"style\": \"stout\"}");
  }
}

struct Check {
  std::span<const Criterion> criteria;

  void operator()(const StoredRating& rating) const {
    check_id(rating.user, "user");
    check_id(rating.item, "item");
    if (criteria.empty()) {
      throw refused("the store has no criteria yet, so nothing can be rated", "",
                    "set the criteria first, the overall rating among them");
    }
    if (rating.values.size() != criteria.size()) {
      throw refused("the rating has " + std::to_string(rating.values.size()) +
                        " values where the store has " + std::to_string(criteria.size()) +
                        " criteria",
                    "values");
    }
    bool any = false;
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      const float value = rating.values[c];
      if (std::isnan(value)) continue;
      if (value < 0 || std::isinf(value)) {
        throw refused("a rating must be a finite number that is not negative", criteria[c].name);
      }
      any = true;
    }
    if (!any) throw refused("there is no value for any criterion", "values");
  }
  void operator()(const RatingKey& key) const {
    check_id(key.user, "user");
    check_id(key.item, "item");
  }
  void operator()(const StoredUser& user) const {
    check_id(user.id, "user");
    check_attributes(user.attributes);
  }
  void operator()(const StoredItem& item) const {
    check_id(item.id, "item");
    check_text(item.title, "the title", "title");
    check_attributes(item.attributes);
  }
  void operator()(const DeleteUser& user) const { check_id(user.id, "user"); }
  void operator()(const DeleteItem& item) const { check_id(item.id, "item"); }
};

}  // namespace

void check_criteria(std::span<const Criterion> criteria) {
  if (criteria.empty()) {
    throw refused("a store needs at least one criterion, the overall rating", "criteria");
  }
  if (criteria.size() > max_criteria) {
    throw refused(std::to_string(criteria.size()) + " criteria are more than Palate can hold",
                  "criteria",
                  "name at most " + std::to_string(max_criteria) + ", the overall rating included");
  }
  std::unordered_set<std::string_view> names;
  for (const Criterion& criterion : criteria) {
    if (criterion.name.empty()) throw refused("a criterion has an empty name", "criteria");
    check_text(criterion.name, "the name of a criterion", "criteria");
    if (!names.insert(criterion.name).second) {
      throw refused("the criterion '" + criterion.name + "' is named twice", "criteria");
    }
    if (!(criterion.min >= 0 && criterion.min <= criterion.max && std::isfinite(criterion.max))) {
      throw refused(
          "the scale of a criterion runs from a smallest to a largest finite number, "
          "neither of them negative",
          criterion.name);
    }
  }
}

void check_writes(std::span<const StoreWrite> writes, std::span<const Criterion> criteria) {
  for (std::size_t k = 0; k < writes.size(); ++k) {
    try {
      check_write(writes[k], criteria);
    } catch (const Error& error) {
      if (writes.size() == 1) throw;
      Where where = error.where();
      where.line = static_cast<std::int64_t>(k) + 1;
      throw Error(error.code(), error.message(), std::move(where), error.hint());
    }
  }
}

}  // namespace palate::store

namespace palate {

void check_write(const StoreWrite& write, std::span<const Criterion> criteria) {
  std::visit(store::Check{criteria}, write);
}

Criterion usual_scale(Criterion seen) {
  if (!(seen.min < seen.max)) return {std::move(seen.name), 0, 0};
  seen.min = seen.min >= 1 ? 1.0F : seen.min >= 0.5F ? 0.5F : 0.0F;
  float largest = seen.max <= 1 ? 1.0F : seen.max <= 5 ? 5.0F : seen.max <= 10 ? 10.0F : 20.0F;
  if (seen.max > largest) largest = 100;
  while (seen.max > largest) largest *= 10;
  seen.max = largest;
  return seen;
}

}  // namespace palate
