// Ids that came after a model was fitted, found by index or by text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/cow_vector.hpp"

namespace palate::live {

/// Versions share what they have in common, as those of a CowVector. Ids are never taken out: who
/// is gone and comes back has the index they had.
class Names {
 public:
  Names();

  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t k) const noexcept { return texts_[k]; }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const noexcept;
  /// A text that is not there yet; gives its index.
  std::uint32_t add(std::string_view text, std::uint64_t edition);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t index = 0;
  };
  CowVector<std::string, 64> texts_;
  CowVector<std::vector<Entry>, 16> shards_;
};

}  // namespace palate::live
