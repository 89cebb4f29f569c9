#include "core/string_table.hpp"

#include <algorithm>
#include <numeric>

namespace palate {

StringTable::StringTable(const std::vector<std::string>& strings) {
  std::vector<char> text;
  std::vector<std::uint64_t> offsets = {0};
  offsets.reserve(strings.size() + 1);
  std::size_t total = 0;
  for (const std::string& s : strings) total += s.size();
  text.reserve(total);
  for (const std::string& s : strings) {
    text.insert(text.end(), s.begin(), s.end());
    offsets.push_back(text.size());
  }
  std::vector<std::uint32_t> order(strings.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return strings[a] < strings[b]; };
  if (!std::is_sorted(order.begin(), order.end(), less)) {
    std::sort(order.begin(), order.end(), less);
  }
  text_ = std::move(text);
  offsets_ = std::move(offsets);
  order_ = std::move(order);
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const noexcept {
  const auto found =
      std::lower_bound(order_.begin(), order_.end(), text,
                       [this](std::uint32_t k, std::string_view t) { return (*this)[k] < t; });
  if (found == order_.end() || (*this)[*found] != text) return std::nullopt;
  return *found;
}

void StringTable::save(Parts& parts, const std::string& name) const {
  parts.put(name + "/text", text_);
  parts.put(name + "/offsets", offsets_);
  parts.put(name + "/order", order_);
}

StringTable StringTable::load(const Parts& parts, const std::string& name) {
  StringTable table;
  table.text_ = parts.get<char>(name + "/text");
  table.offsets_ = parts.get<std::uint64_t>(name + "/offsets");
  table.order_ = parts.get<std::uint32_t>(name + "/order");
  const auto& offsets = table.offsets_;
  const bool sound =
      table.order_.size() == table.size() &&
      (offsets.empty() ? table.text_.empty()
                       : offsets[0] == 0 && offsets[offsets.size() - 1] == table.text_.size() &&
                             std::is_sorted(offsets.begin(), offsets.end())) &&
      std::all_of(table.order_.begin(), table.order_.end(),
                  [&](std::uint32_t k) { return k < table.size(); });
  if (!sound) throw Error(ErrorCode::corrupt, "the table of strings '" + name + "' is damaged");
  return table;
}

}  // namespace palate
