// A model that follows new ratings without being fitted again. Implemented in src/live and src/api.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "palate/model.hpp"

namespace palate {

/// A rating that was given or changed (values: one per criterion, NaN where absent), or, with no
/// values, one that was taken back.
struct RatingChange {
  std::string user = {};
  std::string item = {};
  std::vector<float> values = {};
};

/// One state of a live model. Immutable; any number of threads may ask it, for as long as they hold
/// it. The same questions as Model, with the same answers as a model fitted on the same ratings.
class LiveSnapshot {
 public:
  struct Impl;
  explicit LiveSnapshot(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  /// Counts the changes of people, items and ratings since the live model was made.
  [[nodiscard]] std::uint64_t version() const noexcept;
  /// The version up to which the graph counts all ratings; version() if it is not behind.
  [[nodiscard]] std::uint64_t graph_version() const noexcept;
  /// The version that last changed this user's ratings; 0 if none did, or the user is not known.
  [[nodiscard]] std::uint64_t user_version(std::string_view id) const noexcept;
  [[nodiscard]] ModelInfo info() const;
  [[nodiscard]] std::size_t users() const noexcept;
  [[nodiscard]] std::size_t items() const noexcept;
  [[nodiscard]] std::size_t interactions() const noexcept;
  [[nodiscard]] bool knows_user(std::string_view id) const noexcept;
  [[nodiscard]] bool knows_item(std::string_view id) const noexcept;
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept;
  /// How many people rated it overall, and the mean of each criterion (NaN where nobody did).
  struct ItemSummary {
    std::size_t raters = 0;
    std::vector<double> means = {};
  };
  [[nodiscard]] ItemSummary summary(std::string_view item) const;

  [[nodiscard]] Recommendations recommend(std::string_view user,
                                          const RecommendOptions& options = {}) const;
  [[nodiscard]] Recommendations recommend_for(const Profile& profile,
                                              const RecommendOptions& options = {}) const;
  [[nodiscard]] std::vector<Recommended> similar(std::string_view item, std::size_t top = 10) const;
  [[nodiscard]] Explanation explain(std::string_view user, std::string_view item,
                                    const RecommendOptions& options = {}) const;
  [[nodiscard]] Explanation explain_for(const Profile& profile, std::string_view item,
                                        const RecommendOptions& options = {}) const;
  [[nodiscard]] std::vector<std::vector<double>> attributions(
      std::string_view user, std::span<const std::string> items,
      const RecommendOptions& options = {}) const;
  [[nodiscard]] std::vector<std::vector<double>> attributions_for(
      const Profile& profile, std::span<const std::string> items,
      const RecommendOptions& options = {}) const;

 private:
  std::shared_ptr<const Impl> impl_;
};

/// When the graph counts a change. The person's own ratings count at once in any case.
enum class Follow {
  now,    ///< before the call returns: answers are those of a model fitted anew
  later,  ///< with the next follow(), together with all else that waits, at a fraction of the cost
};

/// Holds the newest state and takes changes. Any thread may call anything: changes wait for each
/// other, snapshot() waits for nothing, and changes that are to be followed later do not wait for
/// follow().
class LiveModel {
 public:
  struct Impl;
  /// Starts from a fitted CA-GF model; Error{unsupported} for others.
  explicit LiveModel(const Model& model);
  ~LiveModel();
  LiveModel(const LiveModel&) = delete;
  LiveModel& operator=(const LiveModel&) = delete;

  [[nodiscard]] LiveSnapshot snapshot() const;

  /// All of the changes become one new state. Users and items not known yet become known. A change
  /// that cannot be used (value negative or not finite, no value for any criterion) throws
  /// Error{bad_input} and none is applied.
  void apply(std::span<const RatingChange> changes, Follow when = Follow::now);
  /// Makes ids known without a rating; an item with a title.
  void add_user(std::string_view id);
  void add_item(std::string_view id, std::string_view title = {});
  /// With all of their ratings.
  void remove_user(std::string_view id, Follow when = Follow::now);
  void remove_item(std::string_view id, Follow when = Follow::now);
  /// The graph counts all changes so far. False: it did already.
  bool follow();

  /// The newest state fitted anew on all of its ratings, as a model that can be saved. Readers and
  /// writers go on meanwhile.
  [[nodiscard]] Model refit(const RunOptions& run = {}) const;
  /// Seconds since the graph was last built as a whole, and changes since.
  [[nodiscard]] double graph_age() const noexcept;
  [[nodiscard]] std::size_t changes_since_fit() const noexcept;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace palate
