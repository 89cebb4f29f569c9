// Answers that need not be computed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace palate::server {

/// Bodies by request, for one version of the model: another one empties it. The least recently used
/// go first when it is full.
class Cache {
 public:
  explicit Cache(std::size_t bytes) : bytes_(bytes) {}

  struct Version {
    std::uint64_t generation = 0, epoch = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct Counts {
    std::uint64_t hits = 0, misses = 0;
    std::size_t entries = 0;
  };

  /// Null if it is not there.
  [[nodiscard]] std::shared_ptr<const std::string> find(const Version& version,
                                                        const std::string& key);
  void put(const Version& version, const std::string& key, std::string body);
  [[nodiscard]] Counts counts() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const std::string> body;
  };
  void turn_to(const Version& version);
  [[nodiscard]] static std::size_t cost(const Entry& entry);

  const std::size_t bytes_;
  mutable std::mutex mutex_;
  Version version_;
  std::list<Entry> order_;  ///< most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> entries_;
  std::size_t used_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace palate::server
