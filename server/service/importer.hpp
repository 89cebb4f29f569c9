// Ratings that were read from a file, on their way into a store.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palate/io.hpp"
#include "palate/rating_store.hpp"
#include "server/http/json.hpp"

namespace palate::server {

/// A rating may go so far where the scale of its criterion is not known: one far beyond all others
/// would outweigh them.
inline constexpr double max_without_scale = 1e6;

/// What happens where a file goes beyond the scales of the store, or beyond max_without_scale.
enum class Scales { widen, keep };

/// Where the criteria of a store are in a file.
struct MatchedCriteria {
  /// Of the store: those of the file where it has none yet, and with wider scales where the file
  /// goes beyond them.
  std::vector<Criterion> criteria = {};
  bool changed = false;  ///< `criteria` are to be set before ratings are written
  /// For each of them its place in the file, or nothing.
  std::vector<std::optional<std::size_t>> places = {};
};
/// Throws Error{bad_input} if the file has a criterion that the store has not, or goes beyond
/// scales that are to be kept; `option` is what a person names criteria with.
[[nodiscard]] MatchedCriteria match_criteria(std::vector<Criterion> stored, const Ratings& ratings,
                                             const std::string& file, const std::string& option,
                                             Scales scales);

/// Writes in batches what differs from the store. `file` is for messages.
class Importer {
 public:
  Importer(RatingStore& store, std::string file) : store_(store), file_(std::move(file)) {}

  void add(const Ratings& ratings, const MatchedCriteria& matched, std::string_view stage,
           const RunOptions& run);
  /// Titles of the file; what else the store knows of an item stays.
  void add_titles(const Ratings& ratings);

  [[nodiscard]] std::size_t new_ratings() const noexcept { return new_ratings_; }
  [[nodiscard]] std::size_t changed_ratings() const noexcept { return changed_ratings_; }

 private:
  void put(StoreWrite write);
  void flush();

  RatingStore& store_;
  std::string file_;
  std::vector<StoreWrite> writes_;
  std::size_t new_ratings_ = 0, changed_ratings_ = 0;
};

/// What a reader did.
[[nodiscard]] Json to_json(const ImportReport& report);
/// Counts and scales.
[[nodiscard]] Json to_json(const Ratings& ratings);

}  // namespace palate::server
