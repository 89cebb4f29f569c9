#include "base/atomic_file.hpp"

#include <fcntl.h>
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
  std::string name = path_.string() + ".XXXXXX";
  descriptor_ = ::mkstemp(name.data());
  if (descriptor_ < 0) fail("cannot create the file");
  temporary_ = name;
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
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary_.c_str());
    errno = reason;
    fail("cannot put the file in place");
  }
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
