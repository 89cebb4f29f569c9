#include "rating_store/sqlite/file_watch.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>

#include "palate/error.hpp"

namespace palate::store {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::io, what + " while it was in use; nothing can be stored", {.file = path},
              "stop the programs that use the store, put its files or a backup in place, start "
              "again");
}

// Big-endian, at some byte of the header of a database.
std::uint64_t number_at(std::span<const unsigned char> header, std::size_t at, std::size_t bytes) {
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < bytes; ++k) out = out << 8U | header[at + k];
  return out;
}

}  // namespace

FileWatch::FileWatch(const std::string& path)
    : files_{File{path}, File{path + "-wal"}, File{path + "-shm"}} {
  for (File& file : files_) {
    struct stat now {};
    if (::stat(file.path.c_str(), &now) != 0) fail(file.path, "the file was removed");
    file.device = now.st_dev;
    file.number = now.st_ino;
  }
}

// A database gets shorter only where somebody compacts it, and then its header says how long it is:
// at byte 16 the size of a page (1: 65536), at byte 28 how many there are.
bool FileWatch::cut(const SqliteConnection& connection, std::uint64_t size) const {
  const std::lock_guard lock(mutex_);
  if (size >= largest_) {
    largest_ = size;
    return false;
  }
  std::array<unsigned char, 32> header{};
  if (!connection.read_file(std::as_writable_bytes(std::span(header)))) return true;
  const std::uint64_t page = number_at(header, 16, 2);
  if ((page == 1 ? 65536 : page) * number_at(header, 28, 4) > size) return true;
  largest_ = size;
  return false;
}

void FileWatch::check(const SqliteConnection& connection) const {
  for (const File& file : files_) {
    struct stat now {};
    if (::stat(file.path.c_str(), &now) != 0) {
      fail(file.path, errno == ENOENT ? "the file was removed"
                                      : std::string("the file went out of reach (") +
                                            std::strerror(errno) + ")");
    }
    if (now.st_dev != file.device || now.st_ino != file.number) {
      fail(file.path, "the file was replaced by another");
    }
    if (&file == files_.data() && cut(connection, static_cast<std::uint64_t>(now.st_size))) {
      fail(file.path, "the file was cut");
    }
  }
}

}  // namespace palate::store
