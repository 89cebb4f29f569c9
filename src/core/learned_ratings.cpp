#include "core/learned_ratings.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "core/ratings_data.hpp"

namespace palate {

std::vector<std::uint32_t> learned_positions(
    std::size_t count, const std::function<std::string_view(std::size_t)>& item_id,
    std::size_t most) {
  constexpr std::uint64_t seed = 0x6c6561726eULL;
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0U);
  if (count <= most) return out;
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t k = 0; k < count; ++k) hashes[k] = hash64(item_id(k), seed);
  // Equal hashes of different ids: by id, so that the order of the ratings does not matter.
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : item_id(a) < item_id(b);
  };
  std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(most), out.end(), before);
  out.resize(most);
  std::sort(out.begin(), out.end());
  return out;
}

Ratings learned_ratings(const Ratings& all, std::size_t most) {
  const Ratings::Data& from = all.data();
  bool enough = true;
  for (std::size_t u = 0; u < all.users(); ++u) {
    enough = enough && from.offsets[u + 1] - from.offsets[u] <= most;
  }
  if (enough) return all;
  const std::size_t width = all.criteria().size();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> items, present;
  std::vector<float> values;
  std::vector<std::int64_t> times;
  for (std::uint32_t u = 0; u < all.users(); ++u) {
    const UserRatings row = all.of(u);
    const auto id = [&](std::size_t k) { return all.item_id(row.items[k]); };
    for (const std::uint32_t k : learned_positions(row.size(), id, most)) {
      items.push_back(row.items[k]);
      present.push_back(row.present[k]);
      const auto first = row.values.begin() + static_cast<std::ptrdiff_t>(k * width);
      values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(width));
      if (!from.times.empty()) times.push_back(from.times[from.offsets[u] + k]);
    }
    offsets.push_back(items.size());
  }
  auto data = std::make_shared<Ratings::Data>();
  data->catalogue = from.catalogue;
  data->offsets = Array<std::uint64_t>(std::move(offsets));
  data->items = Array<std::uint32_t>(std::move(items));
  data->values = Array<float>(std::move(values));
  data->present = Array<std::uint32_t>(std::move(present));
  data->times = Array<std::int64_t>(std::move(times));
  return Ratings(std::move(data));
}

}  // namespace palate
