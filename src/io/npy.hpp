// One SciPy CSR matrix out of an .npz file (a zip of .npy arrays).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace palate::io {

struct CsrMatrix {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::vector<std::int64_t> indptr;
  std::vector<std::int64_t> indices;
  std::vector<double> data;
};

/// Throws Error{io} for a file that cannot be opened, Error{bad_input} for one that is cut, damaged
/// or inconsistent, Error{unsupported} for another layout than CSR or an unusual element type.
[[nodiscard]] CsrMatrix read_csr(const std::filesystem::path& path);

}  // namespace palate::io
