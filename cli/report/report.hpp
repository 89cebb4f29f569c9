// The self-contained HTML report: data, settings, quality, and what recommendations are made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palate/palate.hpp"

namespace palate::cli {

/// Pointers may be null and spans empty: the page then leaves the section out.
struct ReportInput {
  std::string title = {};
  const Ratings* ratings = nullptr;  ///< what the model was fitted on; never null
  const Ratings* test = nullptr;
  const Model* model = nullptr;  ///< never null
  const ImportReport* import = nullptr;
  std::span<const Evaluation> evaluations = {};  ///< the model first
  std::span<const Difference> differences = {};
  const DialReport* dials = nullptr;    ///< what turning a criterion up or down does
  std::string too_few = {};             ///< why nothing was measured, where people were too few
  std::vector<std::string> users = {};  ///< ids of people to show; empty: a few with many ratings
};

/// One HTML document that needs no network and no other file.
[[nodiscard]] std::string report_html(const ReportInput& input);

}  // namespace palate::cli
