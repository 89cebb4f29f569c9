#include "io/source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/memory.hpp"
#include "io/progress.hpp"
#include "io/unpack_limit.hpp"
#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

/// A growing block of bytes that is not cleared first.
struct Buffer {
  HugeBuffer<char> memory;
  std::size_t size = 0;

  [[nodiscard]] std::size_t capacity() const noexcept { return memory.size(); }
  void reserve(std::size_t wanted) {
    if (wanted <= capacity()) return;
    // The system would grant more than there is, and end the process once it is used.
    if (wanted > available_memory()) throw std::bad_alloc();
    HugeBuffer<char> larger(wanted, Contents::any);
    if (size > 0) std::memcpy(larger.data(), memory.data(), size);
    memory = std::move(larger);
  }
  [[nodiscard]] std::string_view view() const noexcept { return {memory.data(), size}; }
};

struct Close {
  void operator()(std::FILE* file) const noexcept {
    if (file != stdin) std::fclose(file);
  }
};

[[noreturn]] void fail_io(const std::string& name, int reason) {
  throw Error(ErrorCode::io, "cannot be read: " + std::generic_category().message(reason), {name});
}

// Read, not mapped: a mapped file that shrinks under us would end the process.
Buffer read_all(const std::filesystem::path& path, const std::string& name, const RunOptions& run) {
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin
                                                           : std::fopen(path.c_str(), "rbe"));
  if (!file) fail_io(name, errno);
  std::error_code unknown;
  const auto expected = std::filesystem::file_size(path, unknown);
  Buffer buffer;
  buffer.reserve(unknown ? std::size_t{1} << 16 : expected + 1);
  while (std::feof(file.get()) == 0) {
    if (buffer.size == buffer.capacity()) buffer.reserve(buffer.capacity() * 2);
    buffer.size += std::fread(buffer.memory.data() + buffer.size, 1,
                              buffer.capacity() - buffer.size, file.get());
    if (std::ferror(file.get()) == 0) continue;
    if (errno != EINTR) fail_io(name, errno);
    std::clearerr(file.get());
    tell(run, 0, 0);  // whoever waits for a pipe may want to stop
  }
  return buffer;
}

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

struct Inflater {
  z_stream stream{};
  Inflater() {
    // 16: expect a gzip header; 15: the largest window.
    if (inflateInit2(&stream, 16 + 15) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

[[noreturn]] void fail_too_large(const std::string& name, std::size_t max_bytes) {
  throw Error(ErrorCode::too_large,
              fmt::format("the file holds more than {} bytes of text", max_bytes), {name},
              "read it in parts");
}

Buffer gunzip(std::string_view packed, const std::string& name, std::size_t max_bytes) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  Buffer out;
  out.reserve(std::max<std::size_t>(packed.size() * 4, 1U << 16));
  const char* next = packed.data();
  const char* const end = next + packed.size();
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  for (;;) {
    stream.next_in = reinterpret_cast<const Bytef*>(next);
    stream.avail_in = static_cast<uInt>(std::min(most, static_cast<std::size_t>(end - next)));
    if (out.size > unpack_limit(packed.size())) {
      throw Error(ErrorCode::too_large,
                  "the gzip stream unpacks to more than " + std::to_string(most_times_unpacked) +
                      " times its size",
                  {name}, "unpack the file with gunzip and read the result, if you trust it");
    }
    if (out.size == out.capacity()) out.reserve(out.capacity() * 2);
    stream.next_out = reinterpret_cast<Bytef*>(out.memory.data() + out.size);
    const auto room = static_cast<uInt>(std::min(most, out.capacity() - out.size));
    stream.avail_out = room;
    const int state = inflate(&stream, Z_NO_FLUSH);
    next = reinterpret_cast<const char*>(stream.next_in);
    out.size += room - stream.avail_out;
    if (max_bytes > 0 && out.size > max_bytes) fail_too_large(name, max_bytes);
    if (state == Z_STREAM_END) {
      // Members may follow each other, and some tools pad the end with zeros.
      while (next != end && *next == '\0') ++next;
      if (next == end) return out;
      if (!is_gzip({next, static_cast<std::size_t>(end - next)})) {
        throw Error(ErrorCode::bad_input, "the gzip stream is followed by other data", {name},
                    "unpack the file with gunzip and read the result");
      }
      inflateReset(&stream);
    } else if (state == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (state == Z_DATA_ERROR || state == Z_NEED_DICT) {
      throw Error(ErrorCode::bad_input, "the gzip stream is damaged", {name},
                  "copy or download the file again");
    } else if (next == end && stream.avail_out > 0) {
      throw Error(ErrorCode::bad_input, "the gzip stream is cut off", {name},
                  "copy or download the file again");
    }
  }
}

bool is_utf16(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
}

/// As Excel writes "Unicode text". What is no character becomes U+FFFD.
Buffer from_utf16(std::string_view bytes) {
  const int high = bytes.front() == '\xff' ? 1 : 0;
  const auto unit = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[2 * k + high]) << 8U |
                                      static_cast<unsigned char>(bytes[2 * k + 1 - high]));
  };
  const auto is_half = [](std::uint32_t u, std::uint32_t first) { return (u & 0xFC00U) == first; };
  const std::size_t units = bytes.size() / 2;
  Buffer out;
  out.reserve(units * 3);
  for (std::size_t k = 1; k < units; ++k) {
    std::uint32_t point = unit(k);
    if (is_half(point, 0xD800) && k + 1 < units && is_half(unit(k + 1), 0xDC00)) {
      point = 0x10000 + ((point & 0x3FFU) << 10U) + (unit(++k) & 0x3FFU);
    } else if ((point & 0xF800U) == 0xD800) {
      point = 0xFFFD;
    }
    const auto put = [&](std::uint32_t byte) {
      out.memory.data()[out.size++] = static_cast<char>(byte);
    };
    if (point < 0x80) {
      put(point);
      continue;
    }
    const int tails = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    put((tails == 1 ? 0xC0U : tails == 2 ? 0xE0U : 0xF0U) | point >> (6U * tails));
    for (int t = tails - 1; t >= 0; --t) put(0x80U | (point >> (6U * t) & 0x3FU));
  }
  return out;
}

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view hint;
};

