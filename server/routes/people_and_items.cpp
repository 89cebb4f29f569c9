// Users and items.
#include <fmt/format.h>

#include <cmath>

#include "server/routes/app.hpp"

namespace palate::server {
namespace {

constexpr std::size_t usual_page = 50;
constexpr std::size_t most_on_page = 1000;
constexpr std::size_t longest_search = 200;

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

std::string no_item(const Call& call) {
  return fmt::format("the item '{}' is not known", call.path[0]);
}

}  // namespace

std::string no_user(const Call& call) {
  return fmt::format("the user '{}' is not known", call.path[0]);
}

Response list_users(App& app, const Call& call) {
  const ListPage page = page_of(call);
  Json list = Json::array();
  Json next;
  if (page.text.empty()) {
    std::vector<StoredUser> users = app.engine.store().users(page.after, page.limit + 1);
    next = next_of(users, page.limit, [](const StoredUser& user) { return user.id; });
    for (const StoredUser& user : users) list.push_back(user_json(user));
  } else {
    std::vector<std::string> ids =
        app.engine.directory().users(page.after, page.limit + 1, page.text);
    next = next_of(ids, page.limit, [](const std::string& id) { return id; });
    for (const std::string& id : ids) {
      if (const auto user = app.engine.store().find_user(id)) list.push_back(user_json(*user));
    }
  }
  return json_response({{"users", std::move(list)}, {"next", std::move(next)}});
}

Response get_user(App& app, const Call& call) {
  const std::optional<StoredUser> user = app.engine.store().find_user(call.path[0]);
  if (!user) throw Problem::not_found(no_user(call));
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
  remove(app, call, respond, DeleteUser{call->path[0]}, no_user(*call));
}

Response list_items(App& app, const Call& call) {
  const ListPage page = page_of(call);
  std::vector<StoredItem> items =
      app.engine.directory().items(page.after, page.limit + 1, page.text);
  Json next = next_of(items, page.limit, [](const StoredItem& item) { return item.id; });
  Json list = Json::array();
  for (const StoredItem& item : items) list.push_back(item_json(app, item));
  return json_response({{"items", std::move(list)}, {"next", std::move(next)}});
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
