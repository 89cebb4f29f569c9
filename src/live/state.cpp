#include "live/state.hpp"

#include <algorithm>

namespace palate::live {

bool Base::bounds_needed(std::size_t values) const noexcept {
  return !higher && std::any_of(second.begin(), second.end(),
                                [&](std::size_t b) { return plan->branches[b].values == values; });
}

std::shared_ptr<const Links> covering(std::shared_ptr<const Links> links, const Base& base,
                                      std::size_t items) {
  if (links->items >= items) return links;
  auto next = std::make_shared<Links>(*links);
  next->items = items;
  const std::uint64_t edition = new_edition();
  const auto longer = [&](const Floats& old, float fill) {
    auto out = std::make_shared<std::vector<float>>(*old);
    out->resize(next->stride(), fill);
    return out;
  };
  for (Graph& graph : next->graphs) {
    while (graph.rows.size() < items) graph.rows.push_back({}, edition);
    if (graph.shift->size() < next->stride()) graph.shift = longer(graph.shift, 0.0F);
  }
  for (std::size_t v = 0; v < next->bounds.size(); ++v) {
    Bounds& bounds = next->bounds[v];
    if (!base.bounds_needed(v)) continue;
    if (bounds.ratio->size() < next->stride()) {
      bounds.ratio = longer(bounds.ratio, 1.0F);
      bounds.reach = longer(bounds.reach, 0.0F);
    }
    while (bounds.blocks.size() < next->blocks()) {
      BoundBlock block;
      block.directions.assign(base.directions[v].size() * block_width * block_width, 0.0F);
      bounds.blocks.push_back(std::move(block), edition);
    }
  }
  return next;
}

std::optional<std::uint32_t> State::user_index(std::string_view id) const noexcept {
  if (const auto user = base->ratings.find_user(id)) return user;
  const auto added = added_users.find(id);
  if (!added) return std::nullopt;
  return static_cast<std::uint32_t>(base->ratings.users()) + *added;
}

std::optional<std::uint32_t> State::item_index(std::string_view id) const noexcept {
  if (const auto item = base->ratings.find_item(id)) return item;
  const auto added = added_items.find(id);
  if (!added) return std::nullopt;
  return static_cast<std::uint32_t>(base->ratings.items()) + *added;
}

std::optional<std::uint32_t> State::find_user(std::string_view id) const noexcept {
  const auto user = user_index(id);
  return user && users[*user].known ? user : std::nullopt;
}

std::optional<std::uint32_t> State::find_item(std::string_view id) const noexcept {
  const auto item = item_index(id);
  return item && (*known_items)[*item] != 0 ? item : std::nullopt;
}

std::string_view State::user_id(std::uint32_t user) const noexcept {
  const std::size_t fitted = base->ratings.users();
  return user < fitted ? base->ratings.user_id(user) : added_users[user - fitted];
}

std::string_view State::item_id(std::uint32_t item) const noexcept {
  const std::size_t fitted = base->ratings.items();
  return item < fitted ? base->ratings.item_id(item) : added_items[item - fitted];
}

std::string_view State::item_title(std::uint32_t item) const noexcept {
  if (titles[item] != nullptr) return *titles[item];
  return item < base->ratings.items() ? base->ratings.item_title(item) : item_id(item);
}

std::shared_ptr<const OwnedRatings> State::learned_of(const UserRatings& ratings) const {
  if (ratings.size() <= base->most_of_one) return nullptr;
  const auto id = [&](std::size_t k) { return item_id(ratings.items[k]); };
  const std::size_t width = base->criteria();
  auto out = std::make_shared<OwnedRatings>();
  for (const std::uint32_t k : learned_positions(ratings.size(), id, base->most_of_one)) {
    out->items.push_back(ratings.items[k]);
    out->present.push_back(ratings.present[k]);
    const auto from = ratings.values.begin() + static_cast<std::ptrdiff_t>(k * width);
    out->values.insert(out->values.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return out;
}

std::size_t State::link_bytes() const noexcept {
  std::size_t total = 0;
  for (const Graph& graph : links->graphs) {
    // One bit per pair and a logarithm per link, or a column and a logarithm per link.
    total += graph.entries * (base->dense ? 1 : 2) * sizeof(float);
    if (base->dense) total += items() * blocks() * sizeof(std::uint16_t);
  }
  return total;
}

}  // namespace palate::live
