#include "methods/chebycf/chebycf.hpp"

#include <cmath>
#include <numbers>

#include "methods/spectral/spectral_method.hpp"

namespace palate {

Polynomial plateau(std::size_t order, double flatness) {
  const auto points = static_cast<double>(order + 1);
  Polynomial out{.coefficients = std::vector(order + 1, 0.0),
                 .basis = Polynomial::Basis::chebyshev};
  for (std::size_t j = 0; j <= order; ++j) {
    const double angle = std::numbers::pi * (static_cast<double>(j) + 0.5) / points;
    const double t = std::cos(angle);
    const double h = 0.5 - std::copysign(0.5 * std::pow(std::abs(t), flatness), t);
    for (std::size_t k = 0; k <= order; ++k) {
      out.coefficients[k] +=
          (k == 0 ? 1 : 2) / points * h * std::cos(static_cast<double>(k) * angle);
    }
  }
  return out;
}

namespace {

SpectralTerm term_of(const Ratings& train, const ChebyCf& settings) {
  SpectralTerm term = gf_cf_term(train, 0, settings.input);
  term.polynomial = plateau(settings.order, settings.flatness);
  term.before = powers(term.matrix.item_sums, -settings.item_power);
  term.after = powers(term.matrix.item_sums, settings.item_power);
  return term;
}

std::unique_ptr<const Recommender> load(const Parts& parts, const ChebyCf& settings,
                                        const Ratings& train) {
  return OneGraph<ChebyCf>{term_of}.load(parts, settings, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_chebycf(const Ratings& train, const ChebyCf& settings,
                                               const FitResources& resources) {
  return OneGraph<ChebyCf>{term_of, settings.item_power}.fit(train, settings, resources);
}

MethodEntry chebycf_method() {
  Describe<ChebyCf> method("chebycf", "ChebyCF",
                           "A graph filter with a plateau, as a Chebyshev polynomial.");
  method
      .setting(&ChebyCf::order,
               {.name = "order", .help = "Degree of the polynomial.", .least = 1, .most = 32})
      .setting(&ChebyCf::flatness, {.name = "flatness",
                                    .help = "The larger, the flatter the middle of the response "
                                            "(phi).",
                                    .least = 0,
                                    .most = 32,
                                    .above_least = true})
      .setting(&ChebyCf::item_power,
               {.name = "item_power",
                .help = "The larger, the less a popular item says, and the more it is recommended "
                        "(b).",
                .least = 0,
                .most = 2});
  describe_ideal(method);
  describe_input(method);
  return method.can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_chebycf, load);
}

}  // namespace palate
