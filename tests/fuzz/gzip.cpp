// Packed files: the input as it is, and packed by us, which has to read as if it had never been.
#include <zlib.h>

#include <optional>

#include "fuzz/tables.hpp"
#include "io/source.hpp"

namespace {

using namespace palate;
using namespace palate::fuzz;

/// The text of a file, or none where it is refused.
std::optional<std::string> text_of(const std::filesystem::path& path) {
  try {
    const io::Source source = io::Source::load(path, {}, std::size_t{1} << 24U);
    must(!source.text().empty());
    return std::string(source.text());
  } catch (const Error& error) {
    check_error(error);
    return std::nullopt;
  }
}

void pack(const std::filesystem::path& path, std::string_view text) {
  const gzFile out = gzopen(path.c_str(), "wb1");
  must(out != nullptr);
  must(gzwrite(out, text.data(), static_cast<unsigned>(text.size())) >= 0);
  must(gzclose(out) == Z_OK);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  const auto path = folder() / "in";
  palate::testing::write_text(path, bytes);
  const std::optional<std::string> plain = text_of(path);
  if (bytes.starts_with("\x1f\x8b")) return 0;
  pack(folder() / "in.gz", bytes);
  must(text_of(folder() / "in.gz") == plain);
  return 0;
}
