// Rules are learned as they are used: items are told from what is left, then people from their
// ratings that are left, then what was held back is predicted.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "prediction/prediction.hpp"

namespace palate {
namespace {

constexpr std::array<double, 7> priors = {0.5, 1, 2, 5, 10, 20, 50};
constexpr std::uint64_t held_back = 5;  // one in so many

enum class Fate { kept, chooses, measures };

// By indices, which follow the order of ids: the order of rows does not matter.
Fate fate_of(std::uint32_t person, std::uint32_t item) {
  const std::uint64_t chance = mix64(mix64(person) ^ item) >> 8;
  if (chance % held_back != 0) return Fate::kept;
  return chance / held_back % 2 == 0 ? Fate::chooses : Fate::measures;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Absolute errors, added up.
struct Errors {
  double sum = 0;
  std::size_t count = 0;

  void add(double error) {
    sum += std::abs(error);
    ++count;
  }
  [[nodiscard]] double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

// Guesses that need no rule: the median and the mean of all ratings, the mean of the item's and of
// the person's, or the mean of all where there are none.
class Plain {
 public:
  void add(double value, double middle, double mean, const ItemTotal& item, const ItemTotal& own) {
    errors_[0].add(value - middle);
    errors_[1].add(value - mean);
    errors_[2].add(value - (item.count > 0 ? item.mean() : mean));
    errors_[3].add(value - (own.count > 0 ? own.mean() : mean));
  }
  /// Of the best.
  [[nodiscard]] double mean() const {
    double least = errors_[0].mean();
    for (const Errors& one : errors_) least = std::min(least, one.mean());
    return least;
  }

 private:
  std::array<Errors, 4> errors_;
};

struct Rated {
  std::uint32_t item;
  double value;
  bool chooses;  // of what is held back; the rest measures
};

// The ratings of one criterion, person after person.
struct Sample {
  struct Ends {
    std::size_t kept, held;
  };
  std::vector<Rated> kept, held;
  std::vector<Ends> people;

  /// Take: (kept of one person, held of the same). Of those of whom something is held back.
  template <class Take>
  void each_person(const Take& take) const {
    Ends from{0, 0};
    for (const Ends& to : people) {
      take(std::span(kept).subspan(from.kept, to.kept - from.kept),
           std::span(held).subspan(from.held, to.held - from.held));
      from = to;
    }
  }
};

std::vector<Sample> samples_of(const Learning& from, std::span<const std::uint32_t> people) {
  const std::size_t width = from.criteria.size();
  std::vector<Sample> out(width);
  for (const std::uint32_t person : people) {
    const UserRatings row = from.row(person);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Fate fate = fate_of(person, row.items[k]);
      for (std::size_t c = 0; c < width; ++c) {
        if ((row.present[k] >> c & 1U) == 0) continue;
        (fate == Fate::kept ? out[c].kept : out[c].held)
            .push_back({row.items[k], static_cast<double>(row.values[k * width + c]),
                        fate == Fate::chooses});
      }
    }
    for (Sample& of : out) of.people.push_back({of.kept.size(), of.held.size()});
  }
  return out;
}

// One value for each prior: what follows from all of them is worked out in one pass.
using PerPrior = std::array<double, priors.size()>;

// Ratings of one criterion, with what was held back taken out of the totals.
class OneCriterion {
 public:
  OneCriterion(const Learning& from, std::size_t criterion, const Sample& sample)
      : sample_(sample), scale_(from.criteria[criterion]), totals_(from.items) {
    for (std::uint32_t item = 0; item < from.items; ++item) {
      totals_[item] = from.total(item, criterion);
      all_.sum += totals_[item].sum;
      all_.count += totals_[item].count;
    }
    left_ = all_;
    for (const Rated& one : sample.held) {
      for (ItemTotal* total : {&totals_[one.item], &left_}) {
        total->sum -= one.value;
        --total->count;
      }
    }
    mean_ = left_.mean();
  }

  [[nodiscard]] PredictionRule learn() const {
    PredictionRule best = with_best_priors();
    best.mean = all_.mean();
    measure(best);
    best.trivial_mae = trivial();
    return best;
  }

 private:
  [[nodiscard]] double level(std::uint32_t item, double prior) const {
    const auto n = static_cast<double>(totals_[item].count);
    return mean_ + (totals_[item].sum - n * mean_) / (n + prior);
  }
  [[nodiscard]] PerPrior levels(std::uint32_t item) const {
    PerPrior out;
    for (std::size_t p = 0; p < priors.size(); ++p) out[p] = level(item, priors[p]);
    return out;
  }

  // The pair of priors with the least squared error on what chooses.
  [[nodiscard]] PredictionRule with_best_priors() const {
    std::array<PerPrior, priors.size()> squares{};  // by the item's prior, then by the person's
    sample_.each_person([&](std::span<const Rated> kept, std::span<const Rated> held) {
      if (std::ranges::none_of(held, &Rated::chooses)) return;
      PerPrior above{};
      for (const Rated& one : kept) {
        const PerPrior level = levels(one.item);
        for (std::size_t p = 0; p < priors.size(); ++p) above[p] += one.value - level[p];
      }
      const auto n = static_cast<double>(kept.size());
      for (const Rated& one : held) {
        if (!one.chooses) continue;
        const PerPrior level = levels(one.item);
        for (std::size_t p = 0; p < priors.size(); ++p) {
          for (std::size_t q = 0; q < priors.size(); ++q) {
            const double error = one.value - level[p] - above[p] / (n + priors[q]);
            squares[p][q] += error * error;
          }
        }
      }
    });
    PredictionRule best{.item_prior = priors[0], .user_prior = priors[0]};
    double least = squares[0][0];
    for (std::size_t p = 0; p < priors.size(); ++p) {
      for (std::size_t q = 0; q < priors.size(); ++q) {
        if (squares[p][q] >= least) continue;
        least = squares[p][q];
        best.item_prior = priors[p];
        best.user_prior = priors[q];
      }
    }
    return best;
  }

  // The shift from what chooses, the error from what measures.
  void measure(PredictionRule& rule) const {
    std::vector<double> left;
    std::vector<std::pair<double, double>> measured;  // value and guess before the shift
    sample_.each_person([&](std::span<const Rated> kept, std::span<const Rated> held) {
      if (held.empty()) return;
      double above = 0;
      for (const Rated& one : kept) above += one.value - level(one.item, rule.item_prior);
      const double offset = above / (static_cast<double>(kept.size()) + rule.user_prior);
      for (const Rated& one : held) {
        const double guess = level(one.item, rule.item_prior) + offset;
        if (one.chooses) {
          left.push_back(one.value - guess);
        } else {
          measured.emplace_back(one.value, guess);
        }
      }
    });
    rule.shift = median(std::move(left));
    Errors errors;
    for (const auto& [value, guess] : measured) {
      errors.add(value - std::clamp(guess + rule.shift, static_cast<double>(scale_.min),
                                    static_cast<double>(scale_.max)));
    }
    rule.mae = errors.mean();
    rule.ratings = errors.count;
  }

  [[nodiscard]] double trivial() const {
    std::vector<double> values;
    values.reserve(sample_.kept.size());
    for (const Rated& one : sample_.kept) values.push_back(one.value);
    const double middle = median(std::move(values));
    Plain plain;
    sample_.each_person([&](std::span<const Rated> kept, std::span<const Rated> held) {
      ItemTotal own;
      for (const Rated& one : kept) own.sum += one.value;
      own.count = kept.size();
      for (const Rated& one : held) {
        if (!one.chooses) plain.add(one.value, middle, mean_, totals_[one.item], own);
      }
    });
    return plain.mean();
  }

  const Sample& sample_;
  const Criterion& scale_;
  std::vector<ItemTotal> totals_;  // of what is left
  ItemTotal all_, left_;
  double mean_ = 0;  // of what is left
};

// Spread evenly over all, so that what they have rated is about what is enough.
std::vector<std::uint32_t> some_of(const Learning& from) {
  std::size_t ratings = 0;
  for (const std::uint32_t person : from.people) ratings += from.row(person).size();
  std::vector<std::uint32_t> out(from.people.begin(), from.people.end());
  if (ratings <= ratings_for_rules) return out;
  const std::size_t people = out.size() * ratings_for_rules / ratings;
  for (std::size_t k = 0; k < people; ++k) out[k] = from.people[k * from.people.size() / people];
  out.resize(people);
  return out;
}

}  // namespace

std::vector<PredictionRule> learn_rules(const Learning& from, ThreadPool& pool) {
  const std::vector<Sample> samples = samples_of(from, some_of(from));
  std::vector<PredictionRule> out(samples.size());
  pool.for_chunks(out.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t c = begin; c < end; ++c) {
      out[c] = OneCriterion(from, c, samples[c]).learn();
    }
  });
  return out;
}

