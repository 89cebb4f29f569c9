#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "palate/error.hpp"

namespace palate {
namespace {

// Between the name of the file and what mkstemp puts behind it. No other program names files so.
constexpr std::string_view mark = ".palate-writes-";
constexpr std::size_t random_letters = 6;

// On a file system without locks nobody can tell a leftover from a file in the making.
bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

std::filesystem::path folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

void AtomicFile::remove_leftovers(const std::filesystem::path& path) noexcept {
  try {
    const std::string begin = path.filename().string() + std::string(mark);
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder_of(path), unreadable)) {
      const std::string name = entry.path().filename().string();
      if (name.size() != begin.size() + random_letters || !name.starts_with(begin)) continue;
      const int descriptor = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
      if (descriptor < 0) continue;
      if (lock(descriptor)) ::unlink(entry.path().c_str());
      ::close(descriptor);
    }
  } catch (const std::exception&) {
    // They cost room, nothing else; the next writer tries again.
    return;
  }
}

// Not if another writer took it for a leftover before it was locked.
bool AtomicFile::make_temporary() {
  std::string name = path_.string() + std::string(mark) + std::string(random_letters, 'X');
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot create the file");
  temporary_ = name;
  struct stat made {};
  if (lock(descriptor_) || errno != EWOULDBLOCK) {
    if (::fstat(descriptor_, &made) == 0 && made.st_nlink > 0) return true;
  }
  ::close(descriptor_);
  descriptor_ = -1;
  return false;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // Renaming over a device or a pipe would replace it with a file; think of /dev/null.
  std::error_code unknown;
  const auto target = std::filesystem::status(path_, unknown);
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target)) {
    const bool folder = std::filesystem::is_directory(target);
    throw Error(ErrorCode::io,
                folder ? "cannot write: this is a folder" : "cannot write: not a regular file",
                {.file = path_.string()}, "give the name of a file");
  }
  remove_leftovers(path_);
  while (!make_temporary()) {
  }
  // mkstemp makes files private; a result is as readable as any other file of the user.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor_, 0666 & ~mask);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("cannot flush to disk");
  // Locked until it has its name.
  const bool renamed = ::rename(temporary_.c_str(), path_.c_str()) == 0;
  const int reason = errno;
  const bool closed = ::close(descriptor_) == 0;
  descriptor_ = -1;
  if (!renamed) {
    ::unlink(temporary_.c_str());
    errno = reason;
  }
  if (!renamed || !closed) fail("cannot put the file in place");
  flush_folder();
}

// A name is durable when its folder is. Some file systems cannot flush folders, and need not.
void AtomicFile::flush_folder() const {
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // it may be written to and not read
  const bool flushed = ::fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int reason = errno;
  ::close(folder);
  errno = reason;
  if (!flushed) fail("cannot flush the folder to disk");
}

void AtomicFile::fail(const char* what) const {
  const int reason = errno;
  std::string hint;
  if (reason == ENOSPC) hint = "free some space; an older file of this name is untouched";
  if (reason == ENOENT) hint = "does the folder exist?";
  throw Error(ErrorCode::io, std::string(what) + ": " + std::strerror(reason),
              {.file = path_.string()}, hint);
}

}  // namespace palate
