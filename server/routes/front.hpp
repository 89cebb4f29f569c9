// From a request to its route and back: limits, keys, methods, types, problems, headers, logs.
#pragma once

#include "server/http/http.hpp"
#include "server/routes/app.hpp"

namespace palate::server {

class Front : public Handler {
 public:
  explicit Front(App& app) : app_(app) {}

  void plan(const std::shared_ptr<Request>& request, std::function<void(Plan)> go) override;
  void handle(const std::shared_ptr<Request>& request, Respond respond) override;
  void complete(Request& request, Response& response) override;
  void finished(const Request& request, const Response& response, double seconds) override;

  /// Names of all routes for metrics, the last two for pages and for everything else.
  [[nodiscard]] static std::vector<std::string> names();

 private:
  /// What is known of a request once its head was read.
  struct Matched {
    std::size_t name = 0;
    SharedCall call;
    double processor_seconds = 0;  ///< that its answer took
  };

  void admit(Request& request);
  void admit(const ApiKey& key, const Route& route);
  [[nodiscard]] Response without_route(Matched& matched, const Request& request,
                                       const std::vector<std::string_view>& allowed) const;
  /// The plan for a request that is for a route, or a problem as its answer.
  [[nodiscard]] Plan guarded(const Request& request, const std::function<Plan()>& make);
  /// What is left to look at once it is known who asks.
  [[nodiscard]] Plan plan_for(const SharedCall& call);
  void run(Matched& matched, const Respond& respond);
  void allow_origin(const Request& request, Response& response) const;
  [[nodiscard]] static Matched* matched_of(const Request& request);

  App& app_;
};

}  // namespace palate::server
