#include "methods/gf_cf/gf_cf.hpp"

#include "base/stage_clock.hpp"
#include "methods/spectral/spectral_method.hpp"

namespace palate {

SpectralTerm gf_cf_term(const Ratings& train, std::size_t criterion, const GraphInput& input,
                        const RatingWeight& weight) {
  SpectralTerm out;
  out.criterion = criterion;
  out.polynomial.coefficients = {0, 1};
  out.matrix = normalized(train, criterion, input, {}, weight);
  return out;
}

namespace {

std::unique_ptr<const Recommender> load(const Parts& parts, const GfCf& settings,
                                        const Ratings& train) {
  return SpectralRecommender::load(parts, {gf_cf_term(train, 0, settings.input)}, settings.input,
                                   train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_gf_cf(const Ratings& train, const GfCf& settings,
                                             const FitResources& resources) {
  check_memory(train, 1, settings.rank, resources);
  StageClock clock(resources.stages);
  SpectralTerm term = gf_cf_term(train, 0, settings.input);
  clock.done("graph");
  add_ideal(term, settings.rank, settings.ideal, 0.5, {}, resources);
  clock.done("directions");
  return std::make_unique<SpectralRecommender>(std::vector{std::move(term)}, settings.input,
                                               train.items(), train.criteria().size());
}

MethodEntry gf_cf_method() {
  Describe<GfCf> method("gf-cf", "GFCF",
                        "A linear and an ideal graph filter over the overall ratings.");
  describe_ideal(method);
  describe_input(method);
  return method.can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_gf_cf, load);
}

}  // namespace palate
