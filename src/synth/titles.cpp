#include <array>
#include <string_view>

#include "base/random.hpp"
#include "synth/world.hpp"

namespace palate {
namespace {

constexpr std::size_t kinds_per_group = 3;

// Three kinds after one another are of one taste.
constexpr std::array<std::string_view, 36> kinds = {
    "Trattoria", "Osteria",     "Pizzeria",  "Café",     "Coffee House", "Tea Room",
    "Bistro",    "Brasserie",   "Chez",      "Sushi",    "Ramen",        "Izakaya",
    "Taquería",  "Cantina",     "Casa",      "Grill",    "Smokehouse",   "Burger Bar",
    "Curry",     "Tandoor",     "Thali",     "Phở",      "Bánh Mì",      "Noodle Bar",
    "Taverna",   "Meze",        "Gyros",     "Zum",      "Weinstube",    "Gasthaus",
    "Garden",    "Green Table", "Juice Bar", "Fish Bar", "Oyster Room",  "Harbour Kitchen"};

constexpr std::array<std::string_view, 61> names = {
    "Ábel",        "Lucia",        "Søren",       "Copper Lantern", "Blue Door",    "Magnolia",
    "Old Mill",    "Little Fox",   "Juniper",     "Saffron",        "Señor Ruiz",   "Hà Nội",
    "Hana",        "Sakura",       "Lindqvist",   "Kestrel",        "Marigold",     "Twelve Stairs",
    "Löwen",       "Olive Tree",   "Paloma",      "Nonna Rosa",     "Red Kettle",   "Quiet Corner",
    "Amélie",      "Basilico",     "Tamarind",    "Wild Thyme",     "Pepper Lane",  "Silver Spoon",
    "Ελένη",       "Zoë",          "Driftwood",   "Half Moon",      "Cardamom",     "Peacock",
    "Fig & Honey", "Night Market", "Rosemary",    "Corner Stone",   "Anatole",      "Brännvin",
    "Mistral",     "Chestnut",     "Seven Bells", "Dandelion",      "Papá Luis",    "Ginger Cat",
    "Sol",         "Lemon Grove",  "Weaver",      "Tall Ship",      "Plum Blossom", "Hearth",
    "Nightingale", "Żuraw",        "Star Anise",  "Orchard",        "Velvet",       "Cobblestone",
    "Sunday"};

constexpr std::array<std::string_view, 40> quarters = {
    "Mill Street", "Old Harbour",   "Castle Hill",   "Station Road", "North Bank",
    "South Bank",  "Market Square", "River Walk",    "Chapel Lane",  "Park Row",
    "Lime Avenue", "King's Cross",  "East Gate",     "West Gate",    "Fountain Court",
    "Bridge End",  "The Arcade",    "Weavers' Yard", "Cherry Hill",  "Long Acre",
    "Tower Green", "Canal Side",    "Upper Town",    "Lower Town",   "Linden Square",
    "Abbey Road",  "Quay 9",        "Rope Walk",     "Theatre Row",  "Garden City",
    "Vineyard",    "Observatory",   "Ferry Point",   "High Street",  "College Green",
    "Glassworks",  "The Docks",     "Rose Court",    "Foundry",      "Meadow End"};

}  // namespace

std::vector<std::string> make_titles(const std::vector<std::uint32_t>& group_of_item,
                                     std::uint64_t seed) {
  Random random(mix64(seed) ^ hash64("titles", 0));
  std::array<std::size_t, kinds.size()> used{};
  std::array<std::size_t, kinds.size()> start{};
  for (std::size_t& s : start) s = random.below(names.size());
  std::vector<std::string> titles;
  titles.reserve(group_of_item.size());
  for (const std::uint32_t group : group_of_item) {
    const std::size_t kind =
        (group * kinds_per_group + random.below(kinds_per_group)) % kinds.size();
    const std::size_t n = used[kind]++;
    // Per kind: every name once, then every name in every quarter, then with numbers. 61 is prime,
    // so that any step goes round all names.
    const std::string_view name = names[(start[kind] + n * 23) % names.size()];
    const std::size_t round = n / names.size();
    std::string title(kinds[kind]);
    title.append(" ").append(name);
    if (round > 0) title.append(", ").append(quarters[(round - 1) % quarters.size()]);
    if (round > quarters.size()) {
      title.append(" ").append(std::to_string((round - 1) / quarters.size() + 1));
    }
    titles.push_back(std::move(title));
  }
  return titles;
}

}  // namespace palate
