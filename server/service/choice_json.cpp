#include "server/service/choice_json.hpp"

namespace palate::server {

Json choice_json(const Choice& choice) {
  Json steps = Json::array();
  for (const Choice::Step& step : choice.steps) {
    steps.push_back({{"tried", step.tried}, {"ndcg", step.ndcg}, {"taken", step.taken}});
  }
  return {{"ndcg_start", choice.ndcg_start},
          {"ndcg_end", choice.ndcg_end},
          {"users", choice.users},
          {"steps", std::move(steps)}};
}

Choice choice_from(const Json& value) {
  Choice choice;
  choice.ndcg_start = value.at("ndcg_start").get<double>();
  choice.ndcg_end = value.at("ndcg_end").get<double>();
  choice.users = value.at("users").get<std::size_t>();
  for (const Json& step : value.at("steps")) {
    choice.steps.push_back({step.at("tried").get<std::string>(), step.at("ndcg").get<double>(),
                            step.at("taken").get<bool>()});
  }
  return choice;
}

}  // namespace palate::server
