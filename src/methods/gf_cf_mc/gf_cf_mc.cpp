#include "methods/gf_cf_mc/gf_cf_mc.hpp"

#include "base/stage_clock.hpp"
#include "methods/spectral/spectral_method.hpp"

namespace palate {
namespace {

std::vector<SpectralTerm> terms_of(const Ratings& train, const GfCfMc& settings) {
  std::vector<SpectralTerm> out;
  for (std::size_t c = 0; c < train.criteria().size(); ++c) {
    out.push_back(gf_cf_term(train, c, settings.input));
  }
  return out;
}

std::unique_ptr<const Recommender> load(const Parts& parts, const GfCfMc& settings,
                                        const Ratings& train) {
  return SpectralRecommender::load(parts, terms_of(train, settings), settings.input, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_gf_cf_mc(const Ratings& train, const GfCfMc& settings,
                                                const FitResources& resources) {
  check_memory(train, train.criteria().size(), settings.rank, resources);
  StageClock clock(resources.stages);
  std::vector<SpectralTerm> terms = terms_of(train, settings);
  clock.done("graph");
  for (SpectralTerm& term : terms) {
    add_ideal(term, settings.rank, settings.ideal, 0.5, {}, resources);
  }
  clock.done("directions");
  return std::make_unique<SpectralRecommender>(terms, settings.input, train.items(),
                                               train.criteria().size());
}

MethodEntry gf_cf_mc_method() {
  Describe<GfCfMc> method("gf-cf-mc", "GFCFMC",
                          "GF-CF on every criterion by itself, the scores added up.");
  describe_ideal(method);
  describe_input(method);
  return method
      .can({.explain = true, .weigh_criteria = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_gf_cf_mc, load);
}

}  // namespace palate
