// What turning each dial does: of a job of the workbench, and of the tool.
#pragma once

#include "palate/evaluation.hpp"
#include "palate/model.hpp"
#include "server/http/json.hpp"

namespace palate::server {

[[nodiscard]] inline Json dials_json(const DialReport& report, const Model& model) {
  Json effects = Json::array();
  for (const DialEffect& one : report.effects) {
    effects.push_back({{"criterion", one.criterion},
                       {"weight", one.weight},
                       {"shift", one.shift},
                       {"changed", one.changed},
                       {"ndcg", one.ndcg}});
  }
  return {{"method", model.info().method},
          {"users", report.users},
          {"relevance", report.relevance},
          {"ndcg", report.ndcg},
          {"effects", std::move(effects)}};
}

}  // namespace palate::server
