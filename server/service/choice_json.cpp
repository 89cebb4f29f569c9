#include "server/service/choice_json.hpp"

namespace palate::server {

Json choice_json(const Choice& choice) {
  Json steps = Json::array();
  for (const Choice::Step& step : choice.steps) {
    steps.push_back({{"tried", step.tried},
                     {"value", step.value},
                     {"gain", step.gain},
                     {"error", step.error},
                     {"taken", step.taken}});
  }
  return {{"measure", choice.measure},
          {"start", choice.start},
          {"end", choice.end},
          {"users", choice.users},
          {"steps", std::move(steps)}};
}

Choice choice_from(const Json& value) {
  Choice choice;
  choice.measure = value.at("measure").get<std::string>();
  choice.start = value.at("start").get<double>();
  choice.end = value.at("end").get<double>();
  choice.users = value.at("users").get<std::size_t>();
  for (const Json& step : value.at("steps")) {
    choice.steps.push_back({step.at("tried").get<std::string>(), step.at("value").get<double>(),
                            step.at("gain").get<double>(), step.at("error").get<double>(),
                            step.at("taken").get<bool>()});
  }
  return choice;
}

}  // namespace palate::server
