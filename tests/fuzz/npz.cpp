// Folders of SciPy matrices. An input that begins with 'z' goes on with an archive; one with 'a' or
// 'b' with five arrays, parted by "~~~~", which are put into one: checksums need not be guessed.
#include <zip.h>

#include <array>
#include <vector>

#include "fuzz/tables.hpp"

namespace {

using namespace palate;
using namespace palate::fuzz;

constexpr std::string_view parting = "~~~~";

void put_archive(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::remove(path);
  zip_t* const zip = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  must(zip != nullptr);
  for (const char* name : {"format.npy", "shape.npy", "indptr.npy", "indices.npy", "data.npy"}) {
    const std::size_t end = std::min(text.find(parting), text.size());
    zip_source_t* const source = zip_source_buffer(zip, text.data(), end, 0);
    const zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
    must(index >= 0);
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
    text.remove_prefix(std::min(end + parting.size(), text.size()));
  }
  must(zip_close(zip) == 0);
}

void check_folder(const std::filesystem::path& path) {
  try {
    const Import out = read(path, {.format = Format::npz});
    must(out.report.kept >= out.ratings.interactions() && !out.report.text().empty());
    check_ratings(out.ratings);
  } catch (const Error& error) {
    check_error(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  const auto one = folder() / "one";
  const auto four = folder() / "four";
  std::filesystem::create_directory(one);
  std::filesystem::create_directory(four);
  if (data[0] == 'z') {
    palate::testing::write_text(one / "m_tr_0.npz", text);
  } else {
    put_archive(one / "m_tr_0.npz", text);
  }
  check_folder(one);
  if (data[0] != 'b') return 0;
  // Two criteria, and a test part, of the same matrix.
  for (const char* name : {"m_tr_0.npz", "m_tr_1.npz", "m_ts_0.npz", "m_ts_1.npz"}) {
    std::filesystem::copy_file(one / "m_tr_0.npz", four / name,
                               std::filesystem::copy_options::overwrite_existing);
  }
  check_folder(four);
  return 0;
}
