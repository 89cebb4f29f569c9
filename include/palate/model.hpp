// Fitting a recommender and asking it. Implemented in src/api.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palate/method.hpp"
#include "palate/ratings.hpp"
#include "palate/run.hpp"

#pragma GCC visibility push(default)
namespace palate {

// ------------------------------------------------------------------------- asking the model

struct RecommendOptions {
  std::size_t top = 10;
  bool exclude_seen = true;  ///< items that the user rated overall
  /// Dials by criterion name, 1 where not named; from 0 to 1000000. Above 1 items rise that are
  /// rated higher on the criterion than their overall says (for overall: that are rated higher),
  /// below 1 they fall. Each doubling moves a list about as far, on any data and with any method;
  /// past 64 and below 1/64 a dial turns no further.
  std::vector<std::pair<std::string, double>> weights = {};
  /// For research: multipliers of the method's own term of each criterion (Chat in CA-GF), 1 where
  /// not named; finite, not negative, not all 0. Error{unsupported} where a method has no terms.
  std::vector<std::pair<std::string, double>> term_weights = {};
  /// If not empty: only these items. Ids that are not known are passed over; if none is known,
  /// Error{not_found}.
  std::vector<std::string> allow = {};
  std::vector<std::string> deny = {};  ///< never these; ids that are not known are passed over
};

struct Recommended {
  std::uint32_t index = 0;  ///< of the item
  std::string item = {};
  std::string title = {};
  float score = 0;
  float dialled = 0;  ///< how much of the score is due to dials; below 0 if they take from it
  /// How many of all other items that the person has not rated overall score lower, in per cent:
  /// 90 means that it stands above 90 % of what there is. Never rises along a list; 100 if there
  /// is no other item. None for similar items.
  std::optional<double> match = {};
};

/// What a list rests on.
enum class Basis {
  ratings,     ///< the person's own ratings
  popularity,  ///< the person has none: the items most people rated
};

struct Recommendations {
  std::string user = {};  ///< empty for a profile
  Basis basis = Basis::ratings;
  std::vector<Recommended> items = {};  ///< best first; ties go to the lower index
  /// What the person would rate the items: a row for each, with one value per criterion, on the
  /// scale of the criterion, NaN where that cannot be told better than by a plain guess
  /// (Advisor::prediction_errors). Dials do not change it. Empty where it is NaN for all.
  std::vector<float> predicted = {};

