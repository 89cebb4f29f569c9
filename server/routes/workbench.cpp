// Long work on the ratings, as jobs: fits, comparisons, dials.
#include "server/service/workbench.hpp"

#include <fmt/format.h>

#include <charconv>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

std::uint64_t id_of(const Call& call) {
  const std::string& text = call.path[0];
  std::uint64_t id = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (wrong == std::errc() && end == text.data() + text.size()) return id;
  throw Problem::not_found(fmt::format("there is no job '{}'", text),
                           "GET /v1/jobs lists the last ones");
}

HeldBack held_back_of(const Json& body) {
  HeldBack out;
  if (const auto share = body.find("test"); share != body.end()) {
    if (!share->is_number() || !(share->get<double>() > 0 && share->get<double>() <= 0.5)) {
      throw Problem::bad_input("it has to be a number above 0, at most 0.5", "test");
    }
    out.share = share->get<double>();
  }
  constexpr std::size_t most = 1'000'000'000;
  out.seed = count_of(body, "seed", 1, 0, most);
  return out;
}

std::string method_of(const Json& body) {
  constexpr std::size_t longest = 4000;
  const auto given = body.find("method");
  if (given == body.end() || given->is_null()) return {};
  std::string text = text_of(*given, "method");
  if (text.size() > longest) throw Problem::bad_input("it is too long", "method");
  return text;
}

Response submit(App& app, const Call& call, Jobs::Order order) {
  if (call.key) order.by = call.key->name;
  const Json detail = {{"kind", order.kind}, {"asked", order.asked}};
  const Json job = app.jobs.submit(std::move(order));
  app.activity.note("job started", call.actor(), detail);
  return json_response(job, 202);
}

// What a server was asked to serve, as text; a filter has a colon of its own, so it comes last.
std::string text_of(const MethodRequest& wish) {
  std::string out = wish.method;
  std::string filters;
  for (const auto& [name, value] : wish.settings) {
    (name.starts_with("filter") ? filters : out) += fmt::format(":{}={}", name, value);
  }
  return out + filters;
}

}  // namespace

Response list_methods(App& app, const Call&) {
  Json list = Json::array();
  for (const MethodDescription& method : methods()) {
    Json one = Json::parse(to_json(method));
    one["automatic"] = MethodRequest{.method = method.name}.automatic();
    list.push_back(std::move(one));
  }
  const std::vector<Criterion> criteria = app.engine.criteria();
  Json presets = Json::array();
  for (const std::string_view name : preset_names()) {
    if (preset_suits(name, criteria)) presets.push_back(name);
  }
  const MethodRequest wish = app.engine.wish();
  return json_response({{"methods", std::move(list)},
                        {"presets", std::move(presets)},
                        {"served", text_of(wish)},
                        {"served_automatic", wish.automatic()}});
}

Response list_jobs(App& app, const Call&) { return json_response({{"jobs", app.jobs.list()}}); }

Response get_job(App& app, const Call& call) { return json_response(app.jobs.find(id_of(call))); }

Response cancel_job(App& app, const Call& call) {
  const std::uint64_t id = id_of(call);
  const Json job = app.jobs.find(id);
  // Whoever may not ask for a fit may not stop one.
  if (call.key && job["kind"] == "fit") Keys::allow(*call.key, Role::admin);
  return json_response(app.jobs.cancel(id), 202);
}

Response job_lists(App& app, const Call& call) {
  const Json lists = app.workbench.lists_of(id_of(call), call.path[1]);
  if (lists.is_null()) {
    throw Problem::not_found(fmt::format("job {} has no lists", call.path[0]),
                             "the lists of the last comparison are kept, until the next");
  }
  return json_response(lists);
}

Response start_fit(App& app, const Call& call) {
  const Json body = parse_object(call.request->body, {"method"});
  const std::string method = method_of(body);
  if (method.empty()) {
    throw Problem::bad_input("it has to be given", "method", "for example \"adaptive\"");
  }
  return submit(app, call, app.workbench.fit(method));
}

Response start_comparison(App& app, const Call& call) {
  constexpr std::size_t most_methods = 8;
  constexpr std::size_t longest_list = 50;
  const Json body = parse_object(call.request->body, {"methods", "at", "test", "seed"});
  ComparisonOrder order{texts_of(body, "methods", most_methods),
                        count_of(body, "at", 10, 1, longest_list), held_back_of(body)};
  if (order.methods.empty()) order.methods = {"popularity", "item-knn", "ease", "adaptive"};
  return submit(app, call, app.workbench.compare(order));
}

Response start_dials(App& app, const Call& call) {
  const Json body = parse_object(call.request->body, {"method", "test", "seed"});
  return submit(app, call, app.workbench.dials({method_of(body), held_back_of(body)}));
}

}  // namespace palate::server
