// What bodies of requests and answers carry: native types out of JSON, and back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "palate/live.hpp"
#include "palate/rating_store.hpp"
#include "server/http/json.hpp"
#include "server/http/text.hpp"
#include "server/service/directory.hpp"

namespace palate::server {

/// Refuses what cannot be an id: empty, no UTF-8, too long, with a zero byte.
void check_id(std::string_view id, std::string_view field);

/// {"overall": 4, "taste": null} as one value per criterion, NaN where absent. Refuses what is not
/// on the scale of its criterion; where that is not known, what is above a million.
[[nodiscard]] std::vector<float> values_of(const Json& object, const std::vector<Criterion>& all);
[[nodiscard]] std::int64_t time_of(const Json& object);
[[nodiscard]] Profile profile_of(const Json& value, const std::vector<Criterion>& criteria);
[[nodiscard]] std::vector<std::pair<std::string, double>> weights_of(
    const Json& value, const std::vector<Criterion>& criteria);
/// Text of a JSON object.
[[nodiscard]] std::string attributes_of(const Json& object);

/// What a line of a bulk body may be about.
enum class RowKind { rating, user, item };
/// One line of a bulk body. Throws Problem or Error{bad_input}.
[[nodiscard]] StoreWrite write_of(const std::string& line, RowKind kind,
                                  const std::vector<Criterion>& criteria);

[[nodiscard]] AttributeFilter filter_of(const Json& value);
/// filter=ATTRIBUTE:VALUE, as often as it is given.
[[nodiscard]] AttributeFilter filter_of(const Query& query);
[[nodiscard]] Json rating_json(const StoredRating& rating, const std::vector<Criterion>& criteria);
[[nodiscard]] Json explanation_json(const Explanation& explanation,
                                    std::span<const Criterion> criteria, std::size_t most_parts);
[[nodiscard]] Json criteria_json(const std::vector<Criterion>& criteria);
}  // namespace palate::server
