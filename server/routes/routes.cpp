// The table of routes. openapi.json says the same to the world.
#include <array>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

constexpr std::string_view json = "application/json";
constexpr std::string_view bytes = "application/octet-stream";
constexpr std::string_view ndjson = "application/x-ndjson";
constexpr std::optional<Role> read = Role::read;
constexpr std::optional<Role> write = Role::write;
constexpr std::optional<Role> admin = Role::admin;
constexpr std::optional<Role> anyone = std::nullopt;

}  // namespace

std::span<const Route> routes() {
  static const std::array all = {
      Route{"GET",
            "/v1/users/{}/recommendations",
            "recommend",
            read,
            {},
            &recommend,
            {{"top", "weights", "filter", "cursor", "attributions", "include_rated"}}},
      Route{"POST", "/v1/recommendations", "recommendFor", read, json, &recommend_for},
      Route{"GET",
            "/v1/users/{}/explanations/{}",
            "explain",
            read,
            {},
            &explain,
            {{"weights", "parts"}}},
      Route{"POST", "/v1/explanations", "explainFor", read, json, &explain_for},
      Route{"GET", "/v1/items/{}/similar", "similar", read, {}, &similar, {{"top"}}},
      Route{"GET", "/v1/ratings/{}/{}", "getRating", read, {}, &get_rating},
      Route{"PUT", "/v1/ratings/{}/{}", "putRating", write, json, &put_rating},
      Route{"DELETE", "/v1/ratings/{}/{}", "deleteRating", write, {}, &delete_rating},
      Route{"POST", "/v1/ratings", "bulkRatings", write, ndjson, &bulk_ratings},
      Route{"GET", "/v1/users", "listUsers", read, {}, &list_users, {{"after", "limit", "q"}}},
      Route{"POST", "/v1/users", "bulkUsers", write, ndjson, &bulk_users},
      Route{"GET", "/v1/users/{}", "getUser", read, {}, &get_user},
      Route{"PUT", "/v1/users/{}", "putUser", write, json, &put_user},
      Route{"DELETE", "/v1/users/{}", "deleteUser", write, {}, &delete_user},
      Route{"GET", "/v1/users/{}/ratings", "listRatings", read, {}, &list_ratings},
      Route{"GET",
            "/v1/items",
            "listItems",
            read,
            {},
            &list_items,
            {{"after", "limit", "q", "sort", "filter"}}},
      Route{"GET", "/v1/attributes", "listAttributes", read, {}, &list_attributes},
      Route{"POST", "/v1/items", "bulkItems", write, ndjson, &bulk_items},
      Route{"GET", "/v1/items/{}", "getItem", read, {}, &get_item},
      Route{"PUT", "/v1/items/{}", "putItem", write, json, &put_item},
      Route{"DELETE", "/v1/items/{}", "deleteItem", write, {}, &delete_item},
      Route{"GET", "/v1/criteria", "getCriteria", read, {}, &get_criteria},
      Route{"PUT", "/v1/criteria", "putCriteria", admin, json, &put_criteria},
      Route{"GET", "/v1/model", "getModel", read, {}, &get_model},
      Route{"GET", "/v1/data", "getData", read, {}, &get_data},
      Route{"GET", "/v1/service", "getService", read, {}, &get_service},
      Route{"POST",
            "/v1/imports",
            "importFile",
            write,
            bytes,
            &import_file,
            {{"name", "preview", "user", "item", "overall", "criteria", "time", "title",
              "delimiter", "duplicates", "zeros", "missing", "highest"}}},
      Route{"GET", "/v1/methods", "listMethods", read, {}, &list_methods},
      Route{"GET", "/v1/jobs", "listJobs", read, {}, &list_jobs},
      Route{"GET", "/v1/jobs/{}", "getJob", read, {}, &get_job},
      Route{"DELETE", "/v1/jobs/{}", "cancelJob", write, {}, &cancel_job},
      Route{"GET", "/v1/jobs/{}/lists/{}", "jobLists", read, {}, &job_lists},
      Route{"POST", "/v1/fits", "startFit", admin, json, &start_fit},
      Route{"POST", "/v1/comparisons", "startComparison", write, json, &start_comparison},
      Route{"POST", "/v1/dials", "startDials", write, json, &start_dials},
      Route{"GET", "/v1/keys", "listKeys", admin, {}, &list_keys},
      Route{"POST", "/v1/keys", "addKey", admin, json, &add_key},
      Route{"POST", "/v1/keys/{}/secrets", "rotateKey", admin, json, &rotate_key},
      Route{"DELETE", "/v1/keys/{}", "removeKey", admin, {}, &remove_key},
      Route{"GET", "/v1/activity", "getActivity", admin, {}, &get_activity, {{"before", "limit"}}},
      Route{"GET", "/v1/openapi.json", "getOpenapi", anyone, {}, &get_openapi},
      Route{"GET", "/health", "health", anyone, {}, &health, {}, Lane::watching},
      Route{"GET", "/ready", "ready", anyone, {}, &ready, {}, Lane::watching},
      Route{"GET", "/metrics", "metrics", read, {}, &get_metrics, {{}}, Lane::watching},
  };
  return all;
}

}  // namespace palate::server
