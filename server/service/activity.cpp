#include "server/service/activity.hpp"

#include <ctime>
#include <utility>

namespace palate::server {

void Activity::note(std::string event, std::optional<std::string> by, Json detail) {
  Json entry = {{"time", static_cast<std::int64_t>(std::time(nullptr))},
                {"event", std::move(event)},
                {"by", by ? Json(*by) : Json(nullptr)},
                {"detail", std::move(detail)}};
  const std::lock_guard lock(mutex_);
  events_.push_front(std::move(entry));
  if (events_.size() > most) events_.pop_back();
}

Json Activity::list() const {
  const std::lock_guard lock(mutex_);
  Json out = Json::array();
  for (const Json& event : events_) out.push_back(event);
  return out;
}

}  // namespace palate::server
