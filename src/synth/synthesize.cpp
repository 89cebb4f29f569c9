#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "base/random.hpp"
#include "core/ratings_data.hpp"
#include "palate/error.hpp"
#include "palate/synth.hpp"
#include "synth/world.hpp"

namespace palate {
namespace {

constexpr std::size_t most_entities = 100'000'000;
constexpr double most_interactions = 4e9;
constexpr double activity_spread = 0.8;            // of the logarithm of a user's activity
constexpr double missing_spread = 0.6;             // between the criteria, relative
constexpr std::int64_t first_day = 1'546'300'800;  // 2019-01-01
constexpr double years = 5.0;                      // during which people join
constexpr double seconds_per_year = 365.25 * 86'400;

void require(bool holds, const char* what, const char* hint) {
  if (!holds) throw Error(ErrorCode::usage, what, {}, hint);
}

void check(const SynthOptions& options) {
  require(options.users > 0, "there must be at least one user", "ask for 1 or more users");
  require(options.items > 0, "there must be at least one item", "ask for 1 or more items");
  require(std::isfinite(options.ratings_per_user) && options.ratings_per_user >= 1,
          "ratings per user must be a number of at least 1", "25 is the default");
  require(options.ratings_per_user <= static_cast<double>(options.items),
          "ratings per user cannot be more than there are items",
          "ask for more items or for fewer ratings per user");
  require(options.missing >= 0 && options.missing < 1,
          "the share of missing criterion ratings must be at least 0 and below 1",
          "0.15 leaves out about one in seven");
  require(options.popularity_skew >= 0 && options.popularity_skew <= 4,
          "the popularity skew must lie between 0 and 4",
          "0 makes all items equally popular, about 1 is Zipf-like");
  require(options.taste_groups > 0, "there must be at least one taste group", "12 is the default");
  require(options.noise >= 0 && options.noise <= 10, "the noise must lie between 0 and 10",
          "it is a standard deviation on a scale from 1 to 5; 0.6 is the default");
  if (options.users > most_entities || options.items > most_entities ||
      static_cast<double>(options.users) * options.ratings_per_user > most_interactions) {
    throw Error(ErrorCode::too_large, "so many made-up ratings do not fit into memory", {},
                "stay below 100 million users or items and 4 thousand million ratings");
  }
  std::unordered_set<std::string> names = {"overall"};
  for (const std::string& name : options.criteria) {
    require(!name.empty(), "a criterion has an empty name", "name each criterion");
    if (!names.insert(name).second) {
      throw Error(ErrorCode::usage, "the criterion '" + name + "' is named twice", {},
                  "the overall rating is there already; name each further criterion once");
    }
  }
  if (names.size() > max_criteria) {
    throw Error(ErrorCode::too_large,
                std::to_string(names.size()) + " criteria are more than Palate can hold", {},
                "name at most " + std::to_string(max_criteria - 1) + " besides overall");
  }
}

// "u0001", ...: of one width, so that the order of bytes is the order of numbers.
std::vector<std::string> make_ids(char letter, std::size_t count) {
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(count).size());
  std::vector<std::string> ids;
  ids.reserve(count);
  for (std::size_t k = 1; k <= count; ++k) {
    const std::string number = std::to_string(k);
    ids.push_back(letter + std::string(digits - number.size(), '0') + number);
  }
  return ids;
}

// Log-normal above a least number, with the wanted mean. The closer the mean comes to all items,
// the more alike users become: nobody can rate more than there is.
std::vector<std::uint64_t> draw_offsets(const SynthOptions& options) {
  Random random(mix64(options.seed) ^ hash64("activity", 0));
  const double least = std::clamp(std::floor(options.ratings_per_user), 1.0, 3.0);
  const auto items = static_cast<double>(options.items);
  const double spread = activity_spread * (1.0 - options.ratings_per_user / items);
  std::vector<std::uint64_t> offsets = {0};
  offsets.reserve(options.users + 1);
  for (std::size_t u = 0; u < options.users; ++u) {
    const double factor = std::exp(spread * random.normal() - spread * spread / 2);
    const double wanted = least + (options.ratings_per_user - least) * factor + random.uniform();
    const double count = std::clamp(std::floor(wanted), 1.0, items);
    offsets.push_back(offsets.back() + static_cast<std::uint64_t>(count));
  }
  return offsets;
}

// Share of ratings left out per criterion: from rarely to often, the mean as wanted.
std::vector<double> missing_shares(const SynthOptions& options) {
  const std::size_t count = options.criteria.size();
  std::vector<double> shares(count, options.missing);
  if (count < 2 || options.missing == 0) return shares;
  const double spread = std::min(missing_spread, (1 - options.missing) / options.missing);
  for (std::size_t c = 0; c < count; ++c) {
    const double side = 2.0 * static_cast<double>(c) / static_cast<double>(count - 1) - 1.0;
    shares[c] = options.missing * (1.0 + spread * side);
  }
  return shares;
}

float to_stars(double value) { return static_cast<float>(std::clamp(std::round(value), 1.0, 5.0)); }

// Fills the rows of one user after another.
class Writer {
 public:
  Writer(const SynthOptions& options, const Places& places, Ratings::Data& data,
         std::vector<std::uint64_t> offsets)
      : options_(options),
        places_(places),
        data_(data),
        missing_(missing_shares(options)),
        width_(options.criteria.size() + 1),
        offsets_(std::move(offsets)),
        items_(offsets_.back()),
        values_(items_.size() * width_, 0.0F),
        present_(items_.size()),
        times_(options.times ? items_.size() : 0),
        tried_by_(options.items, 0),
        liking_(places.aspects()) {}

