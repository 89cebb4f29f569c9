// A model that takes in new ratings without being fitted again. Implemented in src/live and
// src/api.
//
// A person's own ratings count at once, whatever the method. What is learned from everyone follows:
//   CA-GF       exactly: the graph counts every change, at once or with the next follow()
//   popularity  exactly, at once
//   others      with the next fit: the weights between items are those of the fitted model, and
//               refit() makes the next one. Likewise CA-GF on a graph of the strongest links alone
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

/// One state of a live model; it stays as it is for as long as someone holds it. When it is not
/// behind, it gives the answers of a model fitted on the same ratings. When it is, those of the
/// weights of an earlier fit, or of an earlier graph, for the ratings of now: exactly, since scores
/// are linear in them.
///
/// Items that came after an earlier fit are known and can be rated, but have no weights yet: their
/// score is 0. Who has rated nothing else gets what is popular now. What was removed is never
/// listed; what comes back under its old id has its old weights.
class LiveSnapshot : public Advisor {
 public:
  struct Impl;  // src/api

  /// Counts the changes of people, items and ratings since the live model was made.
  [[nodiscard]] std::uint64_t version() const noexcept;
  /// The version up to which graph or weights count all ratings; version() if not behind.
  [[nodiscard]] std::uint64_t graph_version() const noexcept;
  /// How many ratings were given, changed or taken back that graph or weights do not count yet.
  [[nodiscard]] std::size_t behind() const noexcept;
  /// When the first of them came; none if there are none.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> behind_since() const noexcept;
  /// The version that last changed this user's ratings; 0 if none did, or they are not known.
  [[nodiscard]] std::uint64_t user_version(std::string_view id) const noexcept;

 private:
  friend struct Inside;
  explicit LiveSnapshot(std::shared_ptr<const Impl> impl) noexcept;
};

/// When the graph counts a change. The person's own ratings count at once in any case. The same
/// where nothing follows but by a fit.
enum class Follow {
  now,    ///< before the call returns: answers are those of a model fitted anew
  later,  ///< with the next follow(), together with all else that waits, at a fraction of the cost
};

/// Holds the newest state and takes changes. Any thread may call anything: changes wait for each
/// other, snapshot() waits for nothing, and changes that are to be followed later do not wait for
/// follow().
class LiveModel {
 public:
  /// Starts from a fitted model; Error{unsupported} if its method cannot serve newcomers.
  /// `run` holds for all that follows: follow() tells progress, and may be stopped by it.
  explicit LiveModel(const Model& model, const RunOptions& run = {});
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
  /// The graph counts all changes so far. False: it did already, or nothing follows but by a fit.
  /// Error{too_large} if that would take more memory than it may: the graph stays as it is, and a
  /// fit, which can keep the strongest links alone, is the way on.
  bool follow();
  /// Whether answers become those of a model fitted anew without a fit. If not, it takes refit(),
  /// and a live model made of what that gives.
  [[nodiscard]] bool follows() const noexcept;

  /// The newest state fitted anew on all of its ratings, as a model that can be saved. Readers and
  /// writers go on meanwhile.
  [[nodiscard]] Model refit(const RunOptions& run = {}) const;
  /// Seconds since graph or weights were last built as a whole, and changes since.
  [[nodiscard]] double graph_age() const noexcept;
  [[nodiscard]] std::size_t changes_since_fit() const noexcept;

 private:
  struct Impl;  // src/api
  std::unique_ptr<Impl> impl_;
};

}  // namespace palate
#pragma GCC visibility pop
