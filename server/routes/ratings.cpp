// Single ratings.
#include <fmt/format.h>

#include "server/http/problem.hpp"
#include "server/routes/app.hpp"

namespace palate::server {

void write_then(App& app, const std::shared_ptr<const Call>& call, const Respond& respond,
                StoreWrite write, std::function<Response()> answer) {
  app.writer.submit(std::move(write), [&app, call, respond, answer = std::move(answer)](
                                          const std::exception_ptr& wrong) {
    Response response;
    std::string cause;
    try {
      if (wrong) std::rethrow_exception(wrong);
      response = answer();
    } catch (...) {
      response = to_response(current_problem(&cause), call->request->id);
    }
    if (!cause.empty()) {
      app.log.write(LogLevel::error, "a write failed",
                    {{"request_id", call->request->id}, {"error", cause}});
    }
    respond(std::move(response));
  });
}

Response get_rating(App& app, const Call& call) {
  call.query.allow({});
  const std::optional<StoredRating> rating =
      app.engine.store().find_rating(call.path[0], call.path[1]);
  if (!rating) {
    throw Problem::not_found(fmt::format("'{}' has not rated '{}'", call.path[0], call.path[1]));
  }
  return json_response(rating_json(*rating, app.engine.criteria()));
}

void put_rating(App& app, const std::shared_ptr<const Call>& call, const Respond& respond) {
  call->query.allow({});
  const std::vector<Criterion> criteria = app.criteria();
  const Json body = parse_object(call->request->body, {"values", "time"});
  StoredRating rating{call->path[0], call->path[1], values_of(body, criteria), time_of(body)};
  const bool known = app.engine.store().find_rating(rating.user, rating.item).has_value();
  Json answer = rating_json(rating, criteria);
  write_then(app, call, respond, std::move(rating), [answer = std::move(answer), known] {
    return json_response(answer, known ? 200 : 201);
  });
}

void delete_rating(App& app, const std::shared_ptr<const Call>& call, const Respond& respond) {
  call->query.allow({});
  if (!app.engine.store().find_rating(call->path[0], call->path[1])) {
    throw Problem::not_found(fmt::format("'{}' has not rated '{}'", call->path[0], call->path[1]));
  }
  write_then(app, call, respond, RatingKey{call->path[0], call->path[1]},
             [] { return Response{.status = 204}; });
}

Response list_ratings(App& app, const Call& call) {
  call.query.allow({});
  const std::vector<StoredRating> all = app.engine.store().ratings_of(call.path[0]);
  if (all.empty() && !app.engine.store().find_user(call.path[0])) {
    throw Problem::not_found(fmt::format("the user '{}' is not known", call.path[0]));
  }
  const std::vector<Criterion> criteria = app.engine.criteria();
  Json list = Json::array();
  for (const StoredRating& rating : all) {
    Json row = rating_json(rating, criteria);
    row["title"] = app.engine.catalogue().title(rating.item);
    list.push_back(std::move(row));
  }
  return json_response({{"user", call.path[0]}, {"ratings", std::move(list)}});
}

}  // namespace palate::server
