// What a cursor of a list says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace palate::server {

/// Paging through a list that may change between pages: the items that earlier pages held, six
/// bytes of hash each. The server keeps nothing, so a cursor means the same to every server and
/// after a restart; the next page is the best of what was not shown, by whatever the ratings are
/// then.
class Shown {
 public:
  static constexpr std::size_t most = 1000;

  Shown() = default;
  /// Throws Problem{usage} for text that is no cursor.
  explicit Shown(std::string_view cursor);

  [[nodiscard]] std::size_t size() const noexcept { return hashes_.size(); }
  [[nodiscard]] bool has(std::string_view item) const;
  void add(std::string_view item);
  [[nodiscard]] std::string cursor() const;

 private:
  std::vector<std::uint64_t> hashes_;  ///< sorted
};

}  // namespace palate::server
