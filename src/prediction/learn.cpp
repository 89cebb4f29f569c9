// Rules are learned as they are used: items are told from what is left, then people from their
// ratings that are left, then what was held back is predicted.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
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

// Ratings of one criterion, with what was held back taken out of the totals.
class OneCriterion {
 public:
  OneCriterion(const Learning& from, std::size_t criterion)
      : from_(from), c_(criterion), totals_(from.items) {
    for (std::uint32_t item = 0; item < from.items; ++item) {
      totals_[item] = from.total(item, c_);
      all_.sum += totals_[item].sum;
      all_.count += totals_[item].count;
    }
    left_ = all_;
    each_held([&](std::uint32_t /*person*/, std::uint32_t item, double value, Fate /*fate*/) {
      for (ItemTotal* total : {&totals_[item], &left_}) {
        total->sum -= value;
        --total->count;
      }
    });
  }

  [[nodiscard]] PredictionRule learn() const {
    PredictionRule best;
    double least = -1;
    for (const double item_prior : priors) {
      std::array<double, priors.size()> squares{};
      each_guess(item_prior, [&](double value, Fate fate, double level, double sum, double n) {
        if (fate != Fate::chooses) return;
        for (std::size_t k = 0; k < priors.size(); ++k) {
          squares[k] += std::pow(value - level - sum / (n + priors[k]), 2);
        }
      });
      for (std::size_t k = 0; k < priors.size(); ++k) {
        if (least >= 0 && squares[k] >= least) continue;
        least = squares[k];
        best.item_prior = item_prior;
        best.user_prior = priors[k];
      }
    }
    best.mean = all_.mean();
    measure(best);
    best.trivial_mae = trivial();
    return best;
  }

 private:
  template <class Take>  // (item, value, fate)
  void each_of(std::uint32_t person, const Take& take) const {
    const UserRatings row = from_.row(person);
    const std::size_t width = from_.criteria.size();
    for (std::size_t k = 0; k < row.size(); ++k) {
      if ((row.present[k] >> c_ & 1U) == 0) continue;
      take(row.items[k], static_cast<double>(row.values[k * width + c_]),
           fate_of(person, row.items[k]));
    }
  }
  template <class Take>
  void each_held(const Take& take) const {
    for (const std::uint32_t person : from_.people) {
      each_of(person, [&](std::uint32_t item, double value, Fate fate) {
        if (fate != Fate::kept) take(person, item, value, fate);
      });
    }
  }
  // Of each rating held back: what the item is rated, and sum and number of what the person rates
  // above that. Take: (value, fate, level, sum, n).
  template <class Take>
  void each_guess(double item_prior, const Take& take) const {
    const double mean = left_.mean();
    const auto level = [&](std::uint32_t item) {
      const auto n = static_cast<double>(totals_[item].count);
      return mean + (totals_[item].sum - n * mean) / (n + item_prior);
    };
    for (const std::uint32_t person : from_.people) {
      double sum = 0;
      double n = 0;
      each_of(person, [&](std::uint32_t item, double value, Fate fate) {
        if (fate != Fate::kept) return;
        sum += value - level(item);
        ++n;
      });
      each_of(person, [&](std::uint32_t item, double value, Fate fate) {
        if (fate != Fate::kept) take(value, fate, level(item), sum, n);
      });
    }
  }

  void measure(PredictionRule& rule) const {
    const Criterion& scale = from_.criteria[c_];
    std::vector<double> left;
    each_guess(rule.item_prior, [&](double value, Fate fate, double level, double sum, double n) {
      if (fate == Fate::chooses) left.push_back(value - level - sum / (n + rule.user_prior));
    });
    rule.shift = median(std::move(left));
    Errors errors;
    each_guess(rule.item_prior, [&](double value, Fate fate, double level, double sum, double n) {
      if (fate != Fate::measures) return;
      const double guess = level + rule.shift + sum / (n + rule.user_prior);
      errors.add(value -
                 std::clamp(guess, static_cast<double>(scale.min), static_cast<double>(scale.max)));
    });
    rule.mae = errors.mean();
    rule.ratings = errors.count;
  }

  [[nodiscard]] double trivial() const {
    std::vector<double> values;
    for (const std::uint32_t person : from_.people) {
      each_of(person, [&](std::uint32_t /*item*/, double value, Fate fate) {
        if (fate == Fate::kept) values.push_back(value);
      });
    }
    const double middle = median(std::move(values));
    Plain plain;
    for (const std::uint32_t person : from_.people) {
      ItemTotal own;
      each_of(person, [&](std::uint32_t /*item*/, double value, Fate fate) {
        if (fate != Fate::kept) return;
        own.sum += value;
        ++own.count;
      });
      each_of(person, [&](std::uint32_t item, double value, Fate fate) {
        if (fate == Fate::measures) plain.add(value, middle, left_.mean(), totals_[item], own);
      });
    }
    return plain.mean();
  }

  const Learning& from_;
  std::size_t c_;
  std::vector<ItemTotal> totals_;  // of what is left
  ItemTotal all_, left_;
};

}  // namespace

std::vector<PredictionRule> learn_rules(const Learning& from) {
  std::vector<PredictionRule> out;
  for (std::size_t c = 0; c < from.criteria.size(); ++c) {
    out.push_back(OneCriterion(from, c).learn());
  }
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
