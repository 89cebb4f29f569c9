// Recommendations, similar items, explanations.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "server/routes/app.hpp"
#include "server/routes/shown.hpp"
#include "server/service/prediction_json.hpp"

namespace palate::server {
namespace {

constexpr std::size_t most_listed = 1000;
constexpr std::size_t most_ids = 100'000;

/// Someone: a known user, or a profile.
struct Person {
  std::optional<std::string> user;
  Profile profile;
};

struct Wish {
  Person person;
  RecommendOptions options;
  std::optional<AttributeFilter> filter;
  Shown shown;
  bool attributions = false;
};

// "service:2,rooms:0.5", commas and colons inside of names being encoded.
Json weights_json(const Query& query) {
  Json weights = Json::object();
  for (std::string_view rest : query.raw("weights")) {
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view pair = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t colon = pair.rfind(':');
      const std::string number =
          colon == std::string_view::npos ? "" : Query::decoded("weights", pair.substr(colon + 1));
      double factor = 0;
      const char* stop = number.data() + number.size();
      const auto [at, error] = std::from_chars(number.data(), stop, factor);
      if (number.empty() || error != std::errc() || at != stop) {
        throw Problem::usage("it has to be CRITERION:FACTOR,...", "weights",
                             "for example weights=service:2,rooms:0.5");
      }
      weights[Query::decoded("weights", pair.substr(0, colon))] = factor;
    }
  }
  return weights;
}

Person person_of(const Json& body, const std::vector<Criterion>& criteria) {
  if (body.contains("user") == body.contains("profile")) {
    throw Problem::bad_input("either user or profile has to be given", "user");
  }
  Person person;
  if (body.contains("user")) {
    person.user = text_of(body["user"], "user");
    check_id(*person.user, "user");
  } else {
    person.profile = profile_of(body["profile"], criteria);
  }
  return person;
}

Wish wish_of(const Json& body, const std::vector<Criterion>& criteria) {
  Wish wish;
  wish.person = person_of(body, criteria);
  wish.options.top = count_of(body, "top", 10, 1, most_listed);
  wish.options.exclude_seen = !flag_of(body, "include_rated");
  if (body.contains("weights")) wish.options.weights = weights_of(body["weights"], criteria);
  if (body.contains("filter")) wish.filter = filter_of(body["filter"]);
  wish.options.allow = texts_of(body, "allow", most_ids);
  wish.options.deny = texts_of(body, "deny", most_ids);
  if (body.contains("cursor")) wish.shown = Shown(text_of(body["cursor"], "cursor"));
  wish.attributions = flag_of(body, "attributions");
  return wish;
}

// What the filter lets through becomes the list of allowed items. False: nothing is left.
bool narrow(Wish& wish, const Directory& directory) {
  if (!wish.filter) return true;
  std::vector<std::string> fits = directory.matching(*wish.filter);
  std::vector<std::string>& allow = wish.options.allow;
  if (allow.empty()) {
    allow = std::move(fits);
  } else {
    std::sort(allow.begin(), allow.end());
    std::vector<std::string> both;
    std::set_intersection(allow.begin(), allow.end(), fits.begin(), fits.end(),
                          std::back_inserter(both));
    allow = std::move(both);
  }
  return !allow.empty();
}

void require_user(App& app, const ModelState& state, const Person& person) {
  if (!person.user || state.snapshot.knows_user(*person.user)) return;
  throw unknown_user(app, *person.user);
}

Recommendations ask(const Advisor& advisor, const Wish& wish, std::size_t top) {
  RecommendOptions options = wish.options;
  options.top = top;
  return wish.person.user ? advisor.recommend(*wish.person.user, options)
                          : advisor.recommend_for(wish.person.profile, options);
}

void add_attributions(Json& items, const Advisor& advisor, const Wish& wish,
                      const std::vector<Criterion>& criteria) {
  std::vector<std::string> ids;
  for (const Json& item : items) ids.push_back(item["item"].get<std::string>());
  if (ids.empty()) return;
  const std::vector<std::vector<double>> rows =
      wish.person.user ? advisor.attributions(*wish.person.user, ids, wish.options)
                       : advisor.attributions_for(wish.person.profile, ids, wish.options);
  for (std::size_t k = 0; k < items.size(); ++k) {
    Json& by_criterion = items[k]["by_criterion"] = Json::object();
    for (std::size_t c = 0; c < criteria.size() && c < rows[k].size(); ++c) {
      by_criterion[criteria[c].name] = rows[k][c];
    }
  }
}

Json list_json(App& app, const ModelState& state, Wish wish,
               const std::vector<Criterion>& criteria) {
  require_user(app, state, wish.person);
  Recommendations list;
  if (narrow(wish, app.engine.directory())) {
    // Enough for the page if all that was shown is still ahead, and one more to know of a next.
    list = ask(state.snapshot, wish, wish.options.top + wish.shown.size() + 1);
  }
  Json items = Json::array();
  Shown shown = wish.shown;
  std::size_t rank = shown.size();
  bool more = false;
  for (std::size_t place = 0; place < list.items.size(); ++place) {
    const Recommended& item = list.items[place];
    if (wish.shown.has(item.item)) continue;
    if (items.size() == wish.options.top) {
      more = true;
      break;
    }
    shown.add(item.item);
    items.push_back(
        {{"rank", ++rank},
         {"item", item.item},
         {"title", item.title},
         {"score", decimal(item.score)},
         {"match", match_json(item.match)},
         {"predicted", predicted_json(list.predicted_for(place), state.snapshot.criteria())},
         {"linked", list.basis == Basis::ratings && item.score != 0}});
    if (!wish.options.weights.empty()) items.back()["dialled"] = decimal(item.dialled);
  }
  if (wish.attributions) add_attributions(items, state.snapshot, wish, criteria);
  more = more && shown.size() <= Shown::most;
  return {{"user", wish.person.user ? Json(*wish.person.user) : Json(nullptr)},
          {"basis", list.basis == Basis::ratings ? "ratings" : "popularity"},
          {"version", state.sequence},
          {"items", std::move(items)},
          {"cursor", more ? Json(shown.cursor()) : Json(nullptr)}};
}

// `make` is asked only if the same request has not been answered from the same graph and the same
// ratings of the person. `user`: whose ratings the answer depends on, or none.
template <class Make>
Response cached(App& app, const Call& call, const ModelState& state, std::string_view user,
                Make make) {
  const Cache::Version version{state.generation, state.epoch};
  const Request& request = *call.request;
  const std::uint64_t own = user.empty() ? 0 : state.snapshot.user_version(user);
  const std::string key =
      fmt::format("{} {}?{}\n{}", own, request.path, request.query, request.body);
  if (const auto body = app.cache.find(version, key)) {
    return {.content_type = "application/json", .body = *body};
  }
  const Json answer = make();
  Response response = json_response(answer);
  // What is popular changes with every rating, weights or not.
  const bool passing = !state.live->follows() && answer.value("basis", "") == "popularity";
  if (!passing) app.cache.put(version, key, response.body);
  return response;
}

Json explained(App& app, const ModelState& state, const Person& person, const std::string& item,
               const RecommendOptions& options, std::size_t parts) {
  require_user(app, state, person);
  const Explanation why = person.user ? state.snapshot.explain(*person.user, item, options)
                                      : state.snapshot.explain_for(person.profile, item, options);
  Json body = explanation_json(why, state.snapshot.criteria(), parts);
  body["version"] = state.sequence;
  return body;
}

constexpr std::size_t all_parts = 100'000;

}  // namespace

