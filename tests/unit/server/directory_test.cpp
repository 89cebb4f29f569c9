#include "server/service/directory.hpp"

#include <gtest/gtest.h>

#include <random>

namespace palate::server {
namespace {

// What the index is to agree with: a look at every item.
std::vector<std::string> looked_up(const std::map<std::string, Json>& items,
                                   const AttributeFilter& filter) {
  std::vector<std::string> out;
  for (const auto& [id, attributes] : items) {
    const bool fits = std::all_of(filter.begin(), filter.end(), [&](const auto& wish) {
      const Json values = attributes.value(wish.first, Json::array());
      return std::any_of(values.begin(), values.end(), [&](const Json& value) {
        return std::find(wish.second.begin(), wish.second.end(), value) != wish.second.end();
      });
    });
    if (fits) out.push_back(id);
  }
  return out;
}

TEST(Directory, AFilterFindsWhatALookAtEveryItemFinds) {
  std::mt19937 random(3);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto values = [&] {
    Json out = Json::array();
    for (unsigned k = below(4); k > 0; --k) out.push_back("v" + std::to_string(below(6)));
    return out;
  };
  Directory directory;
  std::map<std::string, Json> items;
  for (int step = 0; step < 3000; ++step) {
    const std::string id = "i" + std::to_string(below(60));
    if (below(4) == 0) {
      directory.remove_item(id);
      items.erase(id);
    } else {
      const Json attributes = {{"a", values()}, {"b", values()}};
      directory.put_item({id, "", dump(attributes)});
      items[id] = attributes;
    }
    AttributeFilter filter;
    for (const char* name : {"a", "b", "none"}) {
      if (below(name == std::string("none") ? 20 : 2) > 0) continue;
      for (unsigned k = 1 + below(3); k > 0; --k) {
        filter[name].push_back("v" + std::to_string(below(7)));
      }
    }
    ASSERT_EQ(directory.matching(filter), looked_up(items, filter)) << step;
    std::vector<std::string> page;
    for (const StoredItem& item : directory.items({.limit = 1000, .filter = filter}).items) {
      page.push_back(item.id);
    }
    ASSERT_EQ(page, looked_up(items, filter)) << step;
  }
  std::size_t holders = 0;
  for (const auto& [id, attributes] : items) holders += attributes["a"].empty() ? 0 : 1;
  for (const AttributeValues& attribute : *directory.attributes()) {
    if (attribute.name == "a") {
      EXPECT_EQ(attribute.items, holders);
    }
  }
}

}  // namespace
}  // namespace palate::server