  void write_user(std::size_t user) {
    MadeUpPerson person(places_, mix64(options_.seed + 0x51ed27) ^ mix64(user));
    choose_items(person, static_cast<std::uint32_t>(user + 1), offsets_[user + 1] - offsets_[user]);
    Random& random = person.random();
    // A steady pace of the person's own, from a day of joining on.
    double clock = random.uniform() * years * seconds_per_year;
    const double pace = (3.0 + 25.0 * random.uniform()) * 86'400;
    if (options_.times) {
      for (Visit& visit : visits_) {
        clock += pace * (0.05 - std::log(1.0 - random.uniform()));
        visit.time = first_day + static_cast<std::int64_t>(clock);
      }
    }
    std::sort(visits_.begin(), visits_.end(),
              [](const Visit& a, const Visit& b) { return a.item < b.item; });
    for (std::size_t k = 0; k < visits_.size(); ++k)
      write_row(offsets_[user] + k, visits_[k], person);
  }

  void finish() {
    data_.offsets = std::move(offsets_);
    data_.items = std::move(items_);
    data_.values = std::move(values_);
    data_.present = std::move(present_);
    data_.times = std::move(times_);
  }

 private:
  struct Visit {
    std::uint32_t item = 0;
    std::int64_t time = 0;
  };

  void choose_items(MadeUpPerson& person, std::uint32_t mark, std::size_t count) {
    visits_.clear();
    const auto take = [&](std::uint32_t item) {
      if (tried_by_[item] == mark) return;
      tried_by_[item] = mark;
      visits_.push_back({item});
    };
    for (std::size_t tries = 0; visits_.size() < count && tries < 20 * count + 20; ++tries) {
      take(person.choose(places_));
    }
    // Tastes are used up: whatever comes next.
    std::size_t item = person.random().below(options_.items);
    while (visits_.size() < count) {
      take(static_cast<std::uint32_t>(item));
      item = item + 1 == options_.items ? 0 : item + 1;
    }
  }

  void write_row(std::size_t row, const Visit& visit, MadeUpPerson& person) {
    const double overall = person.judge(places_, visit.item, options_.noise, liking_);
    items_[row] = visit.item;
    values_[row * width_] = to_stars(overall);
    std::uint32_t present = 1;
    for (std::size_t c = 0; c + 1 < width_; ++c) {
      // People fill in what they care about; on average over people the share is missing_[c].
      const double reach = std::min(missing_[c], 1 - missing_[c]);
      if (person.random().uniform() < missing_[c] + reach * person.indifference(c)) continue;
      present |= 1U << (c + 1);
      values_[row * width_ + c + 1] = to_stars(liking_[c]);
    }
    present_[row] = present;
    if (options_.times) times_[row] = visit.time;
  }

  const SynthOptions& options_;
  const Places& places_;
  Ratings::Data& data_;
  std::vector<double> missing_;
  std::size_t width_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> items_;
  std::vector<float> values_;
  std::vector<std::uint32_t> present_;
  std::vector<std::int64_t> times_;
  std::vector<std::uint32_t> tried_by_;  // per item, the last user who took it, counted from 1
  std::vector<double> liking_;
  std::vector<Visit> visits_;
};

}  // namespace

Ratings synthesize(const SynthOptions& options) {
  check(options);
  Random random(mix64(options.seed) ^ hash64("places", 0));
  const Places places(options, random);

  auto catalogue = std::make_shared<Catalogue>();
  catalogue->users = StringTable(make_ids('u', options.users));
  catalogue->items = StringTable(make_ids('r', options.items));
  if (options.titles)
    catalogue->titles = StringTable(make_titles(places.group_of_items(), options.seed));
  catalogue->criteria.push_back({"overall", 1, 5});
  for (const std::string& name : options.criteria) catalogue->criteria.push_back({name, 1, 5});

  auto data = std::make_shared<Ratings::Data>();
  data->catalogue = std::move(catalogue);
  Writer writer(options, places, *data, draw_offsets(options));
  for (std::size_t u = 0; u < options.users; ++u) writer.write_user(u);
  writer.finish();
  return Ratings(std::move(data));
}

}  // namespace palate
