// Users and items.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

constexpr std::size_t usual_page = 50;
constexpr std::size_t most_on_page = 1000;
constexpr std::size_t longest_search = 200;

constexpr std::size_t most_suggested = 5;

struct ListPage {
  std::string after;
  std::size_t limit = usual_page;
  std::string text;
};

ListPage page_of(const Call& call) {
  ListPage page{call.query.text("after").value_or(""),
                call.query.number("limit", usual_page, 1, most_on_page),
                call.query.text("q").value_or("")};
  if (page.text.size() > longest_search) throw Problem::usage("it is too long", "q");
  return page;
}

// One more than the page was asked for, to know whether there is another.
template <class List, class Id>
Json next_of(List& list, std::size_t limit, Id id) {
  if (list.size() <= limit) return nullptr;
  list.resize(limit);
  return id(list.back());
}

Json item_json(App& app, const StoredItem& item) {
  const auto state = app.engine.state();
  const std::vector<Criterion> criteria = app.engine.criteria();
  ItemSummary summary;
  if (state && state->snapshot.knows_item(item.id)) {
    summary = state->snapshot.summary(item.id);
  }
  Json means = Json::object();
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    const bool given = c < summary.means.size() && std::isfinite(summary.means[c]);
    means[criteria[c].name] = given ? Json(summary.means[c]) : Json(nullptr);
  }
  return {{"id", item.id},
          {"title", item.title},
          {"attributes", attributes_json(item.attributes)},
          {"raters", summary.raters},
          {"means", std::move(means)}};
}

Json user_json(const StoredUser& user) {
  return {{"id", user.id}, {"attributes", attributes_json(user.attributes)}};
}

// In a list the model counts: to ask the store for each would take a query each.
Json counted_json(const StoredUser& user, const ModelState* state) {
  Json json = user_json(user);
  if (state != nullptr) {
    const bool known = state->snapshot.knows_user(user.id);
    json["ratings"] = known ? state->snapshot.ratings_by(user.id) : 0;
  }
  return json;
}

std::string no_user(const std::string& id) { return fmt::format("the user '{}' is not known", id); }

// "title", "-raters", "-mean:taste".
ItemSort sort_of(App& app, const Call& call) {
  const std::string text = call.query.text("sort").value_or("id");
  ItemSort sort;
  sort.descending = text.starts_with('-');
  const std::string_view by = std::string_view(text).substr(sort.descending ? 1 : 0);
  if (by == "id") return sort;
  if (by == "title") {
    sort.by = ItemSort::By::title;
    return sort;
  }
  sort.by = ItemSort::By::number;
  // What has no column of its own: how many people rated.
  std::optional<std::size_t> column;
  const std::vector<Criterion> criteria = app.engine.criteria();
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    if (by == "mean:" + criteria[c].name) column = c;
  }
  if (by != "raters" && !column) {
    throw Problem::usage(fmt::format("'{}' is nothing to sort by", text), "sort",
                         "id, title, raters or mean:CRITERION; a minus before it turns it round");
  }
  sort.number = [column, state = app.engine.state()](const std::string& id) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const bool known = state && state->snapshot.knows_item(id);
    if (!column) return known ? static_cast<double>(state->snapshot.summary(id).raters) : 0.0;
    const ItemSummary summary = known ? state->snapshot.summary(id) : ItemSummary{};
    return *column < summary.means.size() ? summary.means[*column] : none;
  };
  return sort;
}

// Without `sort`, `after` is an id; else what place_text() made.
std::optional<ItemPlace> place_of(const Call& call) {
  const std::optional<std::string> after = call.query.text("after");
  if (!after || after->empty()) return std::nullopt;
  if (!call.query.text("sort")) return ItemPlace{0, *after, *after};
  const std::optional<std::string> text = from_base64url(*after);
  const Json place = text ? Json::parse(*text, nullptr, false) : Json();
  if (!place.is_array() || place.size() != 3 || !(place[0].is_null() || place[0].is_number()) ||
      !place[1].is_string() || !place[2].is_string()) {
    throw Problem::usage("this is no place in the order asked for", "after",
                         "pass on `next` of the page before, with the same `sort`");
  }
  constexpr double last = std::numeric_limits<double>::infinity();
  return ItemPlace{place[0].is_null() ? last : place[0].get<double>(), place[1], place[2]};
}

Json place_text(const Call& call, const std::optional<ItemPlace>& place) {
  if (!place) return nullptr;
  if (!call.query.text("sort")) return place->id;
  const Json number = std::isfinite(place->number) ? Json(place->number) : Json(nullptr);
  return base64url(dump(Json::array({number, place->text, place->id})));
}

std::string no_item(const Call& call) {
  return fmt::format("the item '{}' is not known", call.path[0]);
}

}  // namespace

