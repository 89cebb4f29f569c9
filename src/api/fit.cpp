#include <nlohmann/json.hpp>

#include "api/model_impl.hpp"
#include "core/learned_ratings.hpp"
#include "core/ratings_data.hpp"
#include "methods/method_entry.hpp"
#include "model_file/model_file.hpp"
#include "palate/error.hpp"
#include "palate/version.hpp"

namespace palate {
namespace {

using Json = nlohmann::ordered_json;

// What a model file says of itself.
struct ModelDescription {
  std::string version;  ///< of the palate that fitted it
  Method method;
  std::optional<Choice> choice;
  std::vector<DialStrength> dials;          ///< per criterion; empty in files that do not have them
  std::vector<PredictionRule> predictions;  ///< the same
  std::vector<Criterion> criteria;
  std::size_t users = 0, items = 0, interactions = 0;
};

// Names that are not UTF-8 are shown with replacement characters rather than refused.
std::string description_to_json(const ModelDescription& description) {
  Json criteria = Json::array();
  for (const Criterion& c : description.criteria) {
    criteria.push_back({{"name", c.name}, {"min", c.min}, {"max", c.max}});
  }
  Json out = {
      {"palate", description.version},   {"settings", Json::parse(description.method.to_json())},
      {"criteria", std::move(criteria)}, {"users", description.users},
      {"items", description.items},      {"interactions", description.interactions}};
  if (description.choice) out["choice"] = Json::parse(to_json(*description.choice));
  for (const DialStrength& g : description.dials) out["dials"].push_back({g.up, g.down});
  for (const PredictionRule& rule : description.predictions) {
    out["predictions"].push_back({{"mean", rule.mean},
                                  {"shift", rule.shift},
                                  {"item_prior", rule.item_prior},
                                  {"user_prior", rule.user_prior},
                                  {"mae", rule.mae},
                                  {"trivial_mae", rule.trivial_mae},
                                  {"ratings", rule.ratings}});
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Throws Error{corrupt} for anything that description_to_json would not write.
ModelDescription description_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    ModelDescription out;
    out.version = json.at("palate").get<std::string>();
    try {
      out.method = Method::from_json(json.at("settings").dump());
      if (json.contains("choice")) out.choice = choice_from_json(json["choice"].dump());
    } catch (const Error& error) {
      throw Error(ErrorCode::corrupt, "the settings in the model file: " + error.message(), {},
                  "was it written by a newer version of palate? This one knows: " + error.hint());
    }
    for (const Json& c : json.at("criteria")) {
      out.criteria.push_back(
          {c.at("name").get<std::string>(), c.at("min").get<float>(), c.at("max").get<float>()});
    }
    for (const Json& g : json.value("dials", Json::array())) {
      out.dials.push_back({g.at(0).get<float>(), g.at(1).get<float>()});
    }
    for (const Json& rule : json.value("predictions", Json::array())) {
      out.predictions.push_back({rule.at("mean").get<double>(), rule.at("shift").get<double>(),
                                 rule.at("item_prior").get<double>(),
                                 rule.at("user_prior").get<double>(), rule.at("mae").get<double>(),
                                 rule.at("trivial_mae").get<double>(),
                                 rule.at("ratings").get<std::size_t>()});
    }
    out.users = json.at("users").get<std::size_t>();
    out.items = json.at("items").get<std::size_t>();
    out.interactions = json.at("interactions").get<std::size_t>();
    return out;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::corrupt,
                std::string("the description in the model file is damaged: ") + error.what());
  }
}

}  // namespace

Model fit(const Ratings& train, const Method& method, const RunOptions& run) {
  return fit(train, Resolved{method, {}}, run);
}

Model fit(const Ratings& train, const Choice& choice, const RunOptions& run) {
  return fit(train, Resolved{choice.method, choice}, run);
}

Model fit(const Ratings& train, const Resolved& settings, const RunOptions& run) {
  if (train.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "there are no ratings to fit a model on");
  }
  ThreadPool pool(run.threads, run.progress, "graph");
  Stages seconds;
  const Method& method = settings.method;
  // Lists mask all that someone rated; what everybody learns from it has a bound.
  auto recommender =
      MethodAccess::entry(method).fit(learned_ratings(train), MethodAccess::settings(method),
                                      {pool, run.progress, seconds, run.memory});
  return make_model(train, std::move(recommender),
                    {method, std::string(version), settings.choice, std::move(seconds), {}, {}});
}

void Model::save(const std::filesystem::path& path) const {
  const Ratings& train = ratings();
  const Origin& origin = *Inside::of(*this).origin;
  const auto rules = Inside::of(*this).predictions();
  Parts parts;
  parts.description = description_to_json({origin.version,
                                           origin.method,
                                           origin.choice,
                                           Inside::of(*this).dials().strengths,
                                           {rules.begin(), rules.end()},
                                           {train.criteria().begin(), train.criteria().end()},
                                           train.users(),
                                           train.items(),
                                           train.interactions()});
  save_ratings(train, parts);
  Inside::of(*this).recommender->save(parts);
  write_model_file(path, parts);
}

Model Model::load(const std::filesystem::path& path, ModelBytes bytes) {
  try {
    const Parts parts = read_model_file(path, bytes);
    const ModelDescription description = description_from_json(parts.description);
    const Ratings train = load_ratings(parts, description.criteria);
    if (train.users() != description.users || train.items() != description.items ||
        train.interactions() != description.interactions || train.criteria().empty() ||
        (!description.dials.empty() && description.dials.size() != train.criteria().size()) ||
        (!description.predictions.empty() &&
         description.predictions.size() != train.criteria().size())) {
      throw Error(ErrorCode::corrupt, "the model file contradicts itself");
    }
    const Method& method = description.method;
    auto recommender =
        MethodAccess::entry(method).load(parts, MethodAccess::settings(method), train);
    return make_model(train, std::move(recommender),
                      {method,
                       description.version,
                       description.choice,
                       {},
                       description.dials,
                       description.predictions});
  } catch (const Error& error) {
    if (!error.where().file.empty()) throw;
    const ErrorCode code = error.code() == ErrorCode::usage ? ErrorCode::corrupt : error.code();
    throw Error(code, error.message(), {.file = path.string()}, error.hint());
  }
}

bool Model::is_model_file(const std::filesystem::path& path) { return looks_like_model_file(path); }

}  // namespace palate