using namespace std::string_view_literals;
constexpr std::string_view export_hint = "export it as CSV and read that";
constexpr std::string_view unpack_hint = "unpack it first (gzip is read as it is)";
constexpr std::array magics = {
    Magic{"PK\x03\x04"sv, "a zip archive, as spreadsheets (.xlsx) and .npz files are",
          "export a spreadsheet as CSV; of .npz matrices give the folder"},
    Magic{"PAR1"sv, "a Parquet file", export_hint},
    Magic{"\x93NUMPY"sv, "a NumPy array", export_hint},
    Magic{"SQLite format 3"sv, "an SQLite database", export_hint},
    Magic{"\xd0\xcf\x11\xe0"sv, "an old Office document (.xls)", export_hint},
    Magic{"\x89HDF"sv, "an HDF5 file", export_hint},
    Magic{"ARROW1"sv, "an Arrow file", export_hint},
    Magic{"%PDF"sv, "a PDF document", export_hint},
    Magic{"BZh"sv, "a bzip2 file", unpack_hint},
    Magic{"\xfd\x37zXZ"sv, "an xz file", unpack_hint},
    Magic{"\x28\xb5\x2f\xfd"sv, "a Zstandard file", unpack_hint},
    Magic{"7z\xbc\xaf"sv, "a 7-Zip archive", unpack_hint},
    Magic{"\x1f\x8b"sv, "gzip within gzip", unpack_hint},
};

bool mostly_control(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const auto odd = std::count_if(head.begin(), head.end(), [](char ch) {
    const auto byte = static_cast<unsigned char>(ch);
    return (byte < 0x20 && ch != '\t' && ch != '\n' && ch != '\r') || byte == 0x7f;
  });
  return static_cast<std::size_t>(odd) * 10 > head.size();
}

void require_text(std::string_view text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorCode::bad_input, "the file is empty", {name},
                "expected a header line and one line per rating");
  }
  for (const Magic& magic : magics) {
    if (text.starts_with(magic.bytes)) {
      throw Error(ErrorCode::bad_input, "this is " + std::string(magic.what) + ", not text", {name},
                  std::string(magic.hint));
    }
  }
  if (text.size() > 262 && text.substr(257, 5) == "ustar") {
    throw Error(ErrorCode::bad_input, "this is a tar archive, not text", {name},
                std::string(unpack_hint));
  }
  if (std::memchr(text.data(), '\0', text.size()) != nullptr || mostly_control(text)) {
    throw Error(ErrorCode::bad_input, "the file is binary, not text", {name},
                "expected CSV, TSV, .inter or JSON lines");
  }
  const std::string_view head = text.substr(0, std::size_t{1} << 20);
  if (head.find('\r') != std::string_view::npos && head.find('\n') == std::string_view::npos) {
    throw Error(ErrorCode::bad_input, "the lines end in a carriage return alone", {name},
                "convert the line ends: tr '\\r' '\\n' < old > new");
  }
}

}  // namespace

Source Source::load(const std::filesystem::path& path, const RunOptions& run,
                    std::size_t max_bytes) {
  Source source;
  source.name_ = path == "-" ? "standard input" : path.string();
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorCode::io, "is a folder, not a file", {source.name_});
  }
  try {
    Buffer buffer = read_all(path, source.name_, run);
    source.gzip_ = is_gzip(buffer.view());
    if (source.gzip_) buffer = gunzip(buffer.view(), source.name_, max_bytes);
    if (is_utf16(buffer.view())) buffer = from_utf16(buffer.view());
    if (max_bytes > 0 && buffer.size > max_bytes) fail_too_large(source.name_, max_bytes);
    std::string_view text = buffer.view();
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    require_text(text, source.name_);
    source.memory_ = std::move(buffer.memory);
    source.text_ = text;
    source.valid_utf8_ = palate::valid_utf8(text);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::too_large, "the file does not fit into memory", {source.name_});
  }
  return source;
}

}  // namespace palate::io
