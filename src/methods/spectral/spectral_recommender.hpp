// Scores by polynomials of P = Rn^T Rn and by products of thin matrices, without any matrix of the
// size items x items:
//
//   score_u = sum over terms t of g_t(u) [ (x_ut * before) p_t(P_t) * after + (x_ut A_t) B_t^T ]
//
// where x_ut is the person's row of one criterion and * goes item by item.
#pragma once

#include <memory>
#include <vector>

#include "core/recommender.hpp"
#include "methods/spectral/normalized_matrix.hpp"
#include "ranking/scratches.hpp"

namespace palate {

/// sum_k c_k b_k(P): b_k(x) = x^k, or Chebyshev's polynomial T_k(1 - 2x), whose argument runs from
/// 1 where P is 0 to -1 where it is 1.
struct Polynomial {
  enum class Basis { power, chebyshev };
  std::vector<double> coefficients = {};
  Basis basis = Basis::power;

  [[nodiscard]] bool empty() const noexcept { return coefficients.empty(); }
};

/// p(P) x
[[nodiscard]] Block apply(const Polynomial& polynomial, const NormalizedMatrix& matrix,
                          const Block& x, ThreadPool& pool);

/// As a person's score of one term is multiplied by g.
enum class TermScale {
  one,
  root,  ///< (sum of x)^-1/2
  sum,   ///< 1 / the sum of the term's scores over all items, which then add up to 1
};

struct SpectralTerm {
  std::size_t criterion = 0;
  TermScale scale = TermScale::one;
  double factor = 1;
  Polynomial polynomial = {};  ///< empty: none
  NormalizedMatrix matrix = {};
  std::vector<double> before = {}, after = {};  ///< per item; empty: 1
  Eigen::MatrixXd left = {}, right = {};        ///< A and B; without columns: none
};

class SpectralRecommender final : public Recommender, public Explains, public FindsSimilar {
 public:
  struct Term;

  SpectralRecommender(const std::vector<SpectralTerm>& terms, const GraphInput& input,
                      std::size_t items, std::size_t criteria);
  /// `terms` without A and B, which come from the parts. Throws Error{corrupt}.
  [[nodiscard]] static std::unique_ptr<const SpectralRecommender> load(
      const Parts& parts, const std::vector<SpectralTerm>& terms, const GraphInput& input,
      const Ratings& train);
  ~SpectralRecommender() override;

  [[nodiscard]] std::size_t items() const noexcept override { return items_; }
  [[nodiscard]] std::size_t criteria() const noexcept override { return criteria_; }
  [[nodiscard]] CriterionSet signals() const noexcept override;
  [[nodiscard]] bool weighs_criteria() const noexcept override { return signals() != 1U; }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool& pool) const override;
  void score(const Query& query, std::span<float> scores) const override;
  [[nodiscard]] Attribution explain(const Query& query, std::uint32_t item) const override;
  void score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                          std::span<float> parts) const override;
  /// The items whose ratings add most to the score of `item`, for people who rated nothing else.
  [[nodiscard]] std::vector<ScoredItem> similar(std::uint32_t item, std::size_t top) const override;
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t bytes() const noexcept override;

 private:
  struct Panels;

  void score_panel(std::span<const Query> queries, Panels& panels) const;
  void term_scores(const Term& term, std::span<const Query> queries, Panels& panels) const;
  void filter_panel(const Term& term, Panels& panels) const;
  [[nodiscard]] double scale_of(const Term& term, const Query& query, const Panels& panels,
                                std::size_t lane) const;
  [[nodiscard]] std::vector<float> column(const Term& term, std::uint32_t item,
                                          Panels& panels) const;
  [[nodiscard]] std::vector<float> row_sums(const Term& term, Panels& panels) const;

  std::vector<Term> terms_;
  GraphInput input_;
  std::size_t items_, criteria_;
  std::size_t users_ = 0;
  mutable Scratches<Panels> scratch_;
};

}  // namespace palate
