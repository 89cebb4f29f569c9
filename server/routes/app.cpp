#include "server/routes/app.hpp"

#include <algorithm>
#include <thread>

#include "server/http/problem.hpp"
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

}  // namespace

App::App(const Options& all, Log& to)
    : options(all),
      log(to),
      engine(all, to),
      writes(engine),
      keys(open_keys(all.store)),
      rate(all.rate),
      hosts(all.hosts),
      cache(all.cache_bytes),
      metrics(Front::names()),
      pool(threads_of(all), most_waiting),
      bulk_pool(2, most_waiting) {}

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

void write_then(App& app, const std::shared_ptr<const Call>& call, const Respond& respond,
                StoreWrite write, std::function<Response(WriteEffect)> answer) {
  app.writes.submit(std::move(write), [&app, call, respond, answer = std::move(answer)](
                                          WriteEffect effect, const std::exception_ptr& wrong) {
    Response response;
    std::string cause;
    try {
      if (wrong) std::rethrow_exception(wrong);
      response = answer(effect);
    } catch (...) {
      response = to_response(current_problem(&cause), call->request->id);
    }
    if (!cause.empty()) {
      app.log.write(LogLevel::error, "a write failed",
                    {{"request_id", call->request->id}, {"error", cause}});
    }
    respond(std::move(response));
  });
}

int put_status(WriteEffect effect) noexcept { return effect == WriteEffect::created ? 201 : 200; }

Response deleted_response(WriteEffect effect, const std::string& missing) {
  if (effect != WriteEffect::deleted) throw Problem::not_found(missing);
  return {.status = 204};
}

}  // namespace palate::server