  /// The row of one item; empty where nothing is predicted.
  [[nodiscard]] std::span<const float> predicted_for(std::size_t place) const {
    const std::size_t width = items.empty() ? 0 : predicted.size() / items.size();
    return std::span(predicted).subspan(place * width, width);
  }
};

/// One rating of someone who need not be in the data. Criteria not listed are absent.
struct ProfileRating {
  std::string item = {};
  std::vector<std::pair<std::string, float>> values = {};
};
using Profile = std::vector<ProfileRating>;

/// What a score is made of: score = baseline + sum of parts + sum of dials, and the sum of
/// by_criterion is that of the parts.
struct Explanation {
  struct Part {
    std::uint32_t index = 0;  ///< of the rated item
    std::string item = {};
    std::string title = {};
    std::size_t criterion = 0;
    double rating = 0;  ///< what the user gave
    double value = 0;   ///< what it adds to the score
  };
  /// A dial that is not at 1, and what it does to this item.
  struct Dial {
    std::size_t criterion = 0;
    double weight = 1;
    double value = 0;  ///< what it adds to the score
    /// How much higher the item is rated on the criterion than its overall says, in the unit of the
    /// criterion: its mean on it less its overall mean (on the same scale), less what that is over
    /// all ratings. Of overall: its mean less that of all ratings.
    double above = 0;
    std::size_t raters = 0;  ///< people whose ratings say so
    /// For a person: "rated 0.6 above what its overall says on service, by 120 people; you turned
    /// service up".
    std::string why = {};
  };
  std::string user = {};
  std::string item = {};
  std::string title = {};
  Basis basis = Basis::ratings;
  double score = 0;
  double baseline = 0;  ///< not due to the user's ratings (popularity); 0 for CA-GF
  std::vector<std::string> criteria = {};  ///< names, overall first
  std::vector<double> by_criterion = {};   ///< one value per criterion
  /// How much the user weighs each criterion, with term_weights.
  std::vector<double> preference = {};
  std::vector<Part> parts = {};       ///< largest absolute value first
  std::vector<Dial> dials = {};       ///< in the order of the criteria
  double match = 0;                   ///< as of Recommended
  std::vector<float> predicted = {};  ///< as of Recommendations, for this item
  /// Of criteria that the person weighs and that hardly count in this score all the same, in words:
  /// "this person weighs story 20 %, but its filter passes almost nothing on to this item: it adds
  /// 0.01 % of the score".
  std::vector<std::string> notes = {};
};

struct ModelInfo {
  std::string method = {};    ///< "ca-gf", ...
  std::string settings = {};  ///< JSON text of the settings
  std::size_t users = 0, items = 0, interactions = 0;
  std::vector<Criterion> criteria = {};
  std::vector<Filter> filters = {};  ///< per criterion; empty for methods without filters
  std::optional<double> preference = {};
  std::string variant = {};
  std::string solver = {};  ///< "exact" or "fast"; empty for methods without filters
  /// Of the graph: "dense", "sparse", "bounded" or "whole"; of weights between items: "32-bit",
  /// "16-bit" or "sparse". Empty where there is no choice.
  std::string storage = {};
  std::string why = {};  ///< one sentence: what solver and storage were chosen by
  /// Of the ridge of "adaptive": how strong a pattern of ratings is, the average one being 1, and
  /// which share of it passes into the scores. Empty for others.
  std::vector<std::pair<double, double>> response = {};
  std::size_t graph_entries = 0;  ///< stored links between items
  std::size_t bytes = 0;          ///< memory of graph and ratings
  std::string trained_with = {};  ///< palate version
  Stages seconds = {};            ///< of the fit, by stage; empty for a model from a file
};

/// How many people rated an item overall, and the mean of each criterion (NaN where nobody did).
struct ItemSummary {
  std::size_t raters = 0;
  std::vector<double> means = {};
};

/// What one doubling of a criterion's dial does to the logarithm of an item's score, and one
/// halving: with dials w the score is multiplied by exp(sum of up * log2(w) where w is above 1, and
/// of down * -log2(w) where it is below).
struct Tilt {
  double up = 0, down = 0;
};

/// How far predicted ratings on one criterion are off, on ratings held back from them.
struct PredictionError {
  std::size_t criterion = 0;
  double mae = 0;  ///< mean absolute error
  /// Of the best plain guess: mean or median of all ratings, mean of the item's or the person's.
  double trivial_mae = 0;
  std::size_t ratings = 0;  ///< that it was measured on
};

struct Choice;

/// Whoever can be asked: a fitted Model, or a LiveSnapshot, one state of a model that follows new
/// ratings. Immutable and safe to share between threads. Copies are cheap and share what they know,
/// so that either may be kept as an Advisor.
///
/// Members that take ids throw Error{not_found} for a user, item or criterion that is not known;
/// those that take options throw Error{usage} or Error{unsupported} for what cannot be met.
class Advisor {
 public:
  struct Impl;  // src/api

  [[nodiscard]] ModelInfo info() const;
  /// How the settings were chosen, where they were and whoever fitted said so; also from a file.
  [[nodiscard]] std::optional<Choice> choice() const;
  [[nodiscard]] std::size_t users() const noexcept;
  [[nodiscard]] std::size_t items() const noexcept;
  [[nodiscard]] std::size_t interactions() const noexcept;
  [[nodiscard]] std::span<const Criterion> criteria() const noexcept;  ///< overall first
  [[nodiscard]] bool knows_user(std::string_view id) const noexcept;
  [[nodiscard]] bool knows_item(std::string_view id) const noexcept;
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept;
  /// The first call to a fitted model goes through all of its ratings.
  [[nodiscard]] ItemSummary summary(std::string_view item) const;
  /// How many items the user rated.
  [[nodiscard]] std::size_t ratings_by(std::string_view user) const;

  /// How far predicted ratings are off, for each criterion that is predicted: those where it is
  /// less than that of a plain guess. Kept in model files; found on the first call where it is not
  /// known.
  [[nodiscard]] std::vector<PredictionError> prediction_errors() const;

  /// Of an item, one per criterion: for whoever turns dials without asking again.
  [[nodiscard]] std::vector<Tilt> tilts(std::string_view item) const;

