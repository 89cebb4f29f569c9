// From a caller's options and ids to a recommender's queries, and back to answers with names.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/model_impl.hpp"
#include "core/recommender.hpp"
#include "palate/model.hpp"

namespace palate {

/// Who asks: someone in the ratings, or a newcomer, who has no index.
struct Asker {
  UserRatings ratings;
  std::optional<std::uint32_t> index = {};
};

/// What stays the same over all queries of one call.
class Request {
 public:
  /// Throws Error{usage}, {unsupported} or {not_found} for options that cannot be used.
  Request(const Advisor::Impl& asked, const RecommendOptions& options);

  [[nodiscard]] const RatingsView& ratings() const noexcept { return *asked_.ratings; }
  [[nodiscard]] Query query(const Asker& who) const {
    return {who.ratings, weights_, top_, exclude_seen_, allowed_.empty() ? known_ : allowed_,
            who.index};
  }
  /// Someone none of whose ratings count gets what is popular.
  [[nodiscard]] Basis basis(const Asker& who) const;
  [[nodiscard]] const Recommender& who_answers(Basis basis) const {
    return basis == Basis::ratings ? *asked_.recommender : *asked_.fallback;
  }

 private:
  const Advisor::Impl& asked_;
  std::vector<float> weights_;
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
/// A list with names.
[[nodiscard]] Recommendations to_public(const RatingsView& ratings, std::string user, Basis basis,
                                        std::span<const ScoredItem> list);

/// One multiplier per criterion, or empty if none was given. Throws Error{usage} for an unknown
/// criterion or a weight that is negative, not finite, or 0 for all; Error{unsupported} if the
/// recommender does not weigh.
[[nodiscard]] std::vector<float> resolve_weights(
    std::span<const Criterion> criteria, const Recommender& recommender,
    const std::vector<std::pair<std::string, double>>& weights);

}  // namespace palate
