#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/huge_buffer.hpp"
#include "base/memory.hpp"
#include "model_file/checksum.hpp"
#include "model_file/model_file.hpp"
#include "model_file/model_layout.hpp"

namespace palate {
namespace {

namespace layout = model_layout;
using Bytes = std::span<const std::byte>;

constexpr const char* write_again = "write it again with `palate fit`";

[[noreturn]] void fail(const std::filesystem::path& path, std::string message, std::string hint) {
  throw Error(ErrorCode::io, std::move(message), {.file = path.string()}, std::move(hint));
}

[[noreturn]] void fail_with_reason(const std::filesystem::path& path, int reason) {
  fail(path, "cannot read the file: " + std::generic_category().message(reason),
       reason == ENOENT || reason == ENOTDIR ? "check the spelling of the path"
                                             : "check who may read the file");
}

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

using Held = std::pair<std::shared_ptr<const void>, Bytes>;  // an owner, and what it holds

/// What is there; less, if the file gets shorter meanwhile.
Held copy(const std::filesystem::path& path, int file, std::size_t size) {
  if (size > available_memory()) {
    throw Error(ErrorCode::too_large, "the model does not fit into memory",
                {.file = path.string()});
  }
  HugeBuffer<std::byte> memory(size, Contents::any);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t some = ::read(file, memory.data() + got, size - got);
    if (some < 0 && errno != EINTR) fail_with_reason(path, errno);
    if (some == 0) break;
    if (some > 0) got += static_cast<std::size_t>(some);
  }
  return {memory.owner(), memory.span().first(got)};
}

/// A regular file as read-only memory. Replacing the file by a rename leaves the view as it was;
/// shortening the file in place makes the bytes of a mapping that are cut off inaccessible
/// (SIGBUS).
Held hold(const std::filesystem::path& path, ModelBytes bytes) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait forever.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (file.value < 0 || ::fstat(file.value, &status) != 0) fail_with_reason(path, errno);
  if (S_ISDIR(status.st_mode)) fail(path, "this is a folder, not a file", "name a file in it");
  if (!S_ISREG(status.st_mode)) {
    fail(path, "this is not a regular file", "copy the contents to a file and name that");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  if (bytes == ModelBytes::copied) return copy(path, file.value, size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (address == MAP_FAILED) fail_with_reason(path, errno);
  std::shared_ptr<void> owner(address, [size](void* begin) { ::munmap(begin, size); });
  // Every byte is about to be checksummed. Advice only: a refusal changes nothing.
  static_cast<void>(::madvise(address, size, MADV_WILLNEED));
  return {std::move(owner), {static_cast<const std::byte*>(address), size}};
}

bool begins_with_magic(Bytes file) {
  return file.size() >= layout::magic.size() &&
         std::memcmp(file.data(), layout::magic.data(), layout::magic.size()) == 0;
}

std::optional<ElementType> known_type(std::uint32_t type) {
  const bool known = type >= static_cast<std::uint32_t>(ElementType::u8) &&
                     type <= static_cast<std::uint32_t>(ElementType::i16);
  return known ? std::optional(static_cast<ElementType>(type)) : std::nullopt;
}

/// Reads one file; every check that it passed may be relied on by those after it.
class Reader {
 public:
  Reader(const std::filesystem::path& path, ModelBytes bytes) : path_(path) {
    std::tie(held_, file_) = hold(path, bytes);
  }

  [[nodiscard]] Parts read() {
    check_head();
    check_header();
    Parts parts;
    parts.description = text(names_offset() + head_.name_bytes, head_.description_bytes);
    read_sections(parts);
    return parts;
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const char* hint = write_again) const {
    throw Error(ErrorCode::corrupt, message, {.file = path_.string()}, hint);
  }
  [[noreturn]] void refuse_altered(const std::string& part) const {
    refuse("the model file has been altered: " + part + " is not what was written");
  }
  [[noreturn]] void refuse_cut(const std::string& expected) const {
    refuse("the model file is cut off: expected " + expected + " bytes, found " +
           std::to_string(file_.size()));
  }

  [[nodiscard]] std::uint64_t names_offset() const {
    return sizeof(layout::Head) + head_.sections * std::uint64_t{sizeof(layout::Section)};
  }
  [[nodiscard]] std::string text(std::uint64_t offset, std::uint64_t size) const {
    return {reinterpret_cast<const char*>(file_.data()) + offset, size};
  }

  /// Whose file this is. What is read here stays in place in all versions.
  void check_head() {
    if (file_.empty()) refuse("the file is empty, not a model file");
    const std::size_t begun = std::min(file_.size(), layout::magic.size());
    if (std::memcmp(file_.data(), layout::magic.data(), begun) != 0) {
      refuse("this is not a model file of Palate",
             "make one of a file of ratings with `palate fit FILE --out m.palate`");
    }
    if (file_.size() < sizeof(layout::Head)) {
      refuse_cut("at least " + std::to_string(layout::header_bytes(0, 0, 0)));
    }
    head_ = layout::read_at<layout::Head>(file_, 0);
    if (head_.byte_order == layout::other_byte_order_mark) {
      refuse("the model file was written on a machine of the other byte order",
             "write it on this machine with `palate fit`");
    }
    if (head_.byte_order != layout::byte_order_mark || head_.version == 0) {
      refuse_altered("its header");
    }
    if (head_.version < layout::version) {
      refuse("the model file was written by an older version of Palate (format " +
             std::to_string(head_.version) + "; this one reads " + std::to_string(layout::version) +
             ")");
    }
    if (head_.version > layout::version) {
      refuse("the model file was written by a newer version of Palate (format " +
                 std::to_string(head_.version) + "; this one reads up to " +
                 std::to_string(layout::version) + ")",
             "update palate, or write the file again with `palate fit`");
    }
  }

  /// Sizes and checksum of the header. The checksum comes before the size of the file, so that only
  /// a recorded size that is to be trusted is reported as the expected one.
  void check_header() {
    const std::uint64_t size = head_.header_bytes;
    if (size > head_.file_bytes || head_.description_bytes > size) refuse_altered("its header");
    if (size > file_.size()) refuse_cut(std::to_string(head_.file_bytes));
    if (size != layout::header_bytes(head_.sections, head_.name_bytes, head_.description_bytes)) {
      refuse_altered("its header");
    }
    const std::uint64_t covered = size - sizeof(std::uint64_t);
    if (checksum(file_.first(covered)) != layout::read_at<std::uint64_t>(file_, covered)) {
      refuse_altered("its header");
    }
    if (head_.file_bytes > file_.size()) refuse_cut(std::to_string(head_.file_bytes));
    if (head_.file_bytes < file_.size()) {
      refuse("the model file has been altered: " + std::to_string(file_.size() - head_.file_bytes) +
             " bytes follow its end");
    }
  }

  /// Sections follow each other in the order of their names, each at the next multiple of the
  /// alignment, and fill the file: so none overlaps another and no byte is left unchecked.
  void read_sections(Parts& parts) {
    std::vector<Contents> contents;
    std::uint64_t expected_name = 0;
    std::uint64_t expected_offset = head_.header_bytes;
    for (std::uint32_t k = 0; k < head_.sections; ++k) {
      const auto section = layout::read_at<layout::Section>(
          file_, sizeof(layout::Head) + k * std::uint64_t{sizeof(layout::Section)});
      if (section.name_bytes == 0 || section.name_offset != expected_name ||
          section.name_bytes > head_.name_bytes - expected_name) {
        refuse_table();
      }
      expected_name += section.name_bytes;
      std::string name = text(names_offset() + section.name_offset, section.name_bytes);
      if (!parts.arrays.empty() && parts.arrays.rbegin()->first >= name) refuse_table();

      const std::optional<ElementType> type = known_type(section.type);
      const std::uint64_t left = file_.size() - expected_offset;
      if (!type || section.zero != 0 || section.offset != expected_offset || section.bytes > left ||
          section.bytes % element_size(*type) != 0 ||
          section.count != section.bytes / element_size(*type)) {
        refuse_table();
      }
      const std::uint64_t padded = layout::aligned(section.bytes);
      if (padded > left) refuse_table();
      expected_offset += padded;

      contents.push_back({section, padded, name});
      parts.arrays.emplace_hint(parts.arrays.end(), std::move(name),
                                Part{.type = *type,
                                     .bytes = file_.subspan(section.offset, section.bytes),
                                     .owner = held_});
    }
    if (expected_name != head_.name_bytes || expected_offset != file_.size()) refuse_table();
    check_all(contents);
  }

  // A section and what it is called.
  struct Contents {
    layout::Section section;
    std::uint64_t padded;
    std::string name;
  };

  // The graph is most of a large file: it is checked beside the rest.
  void check_all(const std::vector<Contents>& contents) const {
    constexpr std::uint64_t large = std::uint64_t{8} << 20U;
    const auto most =
        std::max_element(contents.begin(), contents.end(),
                         [](const Contents& a, const Contents& b) { return a.padded < b.padded; });
    std::future<void> beside;
    if (most != contents.end() && most->padded > large) {
      beside = std::async(std::launch::async, [this, most] { check_contents(*most); });
    }
    for (auto one = contents.begin(); one != contents.end(); ++one) {
      if (!beside.valid() || one != most) check_contents(*one);
    }
    if (beside.valid()) beside.get();
  }

  void check_contents(const Contents& one) const {
    const auto& [section, padded, name] = one;
    const Bytes contents = file_.subspan(section.offset, padded);
    const Bytes padding = contents.subspan(section.bytes);
    if (checksum(contents.first(section.bytes)) != section.checksum) {
      refuse_altered("its part '" + name + "'");
    }
    if (std::any_of(padding.begin(), padding.end(), [](std::byte b) { return b != std::byte{}; })) {
      refuse_altered("the padding after its part '" + name + "'");
    }
  }

  [[noreturn]] void refuse_table() const { refuse_altered("its table of parts"); }

  const std::filesystem::path& path_;
  std::shared_ptr<const void> held_;
  Bytes file_;
  layout::Head head_{};
};

}  // namespace

Parts read_model_file(const std::filesystem::path& path, ModelBytes bytes) {
  return Reader(path, bytes).read();
}

bool looks_like_model_file(const std::filesystem::path& path) {
  std::error_code ignored;
  // Not for pipes: their bytes could be read only once.
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, layout::magic.size()> begin{};
  std::ifstream in(path, std::ios::binary);
  return in.read(begin.data(), begin.size()) && begins_with_magic(std::as_bytes(std::span(begin)));
}

}  // namespace palate
