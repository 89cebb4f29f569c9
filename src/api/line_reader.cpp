#include "api/line_reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "palate/error.hpp"

namespace palate {

struct LineReader::File {
  gzFile handle = nullptr;
  explicit File(gzFile opened) : handle(opened) {}
  ~File() { gzclose(handle); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

LineReader::LineReader(const std::filesystem::path& path) : name_(path.string()) {
  std::error_code ignored;
  errno = 0;
  // Reads what is not compressed as it is.
  gzFile handle =
      std::filesystem::is_directory(path, ignored) ? nullptr : gzopen(path.c_str(), "rb");
  if (handle == nullptr) {
    throw Error(
        ErrorCode::io,
        std::string("cannot be opened: ") + (errno == 0 ? "not a file" : std::strerror(errno)),
        {.file = name_}, "check the name and the folder");
  }
  file_ = std::make_unique<File>(handle);
}

LineReader::~LineReader() = default;

bool LineReader::fill() {
  constexpr std::size_t block = std::size_t{1} << 18;
  constexpr std::size_t longest = std::size_t{1} << 24;
  buffer_.erase(0, position_);
  position_ = 0;
  if (buffer_.size() > longest) {
    throw Error(ErrorCode::bad_input, "a line has no end; this is no text that was written here",
                {.file = name_, .line = number_ + 1});
  }
  const std::size_t held = buffer_.size();
  buffer_.resize(held + block);
  const int got = gzread(file_->handle, buffer_.data() + held, block);
  buffer_.resize(held + static_cast<std::size_t>(std::max(got, 0)));
  int problem = Z_OK;
  const char* message = gzerror(file_->handle, &problem);
  if (got < 0 || problem == Z_BUF_ERROR) {
    if (problem == Z_ERRNO) throw Error(ErrorCode::io, std::strerror(errno), {.file = name_});
    throw Error(ErrorCode::bad_input,
                std::string("the compressed file is cut off or damaged: ") + message,
                {.file = name_}, "copy it again from where it came");
  }
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = position_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(position_, end - position_);
      position_ = end + 1;
      break;
    }
    const std::size_t held = buffer_.size() - position_;
    if (!ended_ && fill()) {
      searched = held;
      continue;
    }
    ended_ = true;
    if (position_ == buffer_.size()) return false;
    line = std::string_view(buffer_).substr(position_);
    position_ = buffer_.size();
    break;
  }
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace palate
