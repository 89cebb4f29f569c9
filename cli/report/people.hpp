// Asks the model about the people whom the page shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace palate::cli {

inline constexpr std::size_t shown_items = 10;

/// An item that may appear in the list when the weights change.
struct Candidate {
  std::string item;
  std::string title;
  double score = 0;              ///< with every weight 1
  double baseline = 0;           ///< the part that is due to no criterion
  std::vector<double> parts;     ///< per criterion; score = baseline + sum
  std::vector<Tilt> tilts;       ///< per criterion: what its dial does
  std::optional<double> match;   ///< in the plain list; none beyond it
  std::vector<float> predicted;  ///< one per criterion, as of Recommendations
  std::optional<float> in_test;  ///< the overall rating the person gave it in the test part
};

struct RatedItem {
  std::string item;
  std::string title;
  std::vector<std::optional<float>> values;  ///< per criterion
};

struct Person {
  std::string id;
  std::size_t rated = 0;
  std::size_t unrated = 0;  ///< items not rated overall
  Basis basis = Basis::ratings;
  std::vector<RatedItem> favourites;  ///< highest overall first
  std::vector<Candidate> candidates;  ///< best first
  std::vector<double> preference;     ///< share per criterion; empty if the model has none
  bool weighable = false;             ///< there are dials that move something
};

/// The people of the report, or a few with many ratings. Throws Error{not_found} for an unknown id.
[[nodiscard]] std::vector<Person> ask_about_people(const ReportInput& input);

}  // namespace palate::cli
