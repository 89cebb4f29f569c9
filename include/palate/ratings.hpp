// Multi-criteria ratings in memory. Implemented in src/core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace palate {

/// The most criteria, overall included, that one data set may have.
inline constexpr std::size_t max_criteria = 32;

/// The time of an interaction without one, where others have theirs: before every other time.
inline constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();

struct Criterion {
  std::string name = {};
  float min = 0;  ///< smallest and largest value seen or declared; both 0 if nobody rated it
  float max = 0;
};

/// Interactions of one user, ordered by item index. Views into a Ratings object; valid while it
/// lives.
struct UserRatings {
  std::span<const std::uint32_t> items = {};
  /// `criteria().size()` values per interaction, side by side, overall first; 0 where absent.
  std::span<const float> values = {};
  /// One word per interaction; bit c is set where criterion c was rated. Never 0.
  std::span<const std::uint32_t> present = {};
  /// Unix seconds or no_time, one per interaction; empty if the data have no times.
  std::span<const std::int64_t> times = {};

  [[nodiscard]] std::size_t size() const noexcept { return items.size(); }
};

/// An immutable set of ratings: users x items x criteria, criterion 0 being the overall rating.
/// Copies are cheap (shared) and safe to use from many threads. Parts of a split share one
/// catalogue: the same user, item and criterion has the same index in each of them.
class Ratings {
 public:
  struct Data;  // src/core/ratings_data.hpp

  Ratings();  ///< no users, no items, no criteria
  explicit Ratings(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  [[nodiscard]] std::size_t users() const noexcept;
  [[nodiscard]] std::size_t items() const noexcept;
  [[nodiscard]] std::size_t interactions() const noexcept;  ///< (user, item) pairs
  /// How many ratings criterion c has.
  [[nodiscard]] std::size_t ratings_of(std::size_t criterion) const noexcept;
  [[nodiscard]] std::span<const Criterion> criteria() const noexcept;
  [[nodiscard]] bool has_times() const noexcept;
  [[nodiscard]] bool has_titles() const noexcept;

  [[nodiscard]] UserRatings of(std::uint32_t user) const noexcept;

  /// Ids are any UTF-8. Indices run from 0 in the order of the ids (numeric if all are integers,
  /// else by bytes), so that they do not depend on the order of rows.
  [[nodiscard]] std::string_view user_id(std::uint32_t user) const noexcept;
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept;
  /// The title, or the id where there is none.
  [[nodiscard]] std::string_view item_title(std::uint32_t item) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> find_user(std::string_view id) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> find_item(std::string_view id) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_criterion(std::string_view name) const noexcept;

  [[nodiscard]] const Data& data() const noexcept { return *data_; }  ///< for src, as the next
  [[nodiscard]] const std::shared_ptr<const Data>& shared_data() const noexcept { return data_; }

 private:
  std::shared_ptr<const Data> data_;
};

/// What to do when one (user, item) pair is given more than once.
enum class Duplicates {
  last,   ///< the newest by time where times are known, else the last added
  first,  ///< the oldest by time where times are known, else the first added
  mean,   ///< the mean of each criterion over the rows that rated it
  error,  ///< Error{bad_input} naming the pair
};

/// Many rows at once, as columns whose ids are numbered already, so that no text is looked up per
/// row. Views; valid during the call.
struct RatingColumns {
  std::span<const std::string> users = {}, items = {};  ///< ids; all become known, rated or not
  /// Of each row, the places of its ids in `users` and `items`.
  std::span<const std::uint32_t> user = {}, item = {};
  std::span<const float> values = {};        ///< one per criterion, side by side; NaN means absent
  std::span<const std::int64_t> times = {};  ///< unix seconds or no_time, one per row; or empty
};

/// Collects ratings in any order and makes a Ratings object of them.
class RatingsBuilder {
 public:
  /// Names of the criteria, overall first. Throws if empty, repeated, or more than max_criteria.
  explicit RatingsBuilder(std::vector<std::string> criteria,
                          Duplicates duplicates = Duplicates::last);
  ~RatingsBuilder();
  RatingsBuilder(RatingsBuilder&&) noexcept;
  RatingsBuilder& operator=(RatingsBuilder&&) noexcept;

  /// Adds one interaction. `values` has one entry per criterion; NaN means absent. Throws
  /// Error{bad_input} for an empty id, a negative or infinite value, or no value at all.
  void add(std::string_view user, std::string_view item, std::span<const float> values,
           std::optional<std::int64_t> time = std::nullopt);
  /// Adds many interactions, or none of them: Error{bad_input} names the first row that is wrong,
  /// counted from 0.
  void add(const RatingColumns& columns);
  /// Makes the user or the item known even without a rating.
  void add_user(std::string_view user);
  void add_item(std::string_view item);
  void set_title(std::string_view item, std::string_view title);
  /// Widens the recorded scale of a criterion beyond the values seen.
  void set_scale(std::size_t criterion, float min, float max);

  /// Makes room for about this many rows, which saves time. A wrong guess does no harm.
  void reserve(std::size_t rows);

  /// Rows that repeated an earlier (user, item) pair; known after build().
  [[nodiscard]] std::size_t duplicates_found() const noexcept;
  [[nodiscard]] std::size_t rows() const noexcept;

  /// Builds; the builder is empty afterwards.
  [[nodiscard]] Ratings build();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The interactions for which `keep` is 1 (one flag per interaction, in user then item order), over
/// the same catalogue. Scales stay those of the whole.
[[nodiscard]] Ratings subset(const Ratings& ratings, std::span<const std::uint8_t> keep);

}  // namespace palate
#pragma GCC visibility pop
