// Every input in the corpora, as it is, cut off and altered, goes through its harness, in any
// build.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>

#include "base/random.hpp"
#include "support/temporary_folder.hpp"

using Harness = int(const std::uint8_t* data, std::size_t size);
extern "C" Harness fuzz_csv, fuzz_gzip, fuzz_http, fuzz_inter, fuzz_jsonl, fuzz_model, fuzz_npz,
    fuzz_requests, fuzz_settings;

namespace palate::testing {
namespace {

struct Reader {
  const char* name;
  Harness* harness;
};
void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.name; }
constexpr std::array readers = {
    Reader{"csv", fuzz_csv},           Reader{"gzip", fuzz_gzip},
    Reader{"http", fuzz_http},         Reader{"inter", fuzz_inter},
    Reader{"jsonl", fuzz_jsonl},       Reader{"model", fuzz_model},
    Reader{"npz", fuzz_npz},           Reader{"requests", fuzz_requests},
    Reader{"settings", fuzz_settings},
};
constexpr int altered = 20;  // inputs made of each one

class Corpus : public ::testing::TestWithParam<Reader> {
 protected:
  static void run(const std::string& input) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(input.data());
    EXPECT_EQ(GetParam().harness(bytes, input.size()), 0);
  }
};

TEST_P(Corpus, HoldsAlsoCutOffAndAltered) {
  const auto folder = std::filesystem::path(PALATE_SOURCE_DIR) / "tests/fuzz/corpus";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / GetParam().name)) {
    SCOPED_TRACE(entry.path().string());
    const std::string whole = read_text(entry.path());
    ASSERT_NO_THROW(run(whole));
    Random random(whole.size());
    for (int n = 0; n < altered && !whole.empty(); ++n) {
      SCOPED_TRACE(n);
      const std::size_t at = random.below(whole.size());
      ASSERT_NO_THROW(run(whole.substr(0, at))) << "cut off at " << at;
      std::string other = whole;
      other[at] = static_cast<char>(random.below(256));
      ASSERT_NO_THROW(run(other)) << "altered at " << at;
    }
    ++files;
  }
  EXPECT_GT(files, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, ::testing::ValuesIn(readers),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace palate::testing
