#include "server/service/cache.hpp"

namespace palate::server {

std::size_t Cache::cost(const Entry& entry) {
  constexpr std::size_t overhead = 200;  // nodes of list and map, and two strings
  return entry.key.size() + entry.body->size() + overhead;
}

void Cache::turn_to(const Version& version) {
  if (version == version_) return;
  version_ = version;
  entries_.clear();
  order_.clear();
  used_ = 0;
}

std::shared_ptr<const std::string> Cache::find(const Version& version, const std::string& key) {
  if (bytes_ == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (version == version_) {
    if (const auto found = entries_.find(key); found != entries_.end()) {
      ++hits_;
      order_.splice(order_.begin(), order_, found->second);
      return found->second->body;
    }
  }
  ++misses_;
  return nullptr;
}

void Cache::put(const Version& version, const std::string& key, std::string body) {
  if (bytes_ == 0) return;
  Entry entry{key, std::make_shared<const std::string>(std::move(body))};
  const std::size_t size = cost(entry);
  const std::lock_guard lock(mutex_);
  // An answer from an older version than the newest seen is of no use to anyone.
  if (version.generation < version_.generation ||
      (version.generation == version_.generation && version.epoch < version_.epoch)) {
    return;
  }
  turn_to(version);
  if (size > bytes_ || entries_.contains(key)) return;
  while (used_ + size > bytes_) {
    used_ -= cost(order_.back());
    entries_.erase(order_.back().key);
    order_.pop_back();
  }
  order_.push_front(std::move(entry));
  entries_.emplace(order_.front().key, order_.begin());
  used_ += size;
}

Cache::Counts Cache::counts() const {
  const std::lock_guard lock(mutex_);
  return {hits_, misses_, entries_.size()};
}

}  // namespace palate::server
