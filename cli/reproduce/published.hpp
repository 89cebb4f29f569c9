// What was published, to stand beside what is measured.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace palate::cli::reproduce {

struct DataSet {
  std::string_view name;                  ///< its folder
  std::vector<std::string_view> metrics;  ///< columns of the accuracy table
  std::string_view main;                  ///< the one that methods are compared by
  bool preset;                            ///< whether CA-GF has published settings for it

  /// The longest list that is judged, and the others.
  [[nodiscard]] std::vector<std::size_t> at() const;
};
[[nodiscard]] std::span<const DataSet> data_sets();

/// A row of the accuracy table. `trained`: by gradient descent, and not run by this tool.
struct Row {
  std::string_view method, title;
  bool trained = false;
};
[[nodiscard]] std::span<const Row> rows();

/// By the columns of the data set; empty where nothing was published.
[[nodiscard]] std::vector<double> published_accuracy(std::string_view data,
                                                     std::string_view method);

/// Parts of CA-GF taken away: the value of its setting `variant`, and the letter in print.
struct Ablation {
  std::string_view variant, letter;
};
[[nodiscard]] std::span<const Ablation> ablations();
[[nodiscard]] std::optional<double> published_ablation(std::string_view data,
                                                       std::string_view letter);

/// Seconds.
[[nodiscard]] std::optional<double> published_seconds(std::string_view data,
                                                      std::string_view method);

struct Pair {
  std::string_view data, user, item;
};
[[nodiscard]] std::span<const Pair> attributed_pairs();

struct ScalingSize {
  std::string_view name;  ///< in ratings
  std::size_t users, items;
};
[[nodiscard]] std::span<const ScalingSize> scaling_sizes();
inline constexpr double scaling_density = 0.015;

}  // namespace palate::cli::reproduce
