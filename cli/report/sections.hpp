// The parts of the page. Each returns HTML, or "" where there is nothing to show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "people.hpp"
#include "report/report.hpp"

namespace palate::cli {

/// What every section may look at.
struct Context {
  const ReportInput& input;
  ModelInfo info;
  std::optional<Choice> choice;
  std::vector<Person> people;
};

/// The metric that stands for all: NDCG at 10, else at the longest list there is; "" without one.
[[nodiscard]] std::string headline_metric(const Context& context, std::string_view family);
/// 10 of "ndcg@10"; 0 without one.
[[nodiscard]] std::size_t length_of(std::string_view metric);
/// "ndcg@10" as "NDCG@10".
[[nodiscard]] std::string metric_title(std::string_view metric);

[[nodiscard]] std::string header_section(const Context& context);
[[nodiscard]] std::string data_section(const Context& context);
[[nodiscard]] std::string model_section(const Context& context);
/// Cards of the model section: how the settings were chosen, and what they give.
[[nodiscard]] std::string choice_cards(const Choice& choice);
[[nodiscard]] std::string quality_section(const Context& context);
[[nodiscard]] std::string dials_section(const Context& context);
[[nodiscard]] std::string people_section(const Context& context);
[[nodiscard]] std::string heat_map_section(const Context& context);
[[nodiscard]] std::string notes_section(const Context& context);

}  // namespace palate::cli