std::vector<PredictionRule> measure_rules(std::span<const PredictionRule> rules,
                                          const Learning& train, const RowOf& test) {
  const std::size_t width = rules.size();
  const auto each_of = [&](const UserRatings& row, const auto& take) {
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      if ((row.present[k / width] >> (k % width) & 1U) == 0) continue;
      take(row.items[k / width], k % width, static_cast<double>(row.values[k]));
    }
  };
  std::vector<std::vector<double>> values(width);
  for (const std::uint32_t person : train.people) {
    each_of(train.row(person), [&](std::uint32_t /*item*/, std::size_t c, double value) {
      values[c].push_back(value);
    });
  }
  std::vector<double> middle;
  for (std::vector<double>& of_criterion : values)
    middle.push_back(median(std::move(of_criterion)));

  const Predictor predictor(rules, train.criteria, train.total);
  std::vector<Errors> ours(width);
  std::vector<Plain> plain(width);
  std::vector<float> guess(width);
  for (const std::uint32_t person : train.people) {
    const UserRatings before = train.row(person);
    std::vector<ItemTotal> own(width);
    each_of(before, [&](std::uint32_t /*item*/, std::size_t c, double value) {
      own[c].sum += value;
      ++own[c].count;
    });
    const std::vector<float> offsets = predictor.offsets(before);
    each_of(test(person), [&](std::uint32_t item, std::size_t c, double value) {
      if (!rules[c].holds()) return;
      predictor.predict(offsets, item, guess);
      ours[c].add(value - static_cast<double>(guess[c]));
      plain[c].add(value, middle[c], rules[c].mean, train.total(item, c), own[c]);
    });
  }
  std::vector<PredictionRule> out(rules.begin(), rules.end());
  for (std::size_t c = 0; c < width; ++c) {
    out[c].mae = ours[c].mean();
    out[c].trivial_mae = plain[c].mean();
    out[c].ratings = ours[c].count;
  }
  return out;
}

}  // namespace palate
