// Gives each distinct string a number, in order of first appearance. A reader looks up two ids per
// row, and most ids are short: those of up to 8 bytes lie in the table itself, so that finding one
// again touches one place in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"

namespace palate {

class Interner {
 public:
  std::uint32_t intern(std::string_view text) {
    if (strings_.size() * 4 >= slots_.size() * 3) grow();
    const Slot wanted = slot_of(text, static_cast<std::uint32_t>(strings_.size()));
    Slot& slot = find(wanted, text);
    if (slot.index == empty) {
      strings_.emplace_back(text);
      slot = wanted;
    }
    return slot.index;
  }
  [[nodiscard]] std::size_t size() const noexcept { return strings_.size(); }
  [[nodiscard]] const std::vector<std::string>& strings() const noexcept { return strings_; }
  [[nodiscard]] std::vector<std::string> take() && { return std::move(strings_); }

 private:
  static constexpr std::uint32_t empty = 0xffffffffU;
  static constexpr std::size_t short_bytes = 8;
  struct Slot {
    std::uint64_t key = 0;  // the bytes of a short text, the hash of a long one
    std::uint32_t length = 0;
    std::uint32_t index = empty;
  };

  template <class Word>
  static Word load(const char* from) noexcept {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  // Texts of one length up to 8 have different keys: each byte is in one of the parts.
  static std::uint64_t key_of(std::string_view text) noexcept {
    const char* const first = text.data();
    const char* const end = first + text.size();
    if (text.size() > short_bytes) {
      std::uint64_t hash = text.size();
      for (const char* p = first; end - p > 8; p += 8) hash = mix64(hash ^ load<std::uint64_t>(p));
      return mix64(hash ^ load<std::uint64_t>(end - 8));
    }
    if (text.size() >= 4) {
      return std::uint64_t{load<std::uint32_t>(first)} << 32 | load<std::uint32_t>(end - 4);
    }
    std::uint64_t key = 0;
    for (const char ch : text) key = key << 8 | static_cast<unsigned char>(ch);
    return key;
  }

  static Slot slot_of(std::string_view text, std::uint32_t index) noexcept {
    const auto length = std::min<std::size_t>(text.size(), 0xffffffffU);
    return {key_of(text), static_cast<std::uint32_t>(length), index};
  }

  /// The slot that holds the text, or the empty one where it belongs.
  Slot& find(const Slot& wanted, std::string_view text) noexcept {
    for (std::size_t k = mix64(wanted.key ^ wanted.length);; ++k) {
      Slot& slot = slots_[k & (slots_.size() - 1)];
      if (slot.index == empty) return slot;
      if (slot.key == wanted.key && slot.length == wanted.length &&
          (text.size() <= short_bytes || strings_[slot.index] == text)) {
        return slot;
      }
    }
  }

  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{});
    for (const Slot& slot : old) {
      if (slot.index != empty) find(slot, strings_[slot.index]) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::string> strings_;
};

}  // namespace palate
