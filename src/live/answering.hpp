// From a state of a live model to what answers from it.
#pragma once

#include <memory>

#include "core/recommender.hpp"
#include "live/state.hpp"

namespace palate::live {

class Answering {
 public:
  virtual ~Answering() = default;

  /// Shares all that is large with the state and the fitted model.
  [[nodiscard]] virtual std::unique_ptr<const Recommender> from(
      std::shared_ptr<const State> state) const = 0;
};

/// By what the lists of this base rest on. `fitted`: the model that it was made from.
[[nodiscard]] std::unique_ptr<const Answering> make_answering(
    const Base& base, std::shared_ptr<const Recommender> fitted);

/// By how many people rated each item in this state.
[[nodiscard]] std::unique_ptr<const Recommender> by_popularity(const State& state);

}  // namespace palate::live
