// The model, the data and the service itself.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "palate/version.hpp"
#include "server/http/pages.hpp"
#include "server/routes/app.hpp"
#include "server/service/choice_json.hpp"
#include "server/service/prediction_json.hpp"

namespace palate::server {
namespace {

double behind_seconds(const ModelState* state) {
  return state != nullptr && state->behind_since ? seconds_since(*state->behind_since) : 0.0;
}

StoreCounts counts_of(App& app, const ModelState* state) {
  if (state == nullptr) return app.engine.store().counts();
  return {state->snapshot.users(), state->snapshot.items(), state->snapshot.interactions()};
}

Criterion criterion_of(const Json& value) {
  if (value.is_string()) return {text_of(value, "criteria"), 0, 0};
  if (!value.is_object() || !value.contains("name")) {
    throw Problem::bad_input("a criterion is a name, or an object with a name", "criteria");
  }
  require_known(value, {"name", "min", "max"});
  Criterion criterion{text_of(value["name"], "name"), 0, 0};
  const auto scale = [&](std::string_view field) {
    const auto found = value.find(field);
    if (found == value.end()) return 0.0F;
    constexpr double most = 1e30;
    if (!found->is_number() || !(found->get<double>() >= 0 && found->get<double>() <= most)) {
      throw Problem::bad_input("it has to be a number from 0 on", field);
    }
    return static_cast<float>(found->get<double>());
  };
  criterion.min = scale("min");
  criterion.max = scale("max");
  if (criterion.max < criterion.min) throw Problem::bad_input("min is above max", "min");
  return criterion;
}

Json filters_json(const ModelInfo& info) {
  constexpr int steps = 50;
  Json filters = Json::array();
  for (std::size_t c = 0; c < info.filters.size() && c < info.criteria.size(); ++c) {
    Json response = Json::array();
    for (int k = 0; k <= steps; ++k) {
      const double x = static_cast<double>(k) / steps;
      response.push_back({x, frequency_response(info.filters[c], x)});
    }
    filters.push_back({{"criterion", info.criteria[c].name},
                       {"filter", filter_name(info.filters[c])},
                       {"coefficients", info.filters[c].coefficients},
                       {"power", info.filters[c].power},
                       {"response", std::move(response)}});
  }
  return filters;
}

Json model_settings_json(const ModelInfo& info) {
  Json out = Json::array();
  if (info.settings.empty()) return out;
  const Method method = Method::from_json(info.settings);
  for (const Setting& setting : method.description().settings) {
    out.push_back(
        {{"name", setting.name}, {"value", method.get(setting.name)}, {"help", setting.help}});
  }
  return out;
}

}  // namespace

Response get_criteria(App& app, const Call&) {
  return json_response(criteria_json(app.engine.criteria()));
}

Response put_criteria(App& app, const Call& call) {
  const Json body = parse_object(call.request->body, {"criteria"});
  const auto given = body.find("criteria");
  if (given == body.end() || !given->is_array() || given->empty() || given->size() > max_criteria) {
    throw Problem::bad_input(
        fmt::format("it has to be an array of 1 to {}, overall first", max_criteria), "criteria");
  }
  std::vector<Criterion> criteria;
  std::set<std::string> names;
  for (const Json& value : *given) {
    criteria.push_back(criterion_of(value));
    const std::string& name = criteria.back().name;
    if (name.empty()) throw Problem::bad_input("a name cannot be empty", "criteria");
    if (!names.insert(name).second) {
      throw Problem::bad_input(fmt::format("'{}' is named twice", name), "criteria");
    }
  }
  try {
    app.engine.set_criteria(criteria);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw Problem{.code = "conflict", .detail = error.message(), .hint = error.hint()};
  }
  app.activity.note("criteria set", call.actor(), criteria_json(criteria));
  return json_response(criteria_json(app.engine.criteria()));
}

Response get_model(App& app, const Call&) {
  const auto state = app.engine.state();
  const ModelInfo info = state ? state->snapshot.info() : ModelInfo{};
  const std::optional<Choice> choice = app.engine.choice();
  const bool chosen = choice && !choice->steps.empty();
  return json_response({{"state", phase_name(app.engine.phase())},
                        {"version", state ? state->sequence : 0},
                        {"method", info.method},
                        {"variant", info.variant},
                        {"preference", info.preference ? Json(*info.preference) : Json(nullptr)},
                        {"settings", model_settings_json(info)},
                        {"filters", filters_json(info)},
                        {"response", info.response},
                        {"solver", info.solver},
                        {"storage", info.storage},
                        {"why", info.why},
                        {"users", state ? state->snapshot.users() : 0},
                        {"items", state ? state->snapshot.items() : 0},
                        {"interactions", state ? state->snapshot.interactions() : 0},
                        {"graph_entries", info.graph_entries},
                        {"memory_bytes", info.bytes},
                        {"trained_with", info.trained_with},
                        {"prediction", state ? prediction_json(state->snapshot.prediction_errors(),
                                                               state->snapshot.criteria())
                                             : Json(nullptr)},
                        {"choice", chosen ? choice_json(*choice) : Json(nullptr)}});
}

Response get_data(App& app, const Call&) {
  const auto state = app.engine.state();
  const auto [statistics, sequence] = app.engine.statistics();
  if (!statistics) throw Problem::not_ready("the ratings are being read");
  const StoreCounts counts = counts_of(app, state.get());
  const double cells = static_cast<double>(counts.users) * static_cast<double>(counts.items);
  Json body = {{"users", counts.users},
               {"items", counts.items},
               {"ratings", counts.ratings},
               {"density", cells > 0 ? static_cast<double>(counts.ratings) / cells : 0.0},
               {"sequence", sequence}};
  body.update(*statistics);
  return json_response(body);
}

Response get_service(App& app, const Call&) {
  const auto state = app.engine.state();
  const Cache::Counts cache = app.cache.counts();
  const StoreCounts counts = counts_of(app, state.get());
  Json body = {{"version", version}, {"uptime_seconds", app.metrics.uptime()}};
  body.update(app.metrics.summary());
  body["memory"] = {{"resident_bytes", resident_bytes()},
                    {"model_bytes", state ? state->snapshot.info().bytes : 0}};
  body["graph"] = {{"state", phase_name(app.engine.phase())},
                   {"age_seconds", state ? state->live->graph_age() : 0.0},
                   {"changes", state ? state->live->changes_since_fit() : 0},
                   {"behind", state ? state->behind : 0},
                   {"behind_seconds", behind_seconds(state.get())},
                   {"version", state ? state->sequence : 0}};
  body["cache"] = {{"hits", cache.hits}, {"misses", cache.misses}, {"entries", cache.entries}};
  body["connections"] = app.connections();
  body["store"] = {{"kind", app.options.store.starts_with("postgres") ? "postgresql" : "sqlite"},
                   {"sequence", app.engine.sequence()},
                   {"users", counts.users},
                   {"items", counts.items},
                   {"ratings", counts.ratings}};
  return json_response(body);
}

Response get_metrics(App& app, const Call&) {
  const auto state = app.engine.state();
  const Cache::Counts cache = app.cache.counts();
  // The database is not asked: who watches the server wants to know that it is gone.
  const StoreCounts counts = state ? counts_of(app, state.get()) : StoreCounts{};
  const auto number = [](auto value) { return static_cast<double>(value); };
  std::string text = app.metrics.prometheus();
  text += metric_text("palate_ready", "gauge", "1 if there is a model.", state ? 1 : 0);
  text += metric_text("palate_users", "gauge", "Known users.", number(counts.users));
  text += metric_text("palate_items", "gauge", "Known items.", number(counts.items));
  text += metric_text("palate_ratings", "gauge", "Pairs of user and item.", number(counts.ratings));
  text += metric_text("palate_graph_age_seconds", "gauge", "Since the graph was built as a whole.",
                      state ? state->live->graph_age() : 0);
  text += metric_text("palate_graph_changes", "gauge", "Changes since then.",
                      state ? number(state->live->changes_since_fit()) : 0);
  text +=
      metric_text("palate_graph_behind", "gauge", "Changes that graph or weights do not count yet.",
                  state ? number(state->behind) : 0);
  text += metric_text("palate_graph_behind_seconds", "gauge", "Since the first of them came.",
                      behind_seconds(state.get()));
  text += metric_text("palate_store_sequence", "counter", "Last change of the store taken in.",
                      number(app.engine.sequence()));
  text += metric_text("palate_cache_hits_total", "counter", "Lists found in the cache.",
                      number(cache.hits));
  text += metric_text("palate_cache_misses_total", "counter", "Lists that had to be made.",
                      number(cache.misses));
  text +=
      metric_text("palate_cache_entries", "gauge", "Lists in the cache.", number(cache.entries));
  text +=
      metric_text("palate_connections", "gauge", "Open connections.", number(app.connections()));
  text += metric_text("process_resident_memory_bytes", "gauge", "Memory of the process.",
                      number(resident_bytes()));
  text += metric_text("palate_uptime_seconds", "gauge", "Since the server started.",
                      app.metrics.uptime());
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text)};
}

Response get_openapi(App&, const Call& call) {
  const Page* page = find_page("/v1/openapi.json");
  if (page == nullptr) throw Problem::not_found("the document is not part of this binary");
  return page_response(*page, *call.request);
}

Response health(App&, const Call&) { return json_response({{"status", "ok"}}); }

Response ready(App& app, const Call&) {
  if (app.stopping) {
    return json_response({{"status", "stopping"}, {"detail", "the server is about to end"}}, 503);
  }
  const Phase phase = app.engine.phase();
  if (phase == Phase::fitting) {
    return json_response({{"status", "fitting"}, {"detail", "the first model is being fitted"}},
                         503);
  }
  if (const std::string trouble = app.engine.store_trouble(); !trouble.empty()) {
    return json_response({{"status", "store"}, {"detail", trouble}}, 503);
  }
  if (phase == Phase::empty) {
    return json_response(
        {{"status", "empty"},
         {"detail", "ratings can be written; lists will be possible with the first of them"}});
  }
  return json_response({{"status", "ready"}, {"detail", "lists can be asked for"}});
}

}  // namespace palate::server
