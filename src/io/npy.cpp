#include "io/npy.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "io/unpack_limit.hpp"
#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie");

constexpr const char* again = "save the matrix again with scipy.sparse.save_npz";

class Archive {
 public:
  explicit Archive(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code unknown;
    const auto packed = std::filesystem::file_size(path, unknown);
    if (!unknown) most_ = unpack_limit(packed);
    int reason = 0;
    zip_.reset(zip_open(name_.c_str(), ZIP_RDONLY, &reason));
    if (zip_) return;
    zip_error_t error;
    zip_error_init_with_code(&error, reason);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    const bool system = reason == ZIP_ER_OPEN || reason == ZIP_ER_READ || reason == ZIP_ER_NOENT;
    throw Error(
        system ? ErrorCode::io : ErrorCode::bad_input,
        fmt::format("{}: {}", system ? "cannot be read" : "this is no whole npz file", text),
        {name_}, system ? "" : "copy or download the file again");
  }

  [[nodiscard]] std::string entry(const char* entry_name) const {
    const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen(zip_.get(), entry_name, 0));
    if (!file) fail(fmt::format("there is no array '{}' in it", entry_name), again);
    std::string out;
    // The size the directory claims is not to be trusted: grow as bytes come.
    constexpr std::size_t step = std::size_t{1} << 20;
    for (;;) {
      const std::size_t before = out.size();
      out.resize(before + step);
      const zip_int64_t got = zip_fread(file.get(), out.data() + before, step);
      if (got < 0) {
        fail(fmt::format("the array '{}' is damaged", entry_name),
             "copy or download the file again");
      }
      out.resize(before + static_cast<std::size_t>(got));
      if (got == 0) return out;
      if (out.size() > most_) {
        fail(fmt::format("the array '{}' unpacks to more than {} times the file", entry_name,
                         most_times_unpacked),
             "save the matrix again with scipy.sparse.save_npz(name, matrix, compressed=False)",
             ErrorCode::too_large);
      }
    }
  }

  [[noreturn]] void fail(std::string message, const char* hint,
                         ErrorCode code = ErrorCode::bad_input) const {
    throw Error(code, std::move(message), {name_}, hint);
  }

 private:
  struct Close {
    void operator()(zip_t* zip) const noexcept { zip_discard(zip); }
  };
  struct CloseEntry {
    void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
  };
  std::string name_;
  std::size_t most_ = unpack_limit(0);  // bytes of one array
  std::unique_ptr<zip_t, Close> zip_;
};

/// An .npy array: type, number of elements and where they start.
struct NpyArray {
  std::string bytes;
  std::string_view type;  // "<f8"
  std::uint64_t count = 1;
  std::string_view data;
};

/// What stands after 'key': in the header, a Python dict literal.
std::string_view after_key(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  return at == std::string_view::npos ? std::string_view{}
                                      : trimmed(header.substr(at + key.size() + 3));
}

// numpy.lib.format: magic, version, length of the header, header, data.
NpyArray parse_npy(const Archive& archive, const char* entry_name) {
  NpyArray array;
  array.bytes = archive.entry(entry_name);
  const std::string_view bytes = array.bytes;
  const auto damaged = [&]() {
    archive.fail(fmt::format("the array '{}' is cut off or damaged", entry_name), again);
  };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) damaged();
  const auto byte = [&](std::size_t k) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k]));
  };
  const bool short_length = bytes[6] == 1;
  const std::size_t start = short_length ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (!short_length) length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - start < length) damaged();
  const std::string_view header = bytes.substr(start, length);
  array.data = bytes.substr(start + length);

  const std::string_view type = after_key(header, "descr");
  const std::size_t quote = type.empty() ? 0 : type.find(type[0], 1);
  if (type.empty() || quote == std::string_view::npos) damaged();
  array.type = type.substr(1, quote - 1);
  std::string_view shape = after_key(header, "shape");
  if (shape.empty() || shape[0] != '(' || shape.find(')') == std::string_view::npos) damaged();
  shape = shape.substr(1, shape.find(')') - 1);
  while (!(shape = trimmed(shape)).empty()) {
    std::uint64_t size = 0;
    const auto [stop, error] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
    if (error != std::errc() || (size != 0 && array.count > array.data.size() / size)) damaged();
    array.count *= size;
    shape = trimmed(shape.substr(static_cast<std::size_t>(stop - shape.data())));
    if (!shape.empty() && shape[0] != ',') damaged();
    if (!shape.empty()) shape.remove_prefix(1);
  }
  return array;
}