  [[nodiscard]] Recommendations recommend(std::string_view user,
                                          const RecommendOptions& options = {}) const;
  [[nodiscard]] std::vector<Recommendations> recommend(std::span<const std::string> users,
                                                       const RecommendOptions& options = {},
                                                       const RunOptions& run = {}) const;
  /// For someone new: what they would get had the graph been built without them.
  [[nodiscard]] Recommendations recommend_for(const Profile& profile,
                                              const RecommendOptions& options = {}) const;

  [[nodiscard]] std::vector<Recommended> similar(std::string_view item, std::size_t top = 10) const;

  [[nodiscard]] Explanation explain(std::string_view user, std::string_view item,
                                    const RecommendOptions& options = {}) const;
  [[nodiscard]] Explanation explain_for(const Profile& profile, std::string_view item,
                                        const RecommendOptions& options = {}) const;
  /// The score of each criterion for each of the given items: one row per item, as by_criterion of
  /// explain, but for a whole list at once and without dials. A baseline (popularity) counts as
  /// overall.
  [[nodiscard]] std::vector<std::vector<double>> attributions(
      std::string_view user, std::span<const std::string> items,
      const RecommendOptions& options = {}) const;
  [[nodiscard]] std::vector<std::vector<double>> attributions_for(
      const Profile& profile, std::span<const std::string> items,
      const RecommendOptions& options = {}) const;

 protected:
  explicit Advisor(std::shared_ptr<const Impl> impl) noexcept;

 private:
  friend struct Inside;  // how src/api reaches what is behind it
  std::shared_ptr<const Impl> impl_;
};

/// Where the arrays of a model from a file lie. mapped: in the file, which takes no time, and is
/// for who can rely on nobody changing it in place; a process that uses bytes of it that were cut
/// off ends (SIGBUS). copied: in memory of the process.
enum class ModelBytes { mapped, copied };

/// A fitted recommender, and the ratings that it was fitted on.
class Model : public Advisor {
 public:
  struct Impl;  // src/api

  [[nodiscard]] const Ratings& ratings() const noexcept;

  /// Every user in turn, in order of index, without holding all lists in memory. `sink` is called
  /// from one thread at a time.
  void recommend_all(const RecommendOptions& options,
                     const std::function<void(const Recommendations&)>& sink,
                     const RunOptions& run = {}) const;

  /// One file; written under a temporary name, then renamed (docs/model-file.md).
  void save(const std::filesystem::path& path) const;
  /// Throws Error{corrupt} for a cut, altered, foreign or newer file, and for one of a format that
  /// is no longer read.
  [[nodiscard]] static Model load(const std::filesystem::path& path,
                                  ModelBytes bytes = ModelBytes::mapped);
  /// Whether the file begins like a model file.
  [[nodiscard]] static bool is_model_file(const std::filesystem::path& path);

 private:
  friend struct Inside;
  explicit Model(std::shared_ptr<const Impl> impl) noexcept;
};

/// Fits. ModelInfo::seconds says where the time went ("graph", "filters", ...).
[[nodiscard]] Model fit(const Ratings& train, const Method& method = {},
                        const RunOptions& run = {});

// --------------------------------------------------------------------- choosing the settings

struct ChooseOptions {
  double validation = 0.1;  ///< share per user set aside to choose on
  /// After so many seconds no settings are tried but those that it begins with; the best so far is
  /// taken. 0: no limit. With a limit the result depends on the machine.
  double seconds = 0;
  std::uint64_t seed = 1;
  /// Of CA-GF: chosen by recall and NDCG at this length and at half of it, from these powers.
  std::size_t at = 10;
  std::vector<double> powers = {0.1, 0.4, 0.6, 0.85, 1.0, 1.2, 1.6};
  /// Relevant: overall at least this; none: usual_threshold() (palate/evaluation.hpp).
  std::optional<double> threshold = {};
  /// Asked now and then; once it says true, the best so far is taken.
  std::function<bool()> enough = {};
};

/// Settings found on a validation part, and the way there.
struct Choice {
  struct Step {
    std::string tried = {};  ///< "taste: outward, s = 0.85"
    double value = 0;
    double gain = 0;   ///< over the best so far
    double error = 0;  ///< standard error of the gain over the same people; 0: not known
    bool taken = false;
  };
  Method method = {};
  std::string measure = {};  ///< what the values are: "mean of recall and NDCG at 5 and 10"
  double start = 0;          ///< of plain linear filters
  double end = 0;            ///< of what was found
  std::size_t users = 0;     ///< on whom it was measured (a fixed sample on large data)
  std::vector<Step> steps = {};
  /// What was found with one part taken away, on the people of the search: what the part gives.
  std::vector<Step> without = {};
  /// Simple ways on the people that `end` was measured on: what each is worth, what was found gains
  /// over it, and the standard error of that gain (0: not known).
  std::vector<Step> against = {};
  double validation = 0;       ///< share of everyone's ratings that was held back
  std::uint64_t seed = 0;      ///< of what was held back
  std::string relevance = {};  ///< what counted as liked, in words: "overall >= 3"

