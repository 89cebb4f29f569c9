// Which test ratings count as liked.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/ratings_data.hpp"
#include "evaluation/evaluator.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

constexpr std::uint32_t overall_bit = 1;

template <typename Number>
std::string number(Number value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

// Five stars, whole or half: nobody has to have given the lowest or the highest.
bool five_stars(const Criterion& scale) {
  return scale.min >= 0.5F && scale.min < scale.max && scale.max > 4 && scale.max <= 5;
}

std::string threshold_text(const Ratings& train, const EvaluateOptions& options) {
  if (options.threshold) return number(*options.threshold);
  std::string usual = number(usual_threshold(train));
  const Criterion& scale = train.criteria()[0];
  if (five_stars(scale)) return usual;
  if (scale.min == scale.max) return usual + ", which every rating is";
  return usual + ", the middle of the scale " + number(scale.min) + " to " + number(scale.max);
}

std::vector<float> overall_ratings(const Ratings& ratings) {
  const Ratings::Data& data = ratings.data();
  const std::size_t width = ratings.criteria().size();
  std::vector<float> out;
  out.reserve(data.items.size());
  for (std::size_t k = 0; k < data.items.size(); ++k) {
    if ((data.present[k] & overall_bit) != 0) out.push_back(data.values[k * width]);
  }
  if (out.empty()) {
    throw Error(ErrorCode::bad_input,
                "nobody rated overall in train, so there is no mean or median to go by", {},
                "judge by a fixed threshold instead");
  }
  return out;
}

double median(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const float below = *std::max_element(values.begin(), middle);
  return (static_cast<double>(below) + static_cast<double>(*middle)) / 2;
}

// A user who rated nothing overall in train is judged by everybody's mean.
std::vector<double> user_means(const Ratings& train) {
  const std::vector<float> all = overall_ratings(train);
  double total = 0;
  for (const float value : all) total += static_cast<double>(value);
  const double everybody = total / static_cast<double>(all.size());
  const std::size_t width = train.criteria().size();
  std::vector<double> means(train.users(), everybody);
  for (std::uint32_t u = 0; u < train.users(); ++u) {
    const UserRatings row = train.of(u);
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if ((row.present[k] & overall_bit) == 0) continue;
      sum += static_cast<double>(row.values[k * width]);
      ++count;
    }
    if (count > 0) means[u] = sum / static_cast<double>(count);
  }
  return means;
}

template <class Rule>
std::vector<std::uint8_t> flags(const Ratings& test, Rule&& is_relevant) {
  std::vector<std::uint8_t> out;
  out.reserve(test.interactions());
  const std::size_t width = test.criteria().size();
  for (std::uint32_t u = 0; u < test.users(); ++u) {
    const UserRatings row = test.of(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool rated = (row.present[k] & overall_bit) != 0;
      out.push_back(rated && is_relevant(u, row.values[k * width]) ? 1 : 0);
    }
  }
  return out;
}

}  // namespace

double usual_threshold(const Ratings& ratings) {
  const Criterion& scale = ratings.criteria()[0];
  if (five_stars(scale)) return 3;
  return (static_cast<double>(scale.min) + static_cast<double>(scale.max)) / 2;
}

std::string relevance_text(const Ratings& train, const EvaluateOptions& options) {
  switch (options.rule) {
    case Relevance::at_least:
      return "overall >= " + threshold_text(train, options);
    case Relevance::above:
      return "overall > " + threshold_text(train, options);
    case Relevance::above_median:
      return "overall > " + number(median(overall_ratings(train))) + ", the median of train";
    case Relevance::above_user_mean:
      return "overall > the user's mean in train";
  }
  throw Error(ErrorCode::usage, "unknown rule of relevance");
}

std::vector<std::uint8_t> relevant_interactions(const Ratings& train, const Ratings& test,
                                                const EvaluateOptions& options) {
  if (train.users() != test.users() || train.items() != test.items() ||
      train.criteria().size() != test.criteria().size()) {
    throw Error(ErrorCode::usage, "train and test do not share one catalogue", {},
                "split one set of ratings, or read the test part against the train part");
  }
  const double limit = options.threshold.value_or(usual_threshold(train));
  if (!std::isfinite(limit)) {
    throw Error(ErrorCode::usage, "the threshold of relevance must be a finite number");
  }
  // Ratings are floats: 3.3 in a file and a threshold of 3.3 must mean the same number.
  const auto threshold = static_cast<float>(limit);
  switch (options.rule) {
    case Relevance::at_least:
      return flags(test, [=](std::uint32_t, float value) { return value >= threshold; });
    case Relevance::above:
      return flags(test, [=](std::uint32_t, float value) { return value > threshold; });
    case Relevance::above_median: {
      const double middle = median(overall_ratings(train));
      return flags(test, [=](std::uint32_t, float value) { return value > middle; });
    }
    case Relevance::above_user_mean: {
      const std::vector<double> means = user_means(train);
      return flags(test, [&](std::uint32_t user, float value) { return value > means[user]; });
    }
  }
  throw Error(ErrorCode::usage, "unknown rule of relevance");
}

}  // namespace palate
