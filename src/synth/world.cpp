#include "synth/world.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace palate {
namespace {

// Of a person's choices: by what everybody does, else by the person's own taste.
constexpr double follows_the_crowd = 0.25;
// Of choices by taste: minds the aspects that the person cares about, else any of the group.
constexpr double minds_aspects = 0.9;

constexpr double middle = 3.45;          // a plain place
constexpr double quality_spread = 0.40;  // between places, in every aspect
constexpr double strong = 1.8;           // more in the aspect that a place is known for
constexpr double weak = -1.2;            // less in the others
constexpr double aspect_spread = 0.25;   // between places, per aspect
constexpr double own_taste = 0.55;       // more for the favourite group
constexpr double foreign_taste = -0.35;  // less for groups the person does not seek
constexpr double mood_spread = 0.30;     // between people
constexpr double stretch = 1.6;          // sharpens the weights over aspects

// The overall rating is given in passing, criteria with some thought. Without this difference the
// overall rating says all there is to know and criteria add nothing to recommendations: tried with
// equal noise and with sharper weights in the overall rating.
constexpr double aspect_noise = 0.6;
constexpr double overall_noise = 1.5;

double exponential(Random& random) { return -std::log(1.0 - random.uniform()); }

// Dirichlet-like: positive, uneven, sums to 1.
void draw_weights(std::vector<double>& weights, Random& random) {
  double sum = 0;
  for (double& weight : weights) {
    weight = std::pow(exponential(random) + 1e-3, stretch);
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
}

std::size_t draw_index(std::span<const double> shares, Random& random) {
  double left = random.uniform();
  for (std::size_t k = 0; k + 1 < shares.size(); ++k) {
    if (left < shares[k]) return k;
    left -= shares[k];
  }
  return shares.size() - 1;
}

// Popularity of the item at each place of a random ranking: (rank + a few)^-skew. The shift keeps
// the first item from taking everything, as real catalogues do.
std::vector<double> draw_popularity(std::size_t items, double skew, Random& random) {
  std::vector<std::uint32_t> rank(items);
  std::iota(rank.begin(), rank.end(), 0U);
  for (std::size_t k = items; k > 1; --k) std::swap(rank[k - 1], rank[random.below(k)]);
  std::vector<double> weight(items);
  for (std::size_t i = 0; i < items; ++i) {
    weight[i] = std::pow(static_cast<double>(rank[i]) + 3.0, -skew);
  }
  return weight;
}

}  // namespace

Places::Places(const SynthOptions& options, Random& random)
    : aspects_(std::max<std::size_t>(options.criteria.size(), 1)),
      groups_(std::min(options.taste_groups, options.items)),
      group_(options.items),
      merits_(options.items * aspects_),
      order_(options.items),
      cumulative_(options.items),
      cells_(groups_ * aspects_ + 1, 0) {
  const std::vector<double> popularity =
      draw_popularity(options.items, options.popularity_skew, random);
  std::vector<std::size_t> cell(options.items);
  for (std::size_t i = 0; i < options.items; ++i) {
    const std::size_t group = random.below(groups_);
    const std::size_t strength = random.below(aspects_);
    const double quality = middle + quality_spread * random.normal();
    group_[i] = static_cast<std::uint32_t>(group);
    for (std::size_t a = 0; a < aspects_; ++a) {
      const double known_for = aspects_ == 1 ? 0.0 : (a == strength ? strong : weak);
      merits_[i * aspects_ + a] =
          static_cast<float>(quality + known_for + aspect_spread * random.normal());
    }
    cell[i] = group * aspects_ + strength;
    ++cells_[cell[i] + 1];
  }
  std::partial_sum(cells_.begin(), cells_.end(), cells_.begin());
  std::vector<std::size_t> next(cells_.begin(), cells_.end() - 1);
  for (std::size_t i = 0; i < options.items; ++i) {
    order_[next[cell[i]]++] = static_cast<std::uint32_t>(i);
  }
  double sum = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    sum += popularity[order_[k]];
    cumulative_[k] = sum;
  }
}

std::uint32_t Places::draw_between(std::size_t begin, std::size_t end, Random& random) const {
  const double low = begin == 0 ? 0.0 : cumulative_[begin - 1];
  const double mark = low + random.uniform() * (cumulative_[end - 1] - low);
  const auto from = cumulative_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to = cumulative_.begin() + static_cast<std::ptrdiff_t>(end - 1);
  return order_[static_cast<std::size_t>(std::upper_bound(from, to, mark) - cumulative_.begin())];
}

std::uint32_t Places::draw(Random& random) const { return draw_between(0, order_.size(), random); }

std::uint32_t Places::draw(std::size_t group, std::size_t strength, Random& random) const {
  const std::size_t cell = group * aspects_ + strength;
  const std::size_t first = group * aspects_;
  if (random.uniform() < minds_aspects && cells_[cell] < cells_[cell + 1]) {
    return draw_between(cells_[cell], cells_[cell + 1], random);
  }
  if (cells_[first] < cells_[first + aspects_]) {
    return draw_between(cells_[first], cells_[first + aspects_], random);
  }
  return draw(random);
}

MadeUpPerson::MadeUpPerson(const Places& places, std::uint64_t seed)
    : random_(seed), weight_(places.aspects()) {
  double sum = 0;
  for (std::size_t k = 0; k < favourites; ++k) {
    group_[k] = random_.below(places.groups());
    share_[k] = (0.4 + random_.uniform()) / std::pow(static_cast<double>(k + 1), 1.3);
    sum += share_[k];
  }
  for (double& share : share_) share /= sum;
  draw_weights(weight_, random_);
  const auto count = static_cast<double>(weight_.size());
  for (const double weight : weight_) {
    attention_.push_back(std::min(1.0, weight * count));
    // Rank of the weight, from -1 for what matters most to 1 for what matters least.
    const auto above = std::count_if(weight_.begin(), weight_.end(),
                                     [weight](double other) { return other > weight; });
    indifference_.push_back(count < 2 ? 0.0 : 2.0 * static_cast<double>(above) / (count - 1) - 1.0);
  }
  mood_ = mood_spread * random_.normal();
}

std::uint32_t MadeUpPerson::choose(const Places& places) {
  if (random_.uniform() < follows_the_crowd) return places.draw(random_);
  const std::size_t group = group_[draw_index(share_, random_)];
  return places.draw(group, draw_index(weight_, random_), random_);
}

double MadeUpPerson::taste_for(std::size_t group) const noexcept {
  double taste = foreign_taste;
  for (std::size_t k = 0; k < favourites; ++k) {
    if (group_[k] == group) taste = std::max(taste, own_taste * (0.5 + share_[k]));
  }
  return taste;
}

double MadeUpPerson::judge(const Places& places, std::uint32_t item, double noise,
                           std::span<double> aspects) {
  const std::span<const float> merits = places.merits(item);
  const double lean = mood_ + taste_for(places.group_of(item));
  double sum = 0;
  for (std::size_t a = 0; a < aspects.size(); ++a) {
    // What a person does not care about hardly moves them: it is called middling, and so counts for
    // little in the mean. This is how each person weighs the criteria.
    const double moved = attention_[a] * (static_cast<double>(merits[a]) - middle);
    aspects[a] = middle + lean + moved + aspect_noise * noise * random_.normal();
    sum += aspects[a];
  }
  return sum / static_cast<double>(aspects.size()) + overall_noise * noise * random_.normal();
}

}  // namespace palate
