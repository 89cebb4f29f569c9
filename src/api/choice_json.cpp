// How settings were chosen, as JSON: in model files, from the service, and in what the tool prints.
#include <nlohmann/json.hpp>

#include "palate/error.hpp"
#include "palate/model.hpp"

namespace palate {
namespace {

using Json = nlohmann::ordered_json;

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

std::vector<Choice::Step> steps_from(const Json& choice, const char* name) {
  std::vector<Choice::Step> out;
  for (const Json& step : choice.value(name, Json::array())) {
    out.push_back({step.at("tried").get<std::string>(), step.at("value").get<double>(),
                   step.at("gain").get<double>(), step.at("error").get<double>(),
                   step.at("taken").get<bool>()});
  }
  return out;
}

}  // namespace

std::string to_json(const Choice& choice) {
  const Json out = {{"settings", Json::parse(choice.method.to_json())},
                    {"measure", choice.measure},
                    {"start", choice.start},
                    {"end", choice.end},
                    {"users", choice.users},
                    {"validation", choice.validation},
                    {"seed", choice.seed},
                    {"relevance", choice.relevance},
                    {"too_few", choice.too_few()},
                    {"steps", steps_json(choice.steps)},
                    {"without", steps_json(choice.without)},
                    {"against", steps_json(choice.against)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What is missing has its default: later versions of palate know more.
Choice choice_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Choice out;
    out.method = Method::from_json(json.at("settings").dump());
    out.measure = json.value("measure", out.measure);
    out.start = json.value("start", out.start);
    out.end = json.value("end", out.end);
    out.users = json.value("users", out.users);
    out.validation = json.value("validation", out.validation);
    out.seed = json.value("seed", out.seed);
    out.relevance = json.value("relevance", out.relevance);
    out.steps = steps_from(json, "steps");
    out.without = steps_from(json, "without");
    out.against = steps_from(json, "against");
    return out;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::bad_input,
                std::string("how the settings were chosen cannot be read: ") + error.what());
  }
}

}  // namespace palate
