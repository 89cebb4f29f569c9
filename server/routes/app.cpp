#include "server/routes/app.hpp"

#include <algorithm>
#include <thread>

#include "server/routes/front.hpp"

namespace palate::server {
namespace {

constexpr std::size_t most_waiting = 2048;

// Two per core: someone with many ratings takes ten times as long as most, and others need not wait
// for them.
unsigned threads_of(const Options& options) {
  if (options.threads > 0) return options.threads;
  return 2 * std::max(1U, std::thread::hardware_concurrency());
}

// A proxy on this machine passes on what comes from others.
Reach reach_of(const Options& options) {
  return is_loopback(options.listen) && !options.behind_proxy ? Reach::local : Reach::others;
}

// `answer` makes the response once the write is durable and counted.
void write_then(App& app, const SharedCall& call, const Respond& respond, StoreWrite write,
                std::function<Response(WriteEffect)> answer) {
  app.writes.submit(std::move(write), [&app, call, respond, answer = std::move(answer)](
                                          WriteEffect effect, const std::exception_ptr& wrong) {
    Response response;
    const auto problem = problem_of(app, *call, "a write failed", [&] {
      if (wrong) std::rethrow_exception(wrong);
      response = answer(effect);
    });
    respond(problem ? to_response(*problem, call->request->id) : std::move(response));
  });
}

}  // namespace

App::App(const Options& all, Log& to)
    : options(all),
      log(to),
      engine(all, to),
      writes(engine),
      keys(open_keys(all.store), reach_of(all)),
      rate(all.rate),
      cache(all.cache_bytes),
      metrics(Front::names()),
      pool(threads_of(all), most_waiting),
      watching(2, most_waiting),
      doors(2, most_waiting),
      bulk_pool(2, most_waiting),
      activity(open_audit_log(all.store), to),
      workbench(engine, all),
      jobs(to, [this](const Json& job) {
        const std::string state = job["state"];
        const Actor by{job["by"].is_string() ? job["by"].get<std::string>() : std::string(),
                       "a job"};
        activity.note("job " + state, by,
                      {{"kind", job["kind"]}, {"asked", job["asked"]}, {"error", job["error"]}});
      }) {}

std::shared_ptr<const ModelState> App::state() const {
  auto now = engine.state();
  if (now) return now;
  throw Problem::not_ready(engine.phase() == Phase::fitting ? "the first model is being fitted"
                                                            : "there are no ratings yet");
}

std::vector<Criterion> App::criteria() const {
  std::vector<Criterion> all = engine.criteria();
  if (!all.empty()) return all;
  throw Problem{.code = "conflict",
                .detail = "the store has no criteria yet",
                .hint = "PUT /v1/criteria names them; POST /v1/ratings takes them from its lines"};
}

std::optional<Problem> problem_of(App& app, const Call& call, std::string_view event,
                                  const std::function<void()>& work) {
  std::string cause;
  std::optional<Problem> problem;
  try {
    work();
  } catch (...) {
    problem = current_problem(&cause);
  }
  if (!cause.empty()) {
    Json line = request_fields(*call.request);
    line.update({{"route", call.route->name}, {"error", cause}});
    app.log.write(LogLevel::error, event, line);
  }
  return problem;
}

void put(App& app, const SharedCall& call, const Respond& respond, StoreWrite write, Json answer) {
  write_then(app, call, respond, std::move(write),
             [answer = std::move(answer)](WriteEffect effect) {
               return json_response(answer, effect == WriteEffect::created ? 201 : 200);
             });
}

void remove(App& app, const SharedCall& call, const Respond& respond, StoreWrite write,
            std::string missing) {
  write_then(app, call, respond, std::move(write),
             [missing = std::move(missing)](WriteEffect effect) -> Response {
               if (effect != WriteEffect::deleted) throw Problem::not_found(missing);
               return {.status = 204};
             });
}

}  // namespace palate::server
