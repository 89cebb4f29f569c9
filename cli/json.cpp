#include "json.hpp"

namespace palate::cli {

Json to_json(const ModelInfo& info) {
  Json filters = Json::object();
  for (std::size_t c = 0; c < info.filters.size() && c < info.criteria.size(); ++c) {
    filters[info.criteria[c].name] = {{"filter", filter_name(info.filters[c])},
                                      {"coefficients", info.filters[c].coefficients},
                                      {"power", info.filters[c].power}};
  }
  Json out = {{"method", info.method},
              {"variant", info.variant},
              {"filters", std::move(filters)},
              {"preference", info.preference ? Json(*info.preference) : Json(nullptr)},
              {"response", info.response},
              {"graph_entries", info.graph_entries},
              {"memory_bytes", info.bytes},
              {"trained_with", info.trained_with}};
  out.update(engine_json(info));
  return out;
}

Json engine_json(const ModelInfo& info) {
  return {{"solver", info.solver}, {"storage", info.storage}, {"why", info.why}};
}

Json to_json(const Explanation& explanation, std::span<const Criterion> criteria) {
  Json by_criterion = Json::object();
  Json preference = Json::object();
  for (std::size_t c = 0; c < explanation.criteria.size(); ++c) {
    if (c < explanation.by_criterion.size()) {
      by_criterion[explanation.criteria[c]] = explanation.by_criterion[c];
    }
    if (c < explanation.preference.size()) {
      preference[explanation.criteria[c]] = explanation.preference[c];
    }
  }
  Json parts = Json::array();
  for (const Explanation::Part& part : explanation.parts) {
    parts.push_back({{"item", part.item},
                     {"title", part.title},
                     {"criterion", explanation.criteria.at(part.criterion)},
                     {"rating", part.rating},
                     {"value", part.value}});
  }
  Json dials = Json::array();
  for (const Explanation::Dial& dial : explanation.dials) {
    dials.push_back({{"criterion", explanation.criteria.at(dial.criterion)},
                     {"weight", dial.weight},
                     {"value", dial.value},
                     {"above", dial.above},
                     {"raters", dial.raters},
                     {"why", dial.why}});
  }
  return {{"user", explanation.user},
          {"item", explanation.item},
          {"title", explanation.title},
          {"basis", explanation.basis == Basis::ratings ? "ratings" : "popularity"},
          {"score", explanation.score},
          {"match", server::match_json(explanation.match)},
          {"predicted", server::predicted_json(explanation.predicted, criteria)},
          {"baseline", explanation.baseline},
          {"by_criterion", std::move(by_criterion)},
          {"preference", std::move(preference)},
          {"dials", std::move(dials)},
          {"notes", explanation.notes},
          {"parts", std::move(parts)}};
}

Json to_json(const Difference& difference) {
  return {{"metric", difference.metric},
          {"baseline", difference.baseline},
          {"method", difference.method},
          {"baseline_mean", difference.baseline_mean},
          {"method_mean", difference.method_mean},
          {"difference", difference.difference},
          {"low", difference.low},
          {"high", difference.high},
          {"p_value", difference.p_value},
          {"users", difference.users}};
}

Json to_json(const Stages& stages) {
  Json out = Json::object();
  for (const auto& [name, seconds] : stages) {
    out[name] = out.contains(name) ? out[name].get<double>() + seconds : seconds;
  }
  return out;
}

Json to_json(const Recommendations& list, std::span<const Criterion> criteria) {
  Json items = Json::array();
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Recommended& item = list.items[k];
    Json entry = {{"rank", k + 1},
                  {"item", item.item},
                  {"title", item.title},
                  {"score", decimal(item.score)},
                  {"match", server::match_json(item.match)},
                  {"predicted", server::predicted_json(list.predicted_for(k), criteria)}};
    if (list.basis == Basis::ratings) entry["linked"] = item.score != 0;
    items.push_back(std::move(entry));
  }
  return {{"user", list.user},
          {"basis", list.basis == Basis::ratings ? "ratings" : "popularity"},
          {"items", std::move(items)}};
}

Json to_json(const Evaluation& evaluation) {
  Json out = Json::object();
  for (const std::string& metric : evaluation.metrics) {
    const auto mean = evaluation.mean.find(metric);
    if (mean != evaluation.mean.end()) out[metric] = mean->second;
  }
  out["users"] = evaluation.users.size();
  out["too_few"] = evaluation.too_few();
  out["relevance"] = evaluation.relevance;
  return out;
}

Json settings_json(const Model& model) {
  const Json settings = Json::parse(model.info().settings, nullptr, false);
  return settings.is_discarded() ? Json::object() : settings;
}

std::string dump(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void print_json(Session& session, const Json& document) { session.print(dump(document) + "\n"); }

}  // namespace palate::cli
