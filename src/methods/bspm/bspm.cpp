#include "methods/bspm/bspm.hpp"

#include "methods/spectral/spectral_method.hpp"

namespace palate {
namespace {

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  }
  return out;
}

// What sharpening makes of y_0 = y, as a polynomial of P; `first`: how often y itself counts among
// the states that are averaged.
Polynomial sharpened(const Bspm& settings, double first) {
  if (settings.steps == 0) return {.coefficients = {1}};
  const double h = settings.time / static_cast<double>(settings.steps);
  std::vector<double> step = {1, -h};
  if (settings.solver == Bspm::Solver::runge_kutta) {
    step = {1, -h, h * h / 2, -h * h * h / 6, h * h * h * h / 24};
  }
  std::vector<double> state = {1};
  std::vector<double> sum = {first};
  for (std::size_t k = 0; k < settings.steps; ++k) {
    state = product(state, step);
    sum.resize(state.size(), 0.0);
    for (std::size_t n = 0; n < state.size(); ++n) sum[n] += state[n];
  }
  if (!settings.average) return {.coefficients = state};
  for (double& c : sum) c /= static_cast<double>(settings.steps) + 1;
  return {.coefficients = sum};
}

SpectralTerm term_of(const Ratings& train, const Bspm& settings) {
  SpectralTerm term = gf_cf_term(train, 0, settings.input);
  term.polynomial.coefficients = product({0, 1}, sharpened(settings, 1).coefficients);
  return term;
}

std::unique_ptr<const Recommender> load(const Parts& parts, const Bspm& settings,
                                        const Ratings& train) {
  return OneGraph<Bspm>{term_of}.load(parts, settings, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_bspm(const Ratings& train, const Bspm& settings,
                                            const FitResources& resources) {
  const bool early = settings.merge == Bspm::Merge::early;
  return OneGraph<Bspm>{term_of, 0.5}.fit(train, settings, resources,
                                          early ? sharpened(settings, 0) : Polynomial{});
}

MethodEntry bspm_method() {
  Describe<Bspm> method("bspm", "BSPM", "Ratings blurred over the graph and sharpened again.");
  method
      .setting(&Bspm::merge, {.name = "merge",
                              .help = "Whether the ideal filter is added before sharpening or "
                                      "after it.",
                              .choices = {"early", "late"}})
      .setting(&Bspm::solver, {.name = "solver",
                               .help = "How the equation of sharpening is solved.",
                               .choices = {"euler", "runge-kutta"}})
      .setting(&Bspm::steps, {.name = "steps",
                              .help = "Steps of sharpening; 0: none, which is the linear filter.",
                              .most = 10})
      .setting(&Bspm::time,
               {.name = "time", .help = "How long sharpening goes on.", .least = 0, .most = 10})
      .setting(&Bspm::average, {.name = "average",
                                .help = "The mean of the blurred and all sharpened states instead "
                                        "of the last one."});
  describe_ideal(method);
  describe_input(method);
  return method.can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_bspm, load);
}

}  // namespace palate
