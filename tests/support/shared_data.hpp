// The published data sets and the oracle's golden numbers, which lie outside the repository. Tests
// that need them skip with a clear line when they are absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace palate::testing {

/// The folder with data/ and oracle/: $PALATE_SHARED, or ../shared beside the repository.
inline std::filesystem::path shared_folder() {
  if (const char* given = std::getenv("PALATE_SHARED")) return given;
  return std::filesystem::path(PALATE_SOURCE_DIR) / ".." / "shared";
}

}  // namespace palate::testing

#define PALATE_NEED_SHARED(path)                                                                 \
  if (!std::filesystem::exists(path)) {                                                          \
    GTEST_SKIP() << "skipped: " << (path).string() << " is not there; set PALATE_SHARED to the " \
                 << "folder that holds data/ and oracle/";                                       \
  }                                                                                              \
  static_assert(true)
