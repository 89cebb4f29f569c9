#include "server/service/choice_json.hpp"

namespace palate::server {

namespace {

Json steps_json(const std::vector<Choice::Step>& steps) {
  Json out = Json::array();
  for (const Choice::Step& step : steps) {
    out.push_back({{"tried", step.tried},
                   {"value", step.value},
                   {"gain", step.gain},
                   {"error", step.error},
                   {"taken", step.taken}});
  }
  return out;
}

std::vector<Choice::Step> steps_from(const Json& value) {
  std::vector<Choice::Step> out;
  for (const Json& step : value) {
    out.push_back({step.at("tried").get<std::string>(), step.at("value").get<double>(),
                   step.at("gain").get<double>(), step.at("error").get<double>(),
                   step.at("taken").get<bool>()});
  }
  return out;
}

}  // namespace

Json choice_json(const Choice& choice) {
  return {{"settings", Json::parse(choice.method.to_json())},
          {"measure", choice.measure},
          {"start", choice.start},
          {"end", choice.end},
          {"users", choice.users},
          {"steps", steps_json(choice.steps)},
          {"without", steps_json(choice.without)}};
}

Choice choice_from(const Json& value) {
  Choice choice;
  choice.method = Method::from_json(value.at("settings").dump());
  choice.measure = value.at("measure").get<std::string>();
  choice.start = value.at("start").get<double>();
  choice.end = value.at("end").get<double>();
  choice.users = value.at("users").get<std::size_t>();
  choice.steps = steps_from(value.at("steps"));
  choice.without = steps_from(value.at("without"));
  return choice;
}

}  // namespace palate::server
