#include "server/serve.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "palate/error.hpp"
#include "server/routes/app.hpp"
#include "server/routes/front.hpp"
#include "server/service/scratch.hpp"

namespace palate::server {
namespace {

// One descriptor per connection, and some for the store.
void raise_descriptor_limit(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

void check_exposure(const Options& options, App& app) {
  const bool proxied = is_loopback(options.listen);
  if ((proxied && !options.behind_proxy) || app.keys.any()) return;
  throw Error(
      ErrorCode::usage,
      proxied
          ? std::string("behind a proxy others can ask, and the store has no API key that works")
          : fmt::format(
                "{} can be reached from other machines, and the store has no API key that works",
                options.listen),
      {.field = proxied ? "--behind-proxy" : "--listen"},
      "make one: palate keys add NAME --role admin --store STORE; or listen on 127.0.0.1 "
      "without a proxy");
}

// Looks once a second whether keys were added or taken away.
void watch_keys(const std::stop_token& stop, App& app) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const auto stopped = [&] { return stop.stop_requested(); };
  while (!wake.wait_for(lock, stop, std::chrono::seconds(1), stopped)) {
    try {
      if (!app.keys.refresh()) continue;
      if (app.keys.any()) {
        app.log.write(LogLevel::info, "keys are needed");
      } else {
        app.log.write(LogLevel::warn, "no key is left",
                      {{"detail", "every request that needs one is refused until there is a key"}});
      }
    } catch (const std::exception& error) {
      app.log.write(LogLevel::error, "looking for keys failed", {{"error", error.what()}});
    }
  }
}

}  // namespace

void serve(const Options& options, const std::function<void(const std::string& url)>& listening) {
  // Whatever it makes, such as the store and the kept model, tells who rated what.
  umask(077);
  Scratch::remove_leftovers();
  raise_descriptor_limit(options.connections.connections + 256);
  Log log(options.log);
  App app(options, log);
  check_exposure(options, app);
  Front front(app);
  Listener listener(options.listen, options.connections, front);
  app.connections = [&listener] { return listener.connections(); };
  listener.on_stop([&] {
    app.stopping = true;
    log.write(LogLevel::info, "stopping");
  });
  std::exception_ptr failure;
  std::mutex failure_mutex;
  app.engine.start([&](const std::exception_ptr& why) {
    {
      const std::lock_guard lock(failure_mutex);
      failure = why;
    }
    listener.stop();
  });
  {
    const std::jthread watch([&](const std::stop_token& stop) { watch_keys(stop, app); });
    log.write(LogLevel::info, "listening", {{"url", listener.url()}});
    listening(listener.url());
    listener.run();
  }
  // In the order in which they hand work to each other, so that every answer has been given.
  app.doors.stop();
  app.pool.stop();
  app.watching.stop();
  app.bulk_pool.stop();
  app.jobs.stop();
  app.writes.stop();
  app.engine.stop();
  log.write(LogLevel::info, "stopped");
  if (failure) std::rethrow_exception(failure);
}

}  // namespace palate::server
