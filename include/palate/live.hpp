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

#pragma GCC visibility push(default)
namespace palate {

/// A rating that was given or changed (values: one per criterion, NaN where absent), or, with no
/// values, one that was taken back.
struct RatingChange {
  std::string user = {};
  std::string item = {};
  std::vector<float> values = {};
};

/// One state of a live model; it stays as it is for as long as someone holds it. Gives the answers
/// of a model fitted on the same ratings.
class LiveSnapshot : public Advisor {
 public:
  struct Impl;  // src/api

  /// Counts the changes of people, items and ratings since the live model was made.
  [[nodiscard]] std::uint64_t version() const noexcept;
  /// The version up to which the graph counts all ratings; version() if it is not behind.
  [[nodiscard]] std::uint64_t graph_version() const noexcept;
  /// The version that last changed this user's ratings; 0 if none did, or they are not known.
  [[nodiscard]] std::uint64_t user_version(std::string_view id) const noexcept;

 private:
  friend struct Inside;
  explicit LiveSnapshot(std::shared_ptr<const Impl> impl) noexcept;
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
  struct Impl;  // src/api
  std::unique_ptr<Impl> impl_;
};

}  // namespace palate
#pragma GCC visibility pop
