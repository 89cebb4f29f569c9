#include "server/service/scratch.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "palate/error.hpp"

namespace palate::server {
namespace {

constexpr std::string_view begin = "palate-upload-";
constexpr std::size_t random_letters = 6;

int open_folder(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

void remove_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

Scratch::Scratch() {
  while (!make()) {
  }
}

Scratch::~Scratch() {
  remove_folder(path_);
  ::close(descriptor_);
}

// Not if a server that starts took it for a leftover before it was locked.
bool Scratch::make() {
  std::string name = (std::filesystem::temp_directory_path() / begin).string();
  name.append(random_letters, 'X');
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::io, "no folder for an upload could be made", {.file = name});
  }
  path_ = name;
  descriptor_ = open_folder(path_);
  if (descriptor_ < 0 && errno != ENOENT) {
    const int reason = errno;
    remove_folder(path_);
    throw Error(ErrorCode::io, std::string("no folder for an upload: ") + std::strerror(reason),
                {.file = name});
  }
  struct stat made {};
  if (descriptor_ >= 0 && (lock(descriptor_) || errno != EWOULDBLOCK) &&
      ::fstat(descriptor_, &made) == 0 && made.st_nlink > 0) {
    return true;
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  return false;
}

void Scratch::remove_leftovers() noexcept {
  try {
    std::error_code unreadable;
    const auto folder = std::filesystem::temp_directory_path();
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
      const std::string name = entry.path().filename().string();
      if (name.size() != begin.size() + random_letters || !name.starts_with(begin)) continue;
      const int descriptor = open_folder(entry.path());
      if (descriptor < 0) continue;
      struct stat found {};
      const bool own = ::fstat(descriptor, &found) == 0 && found.st_uid == ::geteuid();
      if (own && lock(descriptor)) remove_folder(entry.path());
      ::close(descriptor);
    }
  } catch (const std::exception&) {
    // They cost room, nothing else; the next start tries again.
    return;
  }
}

}  // namespace palate::server