template <class From, class To>
std::vector<To> converted(const Archive& archive, const char* entry_name, const NpyArray& array) {
  if (array.data.size() / sizeof(From) < array.count) {
    archive.fail(fmt::format("the array '{}' is cut off", entry_name), again);
  }
  std::vector<To> out(array.count);
  for (std::size_t k = 0; k < out.size(); ++k) {
    From value;
    std::memcpy(&value, array.data.data() + k * sizeof(From), sizeof(From));
    out[k] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
  }
  return out;
}

template <class To>
std::vector<To> numbers(const Archive& archive, const char* entry_name) {
  const NpyArray array = parse_npy(archive, entry_name);
  const std::string_view type = array.type;
  if (type == "<i4") return converted<std::int32_t, To>(archive, entry_name, array);
  if (type == "<i8") return converted<std::int64_t, To>(archive, entry_name, array);
  if (type == "<u4") return converted<std::uint32_t, To>(archive, entry_name, array);
  if (type == "<i2") return converted<std::int16_t, To>(archive, entry_name, array);
  if (type == "<u2") return converted<std::uint16_t, To>(archive, entry_name, array);
  if (type == "|i1") return converted<std::int8_t, To>(archive, entry_name, array);
  if (type == "|u1") return converted<std::uint8_t, To>(archive, entry_name, array);
  if constexpr (std::is_same_v<To, double>) {
    if (type == "<f8") return converted<double, To>(archive, entry_name, array);
    if (type == "<f4") return converted<float, To>(archive, entry_name, array);
    if (type == "<u8") return converted<std::uint64_t, To>(archive, entry_name, array);
  }
  archive.fail(fmt::format("the array '{}' has the element type {}", entry_name, shown(type)),
               "use int32 or int64 indices and float32, float64 or integer data",
               ErrorCode::unsupported);
}

/// "csr" as bytes or, from other writers, as UTF-32.
std::string layout(const Archive& archive) {
  const NpyArray array = parse_npy(archive, "format.npy");
  std::string out;
  for (const char ch : array.data) {
    if (ch != '\0') out += ch;
  }
  return out;
}

void check(const Archive& archive, const CsrMatrix& matrix) {
  const bool sizes = matrix.indptr.size() == matrix.rows + 1 && matrix.indptr.front() == 0 &&
                     matrix.indices.size() == matrix.data.size() &&
                     matrix.indptr.back() == static_cast<std::int64_t>(matrix.data.size()) &&
                     std::is_sorted(matrix.indptr.begin(), matrix.indptr.end());
  const auto cols = static_cast<std::int64_t>(matrix.cols);
  const bool bounds = std::all_of(matrix.indices.begin(), matrix.indices.end(),
                                  [cols](std::int64_t k) { return k >= 0 && k < cols; });
  if (!sizes || !bounds) {
    archive.fail("the arrays of the matrix contradict each other", again);
  }
}

}  // namespace

CsrMatrix read_csr(const std::filesystem::path& path) {
  constexpr std::int64_t most = 100'000'000;
  const Archive archive(path);
  try {
    if (const std::string kind = layout(archive); kind != "csr") {
      archive.fail(fmt::format("the matrix is stored as {}, not as csr", shown(kind)),
                   "save it with scipy.sparse.save_npz(name, matrix.tocsr())",
                   ErrorCode::unsupported);
    }
    const std::vector<std::int64_t> shape = numbers<std::int64_t>(archive, "shape.npy");
    if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) {
      archive.fail("the matrix has no rows and columns", again);
    }
    if (shape[0] > most || shape[1] > most) {
      archive.fail(fmt::format("{} x {} is too large a matrix", shape[0], shape[1]), "",
                   ErrorCode::too_large);
    }
    CsrMatrix matrix;
    matrix.rows = static_cast<std::uint64_t>(shape[0]);
    matrix.cols = static_cast<std::uint64_t>(shape[1]);
    matrix.indptr = numbers<std::int64_t>(archive, "indptr.npy");
    matrix.indices = numbers<std::int64_t>(archive, "indices.npy");
    matrix.data = numbers<double>(archive, "data.npy");
    check(archive, matrix);
    return matrix;
  } catch (const std::bad_alloc&) {
    archive.fail("the matrix does not fit into memory", "", ErrorCode::too_large);
  }
}

}  // namespace palate::io