Problem unknown_user(App& app, const std::string& id) {
  const Json near = app.engine.directory().near_users(id, most_suggested);
  return {.code = "not_found",
          .detail = no_user(id),
          .field = "user",
          .hint = near.empty() ? "someone new is served from a profile: POST /v1/recommendations"
                               : fmt::format("did you mean '{}'?", near[0].get<std::string>()),
          .extra = "\"suggestions\":" + dump(near)};
}

// Read in portions, so that long attributes can end the page early. `more`: whether others follow.
static std::vector<StoredUser> users_after(App& app, const ListPage& page, bool& more) {
  constexpr std::size_t portion = 16;
  std::vector<StoredUser> users;
  std::string after = page.after;
  std::size_t bytes = 0;
  more = true;
  while (more && users.size() < page.limit && bytes < Directory::most_page_bytes) {
    const std::size_t wanted = std::min(portion, page.limit - users.size()) + 1;
    std::vector<StoredUser> some = app.engine.store().users(after, wanted);
    more = some.size() == wanted;
    if (more) some.pop_back();
    for (StoredUser& user : some) {
      if (bytes >= Directory::most_page_bytes) {
        more = true;
        break;
      }
      bytes += user.id.size() + user.attributes.size();
      users.push_back(std::move(user));
    }
    if (!users.empty()) after = users.back().id;
  }
  return users;
}

Response list_users(App& app, const Call& call) {
  const ListPage page = page_of(call);
  const auto state = app.engine.state();
  Json list = Json::array();
  Json next;
  if (page.text.empty()) {
    bool more = true;
    for (const StoredUser& user : users_after(app, page, more)) {
      list.push_back(counted_json(user, state.get()));
    }
    if (more) next = list.back()["id"];
  } else {
    std::vector<std::string> ids =
        app.engine.directory().users(page.after, page.limit + 1, page.text);
    next = next_of(ids, page.limit, [](const std::string& id) { return id; });
    std::size_t bytes = 0;
    for (const std::string& id : ids) {
      if (bytes >= Directory::most_page_bytes) {
        next = list.back()["id"];
        break;
      }
      if (const auto user = app.engine.store().find_user(id)) {
        bytes += user->id.size() + user->attributes.size();
        list.push_back(counted_json(*user, state.get()));
      }
    }
  }
  return json_response({{"users", std::move(list)}, {"next", std::move(next)}});
}

Response get_user(App& app, const Call& call) {
  const std::optional<StoredUser> user = app.engine.store().find_user(call.path[0]);
  if (!user) throw unknown_user(app, call.path[0]);
  Json body = user_json(*user);
  body["ratings"] = app.engine.store().ratings_of(call.path[0]).size();
  return json_response(body);
}

void put_user(App& app, const SharedCall& call, const Respond& respond) {
  const Json body = parse_object(call->request->body, {"attributes"});
  StoredUser user{call->path[0], attributes_of(body)};
  Json answer = user_json(user);
  put(app, call, respond, std::move(user), std::move(answer));
}

void delete_user(App& app, const SharedCall& call, const Respond& respond) {
  remove(app, call, respond, DeleteUser{call->path[0]}, no_user(call->path[0]));
}

Response list_items(App& app, const Call& call) {
  const ListPage page = page_of(call);
  const ItemPage found = app.engine.directory().items({.after = place_of(call),
                                                       .limit = page.limit,
                                                       .text = page.text,
                                                       .filter = filter_of(call.query),
                                                       .sort = sort_of(app, call)});
  Json list = Json::array();
  for (const StoredItem& item : found.items) list.push_back(item_json(app, item));
  return json_response({{"items", std::move(list)}, {"next", place_text(call, found.next)}});
}

Response list_attributes(App& app, const Call&) {
  Json list = Json::array();
  const auto all = app.engine.directory().attributes();
  for (const AttributeValues& attribute : *all) {
    Json values = Json::array();
    for (const auto& [value, items] : attribute.values) {
      values.push_back({{"value", value}, {"items", items}});
    }
    list.push_back({{"name", attribute.name},
                    {"items", attribute.items},
                    {"distinct", attribute.distinct},
                    {"values", std::move(values)}});
  }
  return json_response({{"attributes", std::move(list)}});
}

Response get_item(App& app, const Call& call) {
  const std::optional<StoredItem> item = app.engine.store().find_item(call.path[0]);
  if (!item) throw Problem::not_found(no_item(call));
  return json_response(item_json(app, *item));
}

void put_item(App& app, const SharedCall& call, const Respond& respond) {
  const Json body = parse_object(call->request->body, {"title", "attributes"});
  StoredItem item{call->path[0], body.contains("title") ? text_of(body["title"], "title") : "",
                  attributes_of(body)};
  Json answer = item_json(app, item);
  put(app, call, respond, std::move(item), std::move(answer));
}

void delete_item(App& app, const SharedCall& call, const Respond& respond) {
  remove(app, call, respond, DeleteItem{call->path[0]}, no_item(*call));
}

}  // namespace palate::server
