#include "io/text_sink.hpp"

#include <zlib.h>

#include <new>
#include <span>
#include <vector>

#include "io/utf8.hpp"

namespace palate::io {

void TextSink::End::operator()(z_stream_s* stream) const noexcept {
  deflateEnd(stream);
  delete stream;
}

TextSink::TextSink(const std::filesystem::path& path) : file_(path) {
  buffer_.reserve(block + 4096);
  if (lowered(path.extension().string()) != ".gz") return;
  gzip_.reset(new z_stream{});
  // 16: write a gzip header; 15: the largest window; 8: the usual memory.
  if (deflateInit2(gzip_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + 15, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

void TextSink::flush(bool last) {
  if (gzip_) {
    gzip_->next_in = reinterpret_cast<const Bytef*>(buffer_.data());
    gzip_->avail_in = static_cast<uInt>(buffer_.size());  // at most a block and one field
    std::vector<Bytef> packed(std::size_t{1} << 16);
    do {
      gzip_->next_out = packed.data();
      gzip_->avail_out = static_cast<uInt>(packed.size());
      deflate(gzip_.get(), last ? Z_FINISH : Z_NO_FLUSH);
      file_.write(std::as_bytes(std::span(packed).first(packed.size() - gzip_->avail_out)));
    } while (gzip_->avail_out == 0);
  } else {
    file_.write(buffer_);
  }
  buffer_.clear();
}

void TextSink::commit() {
  flush(true);
  file_.commit();
}

}  // namespace palate::io
