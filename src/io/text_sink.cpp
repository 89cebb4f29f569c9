#include "io/text_sink.hpp"

#include <zlib.h>

#include <array>
#include <new>
#include <optional>
#include <span>

#include "base/atomic_file.hpp"
#include "io/utf8.hpp"

namespace palate::io {
namespace {

struct Deflater {
  z_stream stream{};
  Deflater() {
    // 16: write a gzip header; 15: the largest window; 8: the usual memory.
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

}  // namespace

struct TextSink::Output {
  explicit Output(const std::filesystem::path& path) : file(path) {
    if (lowered(path.extension().string()) == ".gz") deflater.emplace();
  }

  void write(std::string_view text, bool last) {
    if (!deflater) {
      file.write(text);
      return;
    }
    z_stream& stream = deflater->stream;
    stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());  // at most a block and one field
    do {
      stream.next_out = packed.data();
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      file.write(std::as_bytes(std::span(packed).first(packed.size() - stream.avail_out)));
    } while (stream.avail_out == 0);
  }

  AtomicFile file;
  std::optional<Deflater> deflater;
  std::array<Bytef, 1U << 16> packed{};
};

TextSink::TextSink(const std::filesystem::path& path) : output_(std::make_unique<Output>(path)) {
  buffer_.reserve(block + 4096);
}

TextSink::~TextSink() = default;

void TextSink::flush() {
  output_->write(buffer_, false);
  buffer_.clear();
}

void TextSink::commit() {
  output_->write(buffer_, true);
  buffer_.clear();
  output_->file.commit();
}

}  // namespace palate::io
