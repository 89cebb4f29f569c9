// Results as sections of tables and figures, and these as Markdown and HTML.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reproduce/cells.hpp"

namespace palate::cli::reproduce {

struct Sheet {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::string note = {};
};
struct Figure {
  std::string name;  ///< of its file, without folder and ending
  std::string caption;
  std::string svg;
};
struct Section {
  std::string title;
  std::vector<Sheet> sheets = {};
  std::vector<Figure> figures = {};
  std::string text = {};
};

/// By Cell::name(); those that are not there have not been run.
using Results = std::map<std::string, Json>;

/// p-values by Holm's step-down rule, which holds for all of them together.
[[nodiscard]] std::vector<double> holm(const std::vector<double>& p);

/// Every row beside `baseline`, paired over users; best: the highest of the main metric.
[[nodiscard]] Json significance(const Results& results, const std::string& data,
                                const std::string& baseline);

[[nodiscard]] std::vector<Section> tables(const Results& results,
                                          const std::vector<std::string>& data);
[[nodiscard]] std::vector<Figure> figures(const Results& results, const std::string& data);
[[nodiscard]] std::vector<Figure> scaling_figure(const Results& results);

/// Figures as links to `figures/NAME.svg`.
[[nodiscard]] std::string to_markdown(const std::vector<Section>& sections);
[[nodiscard]] std::string to_html(const std::vector<Section>& sections);

}  // namespace palate::cli::reproduce