Response recommend(App& app, const Call& call) {
  const auto state = app.state();
  return cached(app, call, *state, call.path[0], [&] {
    const std::vector<Criterion> criteria = app.engine.criteria();
    Wish wish;
    wish.person.user = call.path[0];
    wish.options.top = call.query.number("top", 10, 1, most_listed);
    wish.options.exclude_seen = !call.query.flag("include_rated");
    wish.options.weights = weights_of(weights_json(call.query), criteria);
    if (AttributeFilter filter = filter_of(call.query); !filter.empty()) wish.filter = filter;
    if (const auto cursor = call.query.text("cursor")) wish.shown = Shown(*cursor);
    wish.attributions = call.query.flag("attributions");
    return list_json(app, *state, std::move(wish), criteria);
  });
}

Response recommend_for(App& app, const Call& call) {
  const Json body =
      parse_object(call.request->body, {"user", "profile", "top", "weights", "filter", "allow",
                                        "deny", "include_rated", "cursor", "attributions"});
  const std::vector<Criterion> criteria = app.engine.criteria();
  const auto state = app.state();
  const auto user = body.find("user");
  const std::string whose = user != body.end() && user->is_string() ? user->get<std::string>() : "";
  return cached(app, call, *state, whose,
                [&] { return list_json(app, *state, wish_of(body, criteria), criteria); });
}

Response similar(App& app, const Call& call) {
  const std::size_t top = call.query.number("top", 10, 1, most_listed);
  const auto state = app.state();
  return cached(app, call, *state, {}, [&]() -> Json {
    Json items = Json::array();
    for (const Recommended& item : state->snapshot.similar(call.path[0], top)) {
      items.push_back({{"item", item.item}, {"title", item.title}, {"score", decimal(item.score)}});
    }
    return {{"item", call.path[0]},
            {"title", app.engine.directory().title(call.path[0])},
            {"items", std::move(items)}};
  });
}

Response explain(App& app, const Call& call) {
  const std::size_t parts = call.query.number("parts", all_parts, 0, all_parts);
  const std::vector<Criterion> criteria = app.engine.criteria();
  const auto state = app.state();
  RecommendOptions options;
  options.weights = weights_of(weights_json(call.query), criteria);
  return json_response(explained(app, *state, {call.path[0], {}}, call.path[1], options, parts));
}

Response explain_for(App& app, const Call& call) {
  const Json body =
      parse_object(call.request->body, {"user", "profile", "item", "weights", "parts"});
  const std::vector<Criterion> criteria = app.engine.criteria();
  const auto state = app.state();
  const Person person = person_of(body, criteria);
  if (!body.contains("item")) throw Problem::bad_input("it has to be given", "item");
  const std::string item = text_of(body["item"], "item");
  RecommendOptions options;
  if (body.contains("weights")) options.weights = weights_of(body["weights"], criteria);
  const std::size_t parts = count_of(body, "parts", all_parts, 0, all_parts);
  return json_response(explained(app, *state, person, item, options, parts));
}

}  // namespace palate::server