  /// Whether nothing was tried, as too few people could be judged (enough_users): the settings are
  /// those the method begins with.
  [[nodiscard]] bool too_few() const noexcept { return steps.empty(); }
};

/// As the text of a JSON object, and back. Throws Error{bad_input} for text that is none.
[[nodiscard]] std::string to_json(const Choice& choice);
[[nodiscard]] Choice choice_from_json(std::string_view json);

/// Finds the settings of the adaptive filter: begins with a few good ones, then changes one at a
/// time. A change counts if it gains more than its standard error over the same people. What it
/// ends with is never worse on the ratings held back than popularity, plain linear filters or
/// EASE^R; beyond 3,000 items EASE^R is compared on those with the most ratings, and on all unless
/// it was more than four standard errors behind.
[[nodiscard]] Choice tune(const Ratings& train, const ChooseOptions& options = {},
                          const RunOptions& run = {});

/// Of CA-GF: picks a filter and a power for each criterion. Begins with linear filters or, if they
/// gain more than their standard error, the best of the published settings; then changes one thing
/// at a time, and a change counts if it gains more than twice its standard error. Ratings are held
/// back of one person in five at a time, so that the graph stays nearly whole.
[[nodiscard]] Choice choose_filters(const Ratings& train, const ChooseOptions& options = {},
                                    const RunOptions& run = {});

// -------------------------------------------------------------------- from a wish to settings

/// What a person asked for: a method, and settings and asks of it as words, in order. Who asks for
/// nothing gets "adaptive" with settings found on the ratings.
struct MethodRequest {
  std::string method = "adaptive";
  std::vector<std::pair<std::string, std::string>> settings = {};

  /// With the method that is meant by settings alone: "adaptive", or where it does not have them
  /// all the first of methods() that has. {{"preset", "ym"}} means "ca-gf". Throws as check().
  [[nodiscard]] static MethodRequest of(std::vector<std::pair<std::string, std::string>> settings);
  /// "ca-gf:mc", "ca-gf:preset=ym", "ease:lambda=200", "ca-gf:filters=outward:0.85". A word without
  /// "=" is the value of the one setting that has it among its choices. Throws as check().
  [[nodiscard]] static MethodRequest parse(std::string_view text);
  /// Throws Error{usage} for whatever is wrong in any case, before there are ratings.
  void check() const;
  /// Whether the settings are to be chosen on the ratings.
  [[nodiscard]] bool automatic() const;
  /// The same text for the same wishes, however they are written.
  [[nodiscard]] std::string fingerprint() const;
  /// "ca-gf", "ca-gf:mc": for tables.
  [[nodiscard]] std::string name() const;
};

struct Resolved {
  Method method = {};
  std::optional<Choice> choice = {};  ///< where the settings were chosen
};

/// Turns a wish into settings for these ratings, and chooses on them what it leaves open. With
/// `known`, a choice that was made before for this method is used, and one that is made is left
/// there. Throws Error{usage} for wishes that contradict each other or do not suit the ratings.
[[nodiscard]] Resolved resolve(const MethodRequest& request, const Ratings& ratings,
                               const ChooseOptions& choose = {}, const RunOptions& run = {},
                               std::optional<Choice>* known = nullptr);

/// Fits what was resolved; the model remembers how its settings were chosen.
[[nodiscard]] Model fit(const Ratings& train, const Resolved& settings, const RunOptions& run = {});
/// The same with what was chosen: fit(ratings, tune(ratings)).
[[nodiscard]] Model fit(const Ratings& train, const Choice& choice, const RunOptions& run = {});

}  // namespace palate
#pragma GCC visibility pop
