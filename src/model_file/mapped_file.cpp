#include "model_file/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "palate/error.hpp"

namespace palate {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message,
                       std::string hint = {}) {
  throw Error(ErrorCode::io, message, {.file = path.string()}, std::move(hint));
}

[[noreturn]] void fail_with_reason(const std::filesystem::path& path, int reason) {
  fail(path, "cannot read the file: " + std::generic_category().message(reason),
       reason == ENOENT || reason == ENOTDIR ? "check the spelling of the path"
                                             : "check who may read the file");
}

class Descriptor {
 public:
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait forever.
  explicit Descriptor(const std::filesystem::path& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (value_ < 0) fail_with_reason(path, errno);
  }
  ~Descriptor() { ::close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int value() const noexcept { return value_; }

 private:
  int value_;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Descriptor descriptor(path);
  struct stat status {};
  if (::fstat(descriptor.value(), &status) != 0) fail_with_reason(path, errno);
  if (S_ISDIR(status.st_mode)) fail(path, "this is a folder, not a file", "name a file in it");
  if (!S_ISREG(status.st_mode)) {
    fail(path, "this is not a regular file", "copy the contents to a file and name that");
  }
  if (status.st_size == 0) return;

  const auto size = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.value(), 0);
  if (address == MAP_FAILED) fail_with_reason(path, errno);
  // Every byte is about to be checksummed. Advice only: a refusal changes nothing.
  static_cast<void>(::madvise(address, size, MADV_WILLNEED));
  data_ = static_cast<const std::byte*>(address);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace palate
