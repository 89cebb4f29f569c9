#include "methods/fire/fire.hpp"

#include <algorithm>
#include <cmath>

#include "core/ratings_data.hpp"
#include "methods/spectral/spectral_method.hpp"

namespace palate {
namespace {

// A rating without a time is as old as the oldest that has one.
SpectralTerm term_of(const Ratings& train, const Fire& settings) {
  std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
  std::int64_t newest = no_time;
  for (const std::int64_t time : train.data().times) {
    if (time == no_time) continue;
    oldest = std::min(oldest, time);
    newest = std::max(newest, time);
  }
  if (newest == no_time) return gf_cf_term(train, 0, settings.input);
  return gf_cf_term(
      train, 0, settings.input, [=, &settings](const UserRatings& row, std::size_t k) {
        const std::int64_t time = std::max(row.times[k], oldest);
        return std::exp(settings.decay * (static_cast<double>(time) - static_cast<double>(newest)));
      });
}

std::unique_ptr<const Recommender> load(const Parts& parts, const Fire& settings,
                                        const Ratings& train) {
  return OneGraph<Fire>{term_of}.load(parts, settings, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_fire(const Ratings& train, const Fire& settings,
                                            const FitResources& resources) {
  return OneGraph<Fire>{term_of}.fit(train, settings, resources);
}

MethodEntry fire_method() {
  Describe<Fire> method("fire", "FIRE",
                        "GF-CF over a graph in which ratings fade with their age; without times "
                        "the same as gf-cf.");
  method.setting(&Fire::decay, {.name = "decay",
                                .help = "How fast ratings fade, per second: after 1 / decay "
                                        "seconds they count 37 %.",
                                .least = 0});
  describe_ideal(method);
  describe_input(method);
  return method.can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_fire, load);
}

}  // namespace palate
