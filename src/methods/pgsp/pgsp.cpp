#include "methods/pgsp/pgsp.hpp"

#include <cmath>

#include "base/stage_clock.hpp"
#include "methods/spectral/spectral_method.hpp"

namespace palate {
namespace {

using Eigen::Index;

Eigen::VectorXd vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Index>(x.size()));
}

// The linear part, and beside it the directions that go by the row of R; then those that go by
// Rn_u = d_u^-1/2 r_u D_I^-1/2.
std::vector<SpectralTerm> terms_of(const Ratings& train, const Pgsp& settings) {
  SpectralTerm own = gf_cf_term(train, 0, settings.input);
  own.polynomial.coefficients = {0, settings.linear};
  own.before = powers(own.matrix.item_sums, -0.5);
  own.after = powers(own.matrix.item_sums, 0.5);
  SpectralTerm scaled;
  scaled.scale = TermScale::root;
  return {std::move(own), std::move(scaled)};
}

// A x of the graph of people and items, from R and its normalised forms.
class Together {
 public:
  Together(const Ratings& train, const GraphInput& input, ThreadPool& pool)
      : plain_(normalized(train, 0, input, {0, 0})),
        by_user_(normalized(train, 0, input, {0.5, 0})),
        by_item_(normalized(train, 0, input, {0, 0.5})),
        pool_(pool) {
    root_ = Eigen::VectorXd::Ones(users() + items());
    const Block sums = apply_plain(Block::Ones(users() + items(), 1));
    root_ = sums.col(0).unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0.0; });
  }

  [[nodiscard]] Index users() const { return static_cast<Index>(plain_.users()); }
  [[nodiscard]] Index items() const { return static_cast<Index>(plain_.items()); }
  /// An x
  [[nodiscard]] Block apply(const Block& x) const {
    const Block y = apply_plain(root_.asDiagonal() * x);
    return root_.asDiagonal() * y;
  }

 private:
  [[nodiscard]] Block apply_plain(const Block& x) const {
    const Block people = x.topRows(users());
    const Block things = x.bottomRows(items());
    Block out(x.rows(), x.cols());
    out.topRows(users()) =
        multiply(by_item_.by_user, multiply(by_item_.by_item, people, pool_), pool_) +
        multiply(plain_.by_user, things, pool_);
    out.bottomRows(items()) =
        multiply(plain_.by_item, people, pool_) +
        multiply(by_user_.by_item, multiply(by_user_.by_user, things, pool_), pool_);
    return out;
  }

  NormalizedMatrix plain_, by_user_, by_item_;
  ThreadPool& pool_;
  Eigen::VectorXd root_;  // D_A^-1/2
};

void add_directions(std::vector<SpectralTerm>& terms, const Pgsp& settings,
                    const Eigen::MatrixXd& vectors, ThreadPool& pool) {
  const NormalizedMatrix& rn = terms[0].matrix;
  const auto users = static_cast<Index>(rn.users());
  const auto items = static_cast<Index>(rn.items());
  const Block of_people =
      multiply(rn.by_user, multiply(rn.by_item, Block::Ones(users, 1), pool), pool);
  const std::vector<double> g(of_people.data(), of_people.data() + users);
  const Eigen::MatrixXd things = vectors.bottomRows(items);
  terms[0].left = vector_of(powers(rn.item_sums, -0.5)).asDiagonal() * things;
  const Block people = vector_of(powers(g, -0.5)).asDiagonal() * vectors.topRows(users);
  terms[1].left =
      vector_of(powers(rn.item_sums, -0.5)).asDiagonal() * multiply(rn.by_item, people, pool);
  terms[0].right =
      (1 - settings.linear) * vector_of(powers(rn.item_sums, 0.5)).asDiagonal() * things;
  terms[1].right = terms[0].right;
}

std::unique_ptr<const Recommender> load(const Parts& parts, const Pgsp& settings,
                                        const Ratings& train) {
  return SpectralRecommender::load(parts, terms_of(train, settings), settings.input, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_pgsp(const Ratings& train, const Pgsp& settings,
                                            const FitResources& resources) {
  check_memory(train, 4, settings.rank, resources);
  StageClock clock(resources.stages);
  std::vector<SpectralTerm> terms = terms_of(train, settings);
  const Together graph(train, settings.input, resources.pool);
  clock.done("graph");
  if (settings.linear < 1) {
    const LeadingPairs pairs = leading_pairs(
        train.users() + train.items(), settings.rank,
        [&](const Block& x) { return graph.apply(x); }, resources);
    add_directions(terms, settings, pairs.vectors, resources.pool);
  }
  clock.done("directions");
  return std::make_unique<SpectralRecommender>(terms, settings.input, train.items(),
                                               train.criteria().size());
}

MethodEntry pgsp_method() {
  Describe<Pgsp> method("pgsp", "PGSP",
                        "A linear filter, and an ideal one over a graph of people and items.");
  method
      .setting(&Pgsp::linear, {.name = "linear",
                               .help = "Share of the linear filter; the ideal one has the rest.",
                               .least = 0,
                               .most = 1})
      .setting(&Pgsp::rank, {.name = "rank",
                             .help = "Leading directions of the graph that the ideal filter lets "
                                     "through.",
                             .least = 1,
                             .most = 4096});
  describe_input(method);
  return method.can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_pgsp, load);
}

}  // namespace palate
