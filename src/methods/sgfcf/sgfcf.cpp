#include "methods/sgfcf/sgfcf.hpp"

#include <cmath>

#include "base/stage_clock.hpp"
#include "methods/spectral/spectral_method.hpp"

namespace palate {
namespace {

// First the leading directions, then what is left: P itself.
std::vector<SpectralTerm> terms_of(const Ratings& train, const Sgfcf& settings) {
  SpectralTerm all;
  all.scale = TermScale::sum;
  all.factor = settings.rest;
  all.polynomial.coefficients = {0, 1};
  all.matrix = normalized(
      train, 0, settings.input,
      {.user_power = settings.power, .item_power = settings.power, .added = settings.smoothing});
  all.before = powers(all.matrix.item_sums, -settings.power, settings.smoothing);
  SpectralTerm leading;
  leading.scale = TermScale::sum;
  return {std::move(leading), std::move(all)};
}

std::unique_ptr<const Recommender> load(const Parts& parts, const Sgfcf& settings,
                                        const Ratings& train) {
  return SpectralRecommender::load(parts, terms_of(train, settings), settings.input, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_sgfcf(const Ratings& train, const Sgfcf& settings,
                                             const FitResources& resources) {
  check_memory(train, 1, settings.rank, resources);
  StageClock clock(resources.stages);
  std::vector<SpectralTerm> terms = terms_of(train, settings);
  clock.done("graph");
  const LeadingPairs pairs = leading_directions(terms[1].matrix, settings.rank, resources);
  if (pairs.values.size() > 0) {
    // x V S^-1 S^beta S^beta V^T; values are S^2
    const Eigen::VectorXd spectrum =
        (pairs.values / pairs.values[0]).array().pow(settings.sharpness - 0.5);
    const std::vector<double>& before = terms[1].before;
    terms[0].left =
        Eigen::Map<const Eigen::VectorXd>(before.data(), static_cast<Eigen::Index>(before.size()))
            .asDiagonal() *
        pairs.vectors;
    terms[0].right = pairs.vectors * spectrum.asDiagonal();
  }
  clock.done("directions");
  return std::make_unique<SpectralRecommender>(terms, settings.input, train.items(),
                                               train.criteria().size());
}

MethodEntry sgfcf_method() {
  Describe<Sgfcf> method("sgfcf", "SGFCF",
                         "A graph filter with smoothed sums and a sharpened spectrum.");
  method
      .setting(&Sgfcf::smoothing, {.name = "smoothing",
                                   .help = "Added to the sums of people and items (alpha).",
                                   .least = 0})
      .setting(&Sgfcf::power, {.name = "power",
                               .help = "Power of the sums: the larger, the less popular items and "
                                       "busy people count (e).",
                               .least = 0,
                               .most = 2})
      .setting(&Sgfcf::rank,
               {.name = "rank", .help = "Leading directions.", .least = 1, .most = 4096})
      .setting(&Sgfcf::sharpness, {.name = "sharpness",
                                   .help = "Power of the spectrum, on either side (beta).",
                                   .least = 0,
                                   .most = 16})
      .setting(&Sgfcf::rest, {.name = "rest",
                              .help = "How much the whole spectrum counts beside the leading "
                                      "directions (gamma).",
                              .least = 0});
  describe_input(method);
  return method.can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_sgfcf, load);
}

}  // namespace palate
