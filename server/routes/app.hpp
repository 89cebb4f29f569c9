// What routes work with, and the table of routes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/http/guard.hpp"
#include "server/http/metrics.hpp"
#include "server/http/pool.hpp"
#include "server/http/text.hpp"
#include "server/routes/bodies.hpp"
#include "server/service/cache.hpp"
#include "server/service/engine.hpp"
#include "server/service/write_queue.hpp"

namespace palate::server {

/// Everything that lives as long as the server.
struct App {
  App(const Options& options, Log& log);

  const Options& options;
  Log& log;
  Engine engine;
  WriteQueue writes;
  Keys keys;
  RateLimit rate;
  Hosts hosts;
  Cache cache;
  Metrics metrics;
  Pool pool;       ///< answers
  Pool bulk_pool;  ///< reads streamed bodies
  std::function<std::size_t()> connections = [] { return std::size_t{0}; };
  std::atomic<bool> stopping = false;

  /// The newest state; Problem{not_ready} if there is none.
  [[nodiscard]] std::shared_ptr<const ModelState> state() const;
  /// The criteria; Problem{conflict} if they are not set yet.
  [[nodiscard]] std::vector<Criterion> criteria() const;
};

/// One request for one route.
struct Call {
  const Request* request;         ///< lives until the answer has been given
  std::vector<std::string> path;  ///< the parts that the pattern names, decoded
  Query query;
};

using Answer = Response (*)(App&, const Call&);
/// For what is answered later, by another thread.
using Deferred = void (*)(App&, const std::shared_ptr<const Call>&, const Respond&);
/// For bodies that are taken as they arrive.
using Streamed = std::shared_ptr<BodySink> (*)(App&, const std::shared_ptr<const Call>&);

struct Route {
  std::string_view method;
  std::string_view pattern;    ///< "/v1/users/{}"; "{}" stands for one part
  std::string_view name;       ///< for metrics and logs
  std::optional<Role> role;    ///< none: open to all
  std::string_view body = {};  ///< the type that is accepted; empty: none is looked at
  std::variant<Answer, Deferred, Streamed> action;
};

[[nodiscard]] std::span<const Route> routes();

// ratings.cpp
Response get_rating(App& app, const Call& call);
void put_rating(App& app, const std::shared_ptr<const Call>& call, const Respond& respond);
void delete_rating(App& app, const std::shared_ptr<const Call>& call, const Respond& respond);
Response list_ratings(App& app, const Call& call);

// bulk.cpp
std::shared_ptr<BodySink> bulk_ratings(App& app, const std::shared_ptr<const Call>& call);
std::shared_ptr<BodySink> bulk_users(App& app, const std::shared_ptr<const Call>& call);
std::shared_ptr<BodySink> bulk_items(App& app, const std::shared_ptr<const Call>& call);

// people_and_items.cpp
Response list_users(App& app, const Call& call);
Response get_user(App& app, const Call& call);
void put_user(App& app, const std::shared_ptr<const Call>& call, const Respond& respond);
void delete_user(App& app, const std::shared_ptr<const Call>& call, const Respond& respond);
Response list_items(App& app, const Call& call);
Response get_item(App& app, const Call& call);
void put_item(App& app, const std::shared_ptr<const Call>& call, const Respond& respond);
void delete_item(App& app, const std::shared_ptr<const Call>& call, const Respond& respond);

// asking.cpp
Response recommend(App& app, const Call& call);
Response recommend_for(App& app, const Call& call);
Response similar(App& app, const Call& call);
Response explain(App& app, const Call& call);
Response explain_for(App& app, const Call& call);

// about.cpp
Response get_criteria(App& app, const Call& call);
Response put_criteria(App& app, const Call& call);
Response get_model(App& app, const Call& call);
Response get_data(App& app, const Call& call);
Response get_service(App& app, const Call& call);
Response get_metrics(App& app, const Call& call);
Response get_openapi(App& app, const Call& call);
Response health(App& app, const Call& call);
Response ready(App& app, const Call& call);

/// Sends one write on its way; `answer` makes the response once it is durable and counted.
void write_then(App& app, const std::shared_ptr<const Call>& call, const Respond& respond,
                StoreWrite write, std::function<Response(WriteEffect)> answer);
/// 201 for something new, 200 else.
[[nodiscard]] int put_status(WriteEffect effect) noexcept;
/// 204; Problem::not_found(missing) if there was nothing to delete.
[[nodiscard]] Response deleted_response(WriteEffect effect, const std::string& missing);
/// What to say of the user that the path names.
[[nodiscard]] std::string no_user(const Call& call);

}  // namespace palate::server
