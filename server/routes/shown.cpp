#include "server/routes/shown.hpp"

#include <algorithm>
#include <optional>

#include "server/http/problem.hpp"
#include "server/http/text.hpp"

namespace palate::server {
namespace {

constexpr std::size_t bytes_each = 6;
constexpr std::uint64_t mask = (std::uint64_t{1} << 48) - 1;

}  // namespace

Shown::Shown(std::string_view cursor) {
  const std::optional<std::string> bytes = from_base64url(cursor);
  if (!bytes || bytes->size() % bytes_each != 0 || bytes->size() / bytes_each > most) {
    throw Problem::usage("this is no cursor of an earlier page", "cursor",
                         "pass on what the page before gave, or leave it out");
  }
  for (std::size_t k = 0; k < bytes->size(); k += bytes_each) {
    std::uint64_t hash = 0;
    for (std::size_t b = 0; b < bytes_each; ++b) {
      hash = hash << 8 | static_cast<unsigned char>((*bytes)[k + b]);
    }
    hashes_.push_back(hash);
  }
  std::sort(hashes_.begin(), hashes_.end());
}

bool Shown::has(std::string_view item) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), stable_hash(item) & mask);
}

void Shown::add(std::string_view item) {
  const std::uint64_t hash = stable_hash(item) & mask;
  hashes_.insert(std::lower_bound(hashes_.begin(), hashes_.end(), hash), hash);
}

std::string Shown::cursor() const {
  std::string bytes;
  for (const std::uint64_t hash : hashes_) {
    for (std::size_t b = bytes_each; b-- > 0;) bytes += static_cast<char>(hash >> (8 * b) & 0xFF);
  }
  return base64url(bytes);
}

}  // namespace palate::server
