// Single ratings.
#include <fmt/format.h>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

std::string no_rating(const Call& call) {
  return fmt::format("'{}' has not rated '{}'", call.path[0], call.path[1]);
}

}  // namespace

Response get_rating(App& app, const Call& call) {
  const std::optional<StoredRating> rating =
      app.engine.store().find_rating(call.path[0], call.path[1]);
  if (!rating) throw Problem::not_found(no_rating(call));
  return json_response(rating_json(*rating, app.engine.criteria()));
}

void put_rating(App& app, const SharedCall& call, const Respond& respond) {
  const std::vector<Criterion> criteria = app.criteria();
  const Json body = parse_object(call->request->body, {"values", "time"});
  StoredRating rating{call->path[0], call->path[1], values_of(body, criteria), time_of(body)};
  Json answer = rating_json(rating, criteria);
  put(app, call, respond, std::move(rating), std::move(answer));
}

void delete_rating(App& app, const SharedCall& call, const Respond& respond) {
  remove(app, call, respond, RatingKey{call->path[0], call->path[1]}, no_rating(*call));
}

Response list_ratings(App& app, const Call& call) {
  const std::vector<StoredRating> all = app.engine.store().ratings_of(call.path[0]);
  if (all.empty() && !app.engine.store().find_user(call.path[0])) {
    throw unknown_user(app, call.path[0]);
  }
  const std::vector<Criterion> criteria = app.engine.criteria();
  Json list = Json::array();
  for (const StoredRating& rating : all) {
    Json row = rating_json(rating, criteria);
    row["title"] = app.engine.directory().title(rating.item);
    list.push_back(std::move(row));
  }
  return json_response({{"user", call.path[0]}, {"ratings", std::move(list)}});
}

}  // namespace palate::server
