#include "server/service/activity.hpp"

namespace palate::server {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

void Activity::note(std::string_view event, const Actor& by, const Json& detail) {
  try {
    events_->note(event, by, dump(detail));
  } catch (const std::exception& error) {
    log_.write(LogLevel::error, "an event could not be noted",
               {{"what", event}, {"detail", detail}, {"error", error.what()}});
  }
}

Json Activity::list(std::size_t limit, std::optional<std::int64_t> before) const {
  const std::vector<AuditEvent> found = events_->list(limit, before);
  Json events = Json::array();
  for (const AuditEvent& event : found) {
    events.push_back({{"number", event.number},
                      {"time", event.time},
                      {"event", event.event},
                      {"by", text_or_null(event.by.name)},
                      {"from", text_or_null(event.by.from)},
                      {"detail", Json::parse(event.detail)}});
  }
  const bool more = found.size() == limit;
  return {{"events", std::move(events)},
          {"next", more ? Json(found.back().number) : Json(nullptr)}};
}

}  // namespace palate::server
