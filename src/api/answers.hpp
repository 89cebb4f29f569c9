// From a caller's options and ids to a recommender's queries, and back to answers with names.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/model_impl.hpp"
#include "api/standing.hpp"
#include "core/recommender.hpp"
#include "palate/model.hpp"

namespace palate {

/// Who asks: someone in the ratings, or a newcomer, who has no index.
struct Asker {
  UserRatings ratings;
  std::optional<std::uint32_t> index = {};
};

/// At most so many of the people that `fit`, spread evenly over all.
[[nodiscard]] std::vector<std::uint32_t> spread(std::size_t users, std::size_t most,
                                                const std::function<bool(std::uint32_t)>& fit);

/// What stays the same over all queries of one call.
class Request {
 public:
  /// Throws Error{usage}, {unsupported} or {not_found} for options that cannot be used.
  Request(const Advisor::Impl& asked, const RecommendOptions& options);

  [[nodiscard]] const RatingsView& ratings() const noexcept { return *asked_.ratings; }
  [[nodiscard]] std::size_t top() const noexcept { return top_; }
  /// For a list, with room for one more than is wanted: see matches().
  [[nodiscard]] Query query(const Asker& who) const {
    return {who.ratings,
            term_weights_,
            top_ == 0 ? 0 : top_ + 1,
            exclude_seen_,
            allowed_.empty() ? known_ : allowed_,
            who.index,
            boost_};
  }
  [[nodiscard]] Line line(const Asker& who) const {
    return {who_answers(basis(who)), query(who), ratings().counts().items, known_};
  }
  /// Whether lists are of all items, nothing being denied.
  [[nodiscard]] bool of_all() const noexcept { return allowed_.empty(); }
  [[nodiscard]] Predictor predictor() const { return asked_.predictor(); }
  /// The dials that are not at 1, and what they do to each item; both empty if all are.
  [[nodiscard]] std::span<const TurnedDial> turned() const noexcept { return turned_; }
  [[nodiscard]] std::span<const float> boost() const noexcept { return boost_; }
  [[nodiscard]] const Dials& dials() const { return asked_.dials(); }
  /// Someone none of whose ratings count gets what is popular.
  [[nodiscard]] Basis basis(const Asker& who) const;
  [[nodiscard]] const Recommender& who_answers(Basis basis) const {
    return basis == Basis::ratings ? *asked_.recommender : *asked_.fallback;
  }

 private:
  const Advisor::Impl& asked_;
  std::vector<float> term_weights_;
  std::vector<TurnedDial> turned_;
  std::vector<float> boost_;
  std::span<const std::uint8_t> known_;
  std::vector<std::uint8_t> allowed_;
  std::size_t top_;
  bool exclude_seen_;
};

/// Lists of `count` people, made and reported as done in batches. `who` gives a person and a name.
/// Throws Error{cancelled} if the caller has had enough.
using AskerAt = std::function<std::pair<Asker, std::string>(std::size_t)>;
void answer(const Request& request, std::size_t count, const AskerAt& who,
            const std::function<void(Recommendations&)>& sink, const RunOptions& run);
/// A list with names, without matches and predictions. `boost`: per item, by which the list goes;
/// empty if there is none.
[[nodiscard]] Recommendations to_public(const RatingsView& ratings, std::string user, Basis basis,
                                        std::span<const ScoredItem> list,
                                        std::span<const float> boost = {});

using NamedWeights = std::vector<std::pair<std::string, double>>;
/// One multiplier of a term per criterion, or empty if none was given. Throws Error{usage} for an
/// unknown criterion or a weight that is negative, not finite, or 0 for all; Error{unsupported} if
/// the recommender has no terms to weigh.
[[nodiscard]] std::vector<float> resolve_term_weights(std::span<const Criterion> criteria,
                                                      const Recommender& recommender,
                                                      const NamedWeights& weights);
/// The dials that weights turn. Throws Error{usage} likewise.
[[nodiscard]] std::vector<TurnedDial> resolve_dials(const Advisor::Impl& asked,
                                                    const NamedWeights& weights);

}  // namespace palate
