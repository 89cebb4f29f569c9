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
#include "server/http/problem.hpp"
#include "server/http/text.hpp"
#include "server/routes/bodies.hpp"
#include "server/service/activity.hpp"
#include "server/service/cache.hpp"
#include "server/service/engine.hpp"
#include "server/service/jobs.hpp"
#include "server/service/workbench.hpp"
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
  Cache cache;
  Metrics metrics;
  Pool pool;       ///< answers
  Pool watching;   ///< answers who watches the server, however much others ask
  Pool doors;      ///< asks the database for keys
  Pool bulk_pool;  ///< reads streamed bodies
  Activity activity;
  Workbench workbench;
  Jobs jobs;
  std::atomic<int> uploads = 0;  ///< files under way
  std::function<std::size_t()> connections = [] { return std::size_t{0}; };
  std::atomic<bool> stopping = false;

  /// The newest state; Problem{not_ready} if there is none.
  [[nodiscard]] std::shared_ptr<const ModelState> state() const;
  /// The criteria; Problem{conflict} if they are not set yet.
  [[nodiscard]] std::vector<Criterion> criteria() const;
};

struct Route;

/// One request for one route.
struct Call {
  const Request* request;  ///< lives until the answer has been given
  const Route* route;
  std::vector<std::string> path;  ///< the parts that the pattern names, decoded
  Query query;
  std::string who;  ///< whose share of the threads it takes: the name of a key, or an address
  std::optional<ApiKey> key = {};  ///< that it was sent with, where one is needed

  /// For the audit log.
  [[nodiscard]] Actor actor() const { return {key ? key->name : "", request->address}; }
};
using SharedCall = std::shared_ptr<const Call>;

using Answer = Response(App&, const Call&);
/// For what is answered later, by another thread.
using Deferred = void(App&, const SharedCall&, const Respond&);
/// For bodies that are taken as they arrive.
using Streamed = std::shared_ptr<BodySink>(App&, const SharedCall&);

/// Which threads answer.
enum class Lane { usual, watching };

struct Route {
  std::string_view method;
  std::string_view pattern;  ///< "/v1/users/{}"; "{}" stands for one part
  std::string_view name;     ///< for metrics and logs
  std::optional<Role> role;  ///< none: open to all
  std::string_view body;     ///< the type that is accepted; empty: none is looked at
  std::variant<Answer*, Deferred*, Streamed*> action;
  /// Parameters that the query may have; none: whatever it has.
  std::optional<std::vector<std::string_view>> parameters = std::vector<std::string_view>{};
  Lane lane = Lane::usual;
};

[[nodiscard]] std::span<const Route> routes();

// ratings.cpp
Answer get_rating, list_ratings;
Deferred put_rating, delete_rating;

// bulk.cpp
Streamed bulk_ratings, bulk_users, bulk_items;

// uploads.cpp
Streamed import_file;

// workbench.cpp
Answer list_methods, list_jobs, get_job, cancel_job, job_lists, start_fit, start_comparison,
    start_dials;

// administration.cpp
Answer list_keys, add_key, rotate_key, remove_key, get_activity;

// people_and_items.cpp
Answer list_users, get_user, list_items, get_item, list_attributes;
Deferred put_user, delete_user, put_item, delete_item;

// asking.cpp
Answer recommend, recommend_for, similar, explain, explain_for;

// about.cpp
Answer get_criteria, put_criteria, get_model, get_data, get_service, get_metrics, get_openapi,
    health, ready;

/// Does `work`. What it throws becomes a problem; what is not for clients goes to the log.
[[nodiscard]] std::optional<Problem> problem_of(App& app, const Call& call, std::string_view event,
                                                const std::function<void()>& work);
/// Sends one write on its way. Once it is durable and counted, `answer` is given: 201 for something
/// new, 200 else.
void put(App& app, const SharedCall& call, const Respond& respond, StoreWrite write, Json answer);
/// The same for a deletion: 204, or 404 and `missing` if there was nothing to delete.
void remove(App& app, const SharedCall& call, const Respond& respond, StoreWrite write,
            std::string missing);
/// 404 for a user that is not known, with the ids that may have been meant.
[[nodiscard]] Problem unknown_user(App& app, const std::string& id);

}  // namespace palate::server
