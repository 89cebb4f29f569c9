// How to read the page, and what it was made with.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

std::string settings_text(const std::string& settings) {
  const nlohmann::json parsed = nlohmann::json::parse(settings, nullptr, false);
  if (parsed.is_discarded()) return settings;
  return parsed.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct Word {
  std::string_view term, meaning;
};

constexpr Word always[] = {
    {"Match",
     "How many per cent of all other items that the person has not rated have a lower score. The "
     "score orders the items for one person; it has no unit, so it is not shown."},
    {"Predicted rating",
     "What the person would rate an item: the mean of all ratings, what the item is rated above "
     "it, and how generously the person rates."},
    {"Contribution",
     "The share of a score that comes from the ratings on one criterion. All of them add up to the "
     "score; one below 0 speaks against the item."},
};

constexpr Word of_filters[] = {
    {"Frequency response",
     "How much a filter lets through of what linked items share (x near 0) and of what tells them "
     "apart (x near 1)."},
};

constexpr Word of_quality[] = {
    {"Recall@K", "Of the items a person liked in the test part, the share found in the first K."},
    {"NDCG@K",
     "The same idea, but a hit at the top counts more than one further down; 1 would be perfect. "
     "The form marked (paper) counts the first two places in full and discounts from the third "
     "on: compare it with itself only."},
    {"Interval",
     "The middle 95 of 100 means when people are drawn again and again from those measured. If the "
     "interval of a difference leaves out 0, the difference is hardly chance."},
    {"p",
     "How often a difference at least this large would come up if there were none (Wilcoxon "
     "signed-rank test over people)."},
};

std::string entries(std::span<const Word> words) {
  std::string out;
  for (const Word& word : words) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", word.term, word.meaning);
  }
  return out;
}

std::string reading(const Context& context) {
  std::string out = "<div class=\"card\"><h3>Words</h3>\n<dl class=\"facts\">\n";
  out += entries(always);
  if (!context.info.filters.empty()) out += entries(of_filters);
  if (!context.input.evaluations.empty()) out += entries(of_quality);
  return out + "</dl></div>\n";
}

std::string made_with(const Context& context) {
  const ModelInfo& info = context.info;
  std::string out = "<div class=\"card\"><h3>Made with</h3>\n<dl class=\"facts\">\n";
  out += fmt::format("<dt>Palate</dt><dd>{}", html::text(version));
  if (!info.trained_with.empty() && info.trained_with != version) {
    out += fmt::format(", model fitted with {}", html::text(info.trained_with));
  }
  out +=
      fmt::format("</dd>\n<dt>Method</dt><dd>{}{}</dd>\n", html::text(info.method),
                  info.variant.empty() ? std::string() : ", variant " + html::text(info.variant));
  out += fmt::format(
      "<dt>Model</dt><dd>{}{} MB in memory</dd>\n",
      info.graph_entries == 0
          ? std::string()
          : html::counted(info.graph_entries, "link between items", "links between items") + ", ",
      html::fixed(static_cast<double>(info.bytes) / 1e6, 1));
  out += "</dl>\n";
  if (!info.settings.empty()) {
    out += fmt::format("<details><summary>Settings</summary><pre>{}</pre></details>\n",
                       html::text(settings_text(info.settings)));
  }
  return out + "</div>\n";
}

}  // namespace

std::string notes_section(const Context& context) {
  return "<section id=\"notes\"><h2>How to read this</h2>\n<div class=\"grid wide\">\n" +
         reading(context) + made_with(context) + "</div>\n</section>\n";
}

}  // namespace palate::cli
