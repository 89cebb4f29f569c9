#include "methods/gf_cf/gf_cf.hpp"

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

SpectralTerm term_of(const Ratings& train, const GfCf& settings) {
  return gf_cf_term(train, 0, settings.input);
}

std::unique_ptr<const Recommender> load(const Parts& parts, const GfCf& settings,
                                        const Ratings& train) {
  return OneGraph<GfCf>{term_of}.load(parts, settings, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_gf_cf(const Ratings& train, const GfCf& settings,
                                             const FitResources& resources) {
  return OneGraph<GfCf>{term_of}.fit(train, settings, resources);
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
