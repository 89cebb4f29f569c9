#include "base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace palate {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// A file that holds one number; "max" and what cannot be read mean no limit.
std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : unlimited;
}

// What the kernel can give without swapping.
std::size_t of_machine() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  for (std::uint64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit)) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  const auto pages = ::sysconf(_SC_PHYS_PAGES);
  const auto page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                               : unlimited;
}

std::size_t of_control_group() {
  const auto left = [](std::size_t limit, std::size_t used) {
    return limit == unlimited || used == unlimited ? unlimited : limit - std::min(limit, used);
  };
  return std::min(
      left(number_in("/sys/fs/cgroup/memory.max"), number_in("/sys/fs/cgroup/memory.current")),
      left(number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
           number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes")));
}

std::size_t of_process() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::size_t available_memory() {
  return std::min({of_machine(), of_control_group(), of_process()});
}

}  // namespace palate
