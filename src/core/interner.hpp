// Gives each distinct string a number, in order of first appearance. Open addressing over one block
// of text: a reader looks up two ids per row, and std::unordered_map was the largest part of its
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace palate {

class Interner {
 public:
  std::uint32_t intern(std::string_view text) {
    if (strings_.size() * 2 >= slots_.size()) grow();
    const std::size_t hash = std::hash<std::string_view>{}(text);
    for (std::size_t k = hash;; ++k) {
      Slot& slot = slots_[k & (slots_.size() - 1)];
      if (slot.index == empty) {
        slot = {static_cast<std::uint32_t>(hash >> 32),
                static_cast<std::uint32_t>(strings_.size())};
        strings_.emplace_back(text);
        return slot.index;
      }
      if (slot.tag == static_cast<std::uint32_t>(hash >> 32) && strings_[slot.index] == text) {
        return slot.index;
      }
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return strings_.size(); }
  [[nodiscard]] const std::vector<std::string>& strings() const noexcept { return strings_; }
  [[nodiscard]] std::vector<std::string> take() && { return std::move(strings_); }

 private:
  static constexpr std::uint32_t empty = 0xffffffffU;
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t index = empty;
  };

  void grow() {
    std::vector<Slot> bigger(slots_.empty() ? 64 : slots_.size() * 2);
    for (std::uint32_t index = 0; index < strings_.size(); ++index) {
      const std::size_t hash = std::hash<std::string_view>{}(strings_[index]);
      std::size_t k = hash;
      while (bigger[k & (bigger.size() - 1)].index != empty) ++k;
      bigger[k & (bigger.size() - 1)] = {static_cast<std::uint32_t>(hash >> 32), index};
    }
    slots_ = std::move(bigger);
  }

  std::vector<Slot> slots_;
  std::vector<std::string> strings_;
};

}  // namespace palate
