// palate serve: recommendations over HTTP.
#include "server/serve.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "settings.hpp"

namespace palate::cli {
namespace {

struct Wishes {
  server::Options server;
  MethodOptions method;
  std::optional<std::string> model_text;
};

bool is_url(const std::string& store) {
  return store.starts_with("postgresql://") || store.starts_with("postgres://");
}

MethodRequest servable(const MethodOptions& options) {
  MethodRequest request = options.request();
  if (!describe_method(request.method).can.serve_newcomers) {
    throw wrong_call(fmt::format("serve cannot use --method {}", request.method),
                     "in a service ratings count at once, and its lists are fixed by a fit");
  }
  return request;
}

void check_seconds(std::string_view option, double seconds) {
  constexpr double most = 86'400;
  if (seconds > 0 && seconds <= most) return;
  throw wrong_call(fmt::format("{} has to be above 0 and at most a day", option));
}

void run_serve(Wishes wishes, Session& session) {
  check_seconds("--header-timeout", wishes.server.connections.header_seconds);
  check_seconds("--body-timeout", wishes.server.connections.body_seconds);
  check_seconds("--idle-timeout", wishes.server.connections.idle_seconds);
  check_seconds("--queue-timeout", wishes.server.queue_seconds);
  if (!(wishes.server.refit_share > 0 && wishes.server.refit_share <= 1)) {
    throw wrong_call("--refit-share has to be above 0 and at most 1");
  }
  if (wishes.server.connections.connections == 0) {
    throw wrong_call("--max-connections has to be 1 or more");
  }
  server::Options& options = wishes.server;
  options.method = servable(wishes.method);
  check_choice_options({.threshold = options.threshold}, options.method);
  options.memory = session.common.memory;
  options.threads = session.common.threads;
  if (wishes.model_text) {
    if (*wishes.model_text != "none") options.model = *wishes.model_text;
  } else if (!is_url(options.store)) {
    options.model = options.store + ".palate";
  }
  server::serve(options, [&session](const std::string& url) {
    if (session.json()) {
      session.print(dump(Json{{"url", url}}, -1) + "\n");
    } else {
      session.print(fmt::format("listening on {}\n", url));
    }
    session.finish();
  });
}

void add_limits(Command& command, server::Options& options) {
  command.group("Limits");
  command.add("--max-body", "SIZE", "Largest body of a request (1MiB).",
              [&](const auto& text) { options.body_bytes = parse_bytes("--max-body", text); });
  command.add("--max-bulk", "SIZE", "Largest body of many lines (1GiB).",
              [&](const auto& text) { options.bulk_bytes = parse_bytes("--max-bulk", text); });
  command.option("--max-connections", options.connections.connections,
                 "Connections at once (10000).");
  command.option("--rate-limit", options.rate,
                 "Requests per second and address, in bursts of twice as many; 0: no limit. By "
                 "default 1000, and none for this machine itself.");
  command.option("--header-timeout", options.connections.header_seconds,
                 "Seconds for the head of a request (10).");
  command.option("--body-timeout", options.connections.body_seconds,
                 "Seconds for a body, or each 64 KB of many lines (30).");
  command.option("--idle-timeout", options.connections.idle_seconds,
                 "Seconds between requests on one connection (75).");
  command.option("--queue-timeout", options.queue_seconds,
                 "Seconds that a request may wait for its turn (10).");
}

}  // namespace

void add_serve(Tree& tree) {
  auto [command, wishes] =
      tree.add<Wishes>("serve", "Serve recommendations over HTTP, and the explorer.", run_serve);
  command.describe(
      "Ratings live in a store: a file (SQLite, made if it is not there) or a PostgreSQL database. "
      "A rating that is written is durable when it is answered, and counts in the next list. "
      "Ctrl-C or SIGTERM finishes the requests under way and ends.");
  command.option("--store", wishes.server.store, "FILE|URL",
                 "Where the ratings live: a file, or postgresql://USER@HOST/DATABASE.",
                 Need::required);
  command.option("--listen", wishes.server.listen, "ADDRESS:PORT",
                 "Where to listen (127.0.0.1:8080). Beyond loopback the store has to have an API "
                 "key.");
  command.option("--model", wishes.model_text, "FILE|none",
                 "Where the fitted model is kept between starts; by default beside a store that "
                 "is a file.");
  command.repeatable("--cors", wishes.server.cors, "ORIGIN",
                     "An origin whose pages may use this service, such as https://shop.example, or "
                     "'*' for all. By default none.");
  command.repeatable("--host", wishes.server.hosts, "NAME",
                     "A name by which this service is reached, besides localhost; asked for only "
                     "while the store has no API key.");
  command.flag("--behind-proxy", wishes.server.behind_proxy,
               "Requests from this machine come from a reverse proxy: believe its "
               "X-Forwarded-For. The store has to have an API key.");
  command.choice("--log", wishes.server.log,
                 {{"debug", server::LogLevel::debug},
                  {"info", server::LogLevel::info},
                  {"warn", server::LogLevel::warn},
                  {"error", server::LogLevel::error},
                  {"off", server::LogLevel::off}},
                 "What to log on stderr, one JSON object a "
                 "line (info: every request).");
  command.add("--cache", "SIZE|none", "Memory for lists that were asked for already (64MiB).",
              [&bytes = wishes.server.cache_bytes](const auto& text) {
                bytes = text == "none" ? 0 : parse_bytes("--cache", text);
              });
  command.option("--refit-every", wishes.server.save_seconds,
                 "Seconds after which a model with changes is fitted anew in the background and "
                 "kept (3600).");
  command.option("--refit-share", wishes.server.refit_share,
                 "Share of one core that fits in the background may take on average (0.2). Methods "
                 "whose weights follow by fits alone are fitted anew as often as that allows.");
  add_choice_threshold(command, wishes.server.threshold);
  add_limits(command, wishes.server);
  add_method_options(command, wishes.method, tree.common);
  command.example("palate serve --store beers.db", "A service on http://127.0.0.1:8080.");
  command.example("palate serve --store postgresql://palate@db/palate --listen 0.0.0.0:8080",
                  "One of several servers on one database.");
}

}  // namespace palate::cli
