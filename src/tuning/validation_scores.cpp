#include "tuning/validation_scores.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"
#include "evaluation/evaluator.hpp"
#include "graph/panel_filter.hpp"
#include "ranking/computation.hpp"
#include "ranking/select.hpp"
#include "tuning/choose_settings.hpp"

namespace palate {
namespace {

using kernels::panel_width;

// Bounds of the sample, so that one trial stays below about a second: people, entries of a score
// matrix, and multiply-adds of one second-order pass.
constexpr std::size_t max_people = 2000;
constexpr double max_scores = 3.2e7;
constexpr double max_operations = 1.6e10;

}  // namespace

ValidationScores::ValidationScores(const Ratings& train, const Ratings& validation,
                                   const ChooseOptions& options, ThreadPool& pool,
                                   const Progress& progress, std::size_t memory)
    : train_(train),
      validation_(validation),
      relevant_(
          relevant_interactions(train, validation, {.threshold = liked_from(train, options)})),
      at_(options.at),
      pool_(pool) {
  std::size_t k = 0;
  for (std::uint32_t user = 0; user < validation.users(); ++user) {
    bool any = false;
    for (std::size_t n = validation.of(user).size(); n > 0; --n) any |= relevant_[k++] != 0;
    if (any && train.of(user).size() > 0) users_.push_back(user);
  }
  const CriterionSet all = first_criteria(train.criteria().size());
  const std::size_t neighbours = neighbours_that_fit(train, memory);
  graph_ = neighbours == 0 ? build_item_graph(train, all, pool, progress)
                           : build_bounded_graph(train, all, neighbours, pool, progress);
  const double items = std::max<double>(1, static_cast<double>(train.items()));
  const double entries = std::max<double>(1, static_cast<double>(graph_.pattern.entries()));
  const auto most = static_cast<std::size_t>(std::max(
      16.0,
      std::min({static_cast<double>(max_people), max_scores / items, max_operations / entries})));
  if (users_.size() > most) {
    // By a hash of the id: the sample depends on the seed and the ids alone.
    std::sort(users_.begin(), users_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return hash64(train.user_id(a), options.seed) < hash64(train.user_id(b), options.seed);
    });
    users_.resize(most);
    std::sort(users_.begin(), users_.end());
  }
}

const Array<float>& ValidationScores::adjusted(double power) const {
  if (adjusted_.empty() || power != adjusted_power_) {
    adjusted_ = hadamard_power(graph_.values, power, pool_);
    adjusted_power_ = power;
  }
  return adjusted_;
}

// visit(k, person, lane, panel) with the panel of x P_s^k, k = 1..order.
template <class Visit>
void ValidationScores::filter(const CriteriaPreference& preference, CriterionSet set, double power,
                              std::size_t order, const Visit& visit) const {
  const Array<float>& values = adjusted(power);
  const std::size_t width = train_.criteria().size();
  std::vector<std::unique_ptr<PanelFilter>> filters(pool_.size());
  pool_.for_chunks(
      users_.size(), panel_width, [&](std::size_t begin, std::size_t end, unsigned worker) {
        if (!filters[worker]) filters[worker] = std::make_unique<PanelFilter>(train_.items());
        std::vector<double> chat(width);
        for (std::size_t person = begin; person < end; ++person) {
          const UserRatings row = train_.of(users_[person]);
          preference.of(row, chat);
          for (std::size_t k = 0; k < row.size(); ++k) {
            double x = 0;
            for (CriterionSet rest = set; rest != 0; rest &= rest - 1) {
              const auto c = static_cast<std::size_t>(std::countr_zero(rest));
              x += chat[c] * static_cast<double>(row.values[k * width + c]);
            }
            filters[worker]->set(person - begin, row.items[k], static_cast<float>(x));
          }
        }
        filters[worker]->apply(graph_.pattern, values.span(), order,
                               [&](std::size_t k, const float* panel) {
                                 for (std::size_t person = begin; person < end; ++person) {
                                   visit(k, person, panel + (person - begin));
                                 }
                               });
      });
}

void ValidationScores::add_term(const CriteriaPreference& preference, CriterionSet set,
                                const Filter& term, Scores& scores) const {
  const std::size_t items = train_.items();
  scores.resize(people() * items, 0.0F);
  filter(preference, set, term.power, term.coefficients.size(),
         [&](std::size_t k, std::size_t person, const float* lane) {
           const auto a = static_cast<float>(term.coefficients[k - 1]);
           float* to = scores.data() + person * items;
           for (std::size_t i = 0; i < items; ++i) to[i] += a * lane[i * panel_width];
         });
}

void ValidationScores::powers(const CriteriaPreference& preference, std::size_t criterion,
                              double power, Scores& first, Scores& second) const {
  const std::size_t items = train_.items();
  first.resize(people() * items);
  second.resize(people() * items);
  filter(preference, CriterionSet{1} << criterion, power, 2,
         [&](std::size_t k, std::size_t person, const float* lane) {
           float* to = (k == 1 ? first : second).data() + person * items;
           for (std::size_t i = 0; i < items; ++i) to[i] = lane[i * panel_width];
         });
}

double ValidationScores::ndcg(const Scores& rest, float a, const Scores& first, float b,
                              const Scores& second) const {
  const std::size_t items = train_.items();
  std::vector<std::vector<ScoredItem>> lists(people());
  pool_.for_chunks(people(), 16, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> row(items);
    for (std::size_t person = begin; person < end; ++person) {
      const std::size_t from = person * items;
      for (std::size_t i = 0; i < items; ++i) {
        float score = rest[from + i];
        if (a != 0) score += a * first[from + i];
        if (b != 0) score += b * second[from + i];
        row[i] = score;
      }
      lists[person] = select_top({.ratings = train_.of(users_[person]), .top = at_}, row);
    }
  });
  return mean_ndcg(lists, users_, validation_, relevant_, at_);
}

}  // namespace palate
