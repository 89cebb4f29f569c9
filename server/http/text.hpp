// Pieces of text at the edge: percent-encoding, queries, UTF-8, numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palate::server {

/// Undoes percent-encoding; nullopt if a % is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

/// The parts between slashes of a raw path that begins with one: "/a%2Fb/c" is {"a%2Fb", "c"}.
[[nodiscard]] std::vector<std::string_view> split_path(std::string_view path);

/// For comparing without regard to case, in all scripts that have case. `text` is UTF-8.
[[nodiscard]] std::string fold_case(std::string_view text);

/// How many bytes have to be added, left out, changed or swapped with the next to make `b` of `a`;
/// most + 1 if more than `most`. Takes min(size) * (2 * most + 1) steps.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most);

[[nodiscard]] std::string base64url(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

/// 64 bits; the same on every machine, so that it may leave the process.
[[nodiscard]] std::uint64_t stable_hash(std::string_view text) noexcept;

/// The parameters of a query, checked against what a route knows. Every function throws Problem.
class Query {
 public:
  explicit Query(std::string_view raw);

  /// Refuses names that are not in `known`.
  void allow(std::span<const std::string_view> known) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::size_t number(std::string_view name, std::size_t otherwise, std::size_t low,
                                   std::size_t high) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  /// Still encoded, as many as there are.
  [[nodiscard]] std::vector<std::string_view> raw(std::string_view name) const;
  [[nodiscard]] static std::string decoded(std::string_view name, std::string_view raw);

 private:
  std::vector<std::pair<std::string, std::string_view>> pairs_;
};

}  // namespace palate::server
