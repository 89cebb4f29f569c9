#include "live/names.hpp"

#include "base/random.hpp"

namespace palate::live {
namespace {

// A million ids leave about 250 in each.
constexpr std::size_t shard_count = 4096;

std::uint64_t hash_of(std::string_view text) { return hash64(text, 0x70616c617465ULL); }

}  // namespace

Names::Names() {
  for (std::size_t k = 0; k < shard_count; ++k) shards_.push_back({}, 0);
}

std::optional<std::uint32_t> Names::find(std::string_view text) const noexcept {
  if (size() == 0) return std::nullopt;
  const std::uint64_t hash = hash_of(text);
  for (const Entry& entry : shards_[hash % shard_count]) {
    if (entry.hash == hash && texts_[entry.index] == text) return entry.index;
  }
  return std::nullopt;
}

std::uint32_t Names::add(std::string_view text, std::uint64_t edition) {
  const auto index = static_cast<std::uint32_t>(size());
  const std::uint64_t hash = hash_of(text);
  texts_.push_back(std::string(text), edition);
  shards_.edit(hash % shard_count, edition).push_back({hash, index});
  return index;
}

}  // namespace palate::live
