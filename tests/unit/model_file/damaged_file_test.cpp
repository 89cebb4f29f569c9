// Accidents that happen to files: each is refused with one clear error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/random.hpp"
#include "model_file/model_file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "unit/model_file/sample_model.hpp"

namespace palate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DamagedFile : public ::testing::Test {
 protected:
  DamagedFile() {
    write_model_file(path_, sample_parts());
    whole_ = read_text(path_);
  }

  Error error_with(const std::string& bytes) {
    // A new file each time: ext4 waits for the disk when a file is truncated and written again.
    std::filesystem::remove(path_);
    write_text(path_, bytes);
    Error error = thrown_by([&] { static_cast<void>(read_model_file(path_)); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_EQ(error.where().file, path_.string());
    EXPECT_THAT(error.hint(), HasSubstr("palate fit"));
    return error;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "m.palate";
  std::string whole_;
};

TEST_F(DamagedFile, EveryTruncationIsRefused) {
  for (std::size_t size = 1; size < whole_.size(); ++size) {
    const std::string message = error_with(whole_.substr(0, size)).message();
    ASSERT_THAT(message, HasSubstr("cut off")) << size;
    ASSERT_THAT(message, HasSubstr("found " + std::to_string(size))) << size;
    // The first 48 bytes hold the size that the file should have.
    if (size >= 48) {
      ASSERT_THAT(message, HasSubstr("expected " + std::to_string(whole_.size()) + " bytes"));
    }
  }
}

// What a loss of power may leave of a file that was not flushed: its size, and zeros for bytes.
TEST_F(DamagedFile, OneTornAtAnyByteIsRefused) {
  for (std::size_t from = 0; from < whole_.size(); ++from) {
    std::string torn = whole_;
    std::fill(torn.begin() + static_cast<std::ptrdiff_t>(from), torn.end(), '\0');
    if (torn != whole_) static_cast<void>(error_with(torn));
  }
}

TEST_F(DamagedFile, WhatWasCopiedStaysWhenTheFileIsCutInPlace) {
  const Parts parts = read_model_file(path_, ModelBytes::copied);
  std::filesystem::resize_file(path_, 0);
  expect_equal(parts, sample_parts());
}

TEST_F(DamagedFile, EveryFlippedBitIsRefused) {
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole_;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      static_cast<void>(error_with(bytes));
      ASSERT_FALSE(HasFailure()) << "byte " << at << ", bit " << bit;
    }
  }
}

TEST_F(DamagedFile, EveryInvertedByteIsRefused) {
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    std::string bytes = whole_;
    bytes[at] = static_cast<char>(~bytes[at]);
    static_cast<void>(error_with(bytes));
    ASSERT_FALSE(HasFailure()) << "byte " << at;
  }
}

TEST_F(DamagedFile, AlteredPartIsNamed) {
  // 0x5a5a5a5a, 16 times
  const std::size_t at = whole_.find(std::string(64, 'Z'));
  ASSERT_NE(at, std::string::npos);
  whole_[at] = 'Y';
  EXPECT_THAT(error_with(whole_).message(),
              AllOf(HasSubstr("altered"), HasSubstr("'method/größe mit Leerzeichen'")));
}

TEST_F(DamagedFile, AlteredPaddingIsNamed) {
  whole_.back() = 1;
  EXPECT_THAT(error_with(whole_).message(),
              AllOf(HasSubstr("altered"), HasSubstr("padding"), HasSubstr("'u64'")));
}

TEST_F(DamagedFile, AlteredDescriptionIsRefused) {
  whole_[whole_.find("ca-gf")] = 'C';
  EXPECT_THAT(error_with(whole_).message(), AllOf(HasSubstr("altered"), HasSubstr("header")));
}

TEST_F(DamagedFile, BytesAfterTheEndAreRefused) {
  EXPECT_THAT(error_with(whole_ + "x").message(), HasSubstr("1 bytes follow"));
  EXPECT_THAT(error_with(whole_ + whole_).message(), HasSubstr("altered"));
}

TEST_F(DamagedFile, BlockOfZerosIsRefused) {
  // What a crash of the machine may leave: the right size, some of the blocks never written.
  for (std::size_t at = 0; at + 64 <= whole_.size(); at += 64) {
    std::string bytes = whole_;
    bytes.replace(at, 64, 64, '\0');
    if (bytes == whole_) continue;
    static_cast<void>(error_with(bytes));
    ASSERT_FALSE(HasFailure()) << "at " << at;
  }
}

TEST_F(DamagedFile, EmptyFileIsRefused) {
  EXPECT_THAT(error_with("").message(), HasSubstr("empty"));
}

TEST_F(DamagedFile, ForeignFilesAreRefused) {
  const std::string zip("PK\3\4\x14\0\0\0\x08\0", 10);
  for (const std::string& foreign :
       {std::string("user,item,overall\nu1,beer7,4.5\n"), std::string("x"), zip + whole_,
        std::string("\x1f\x8b\x08\0\0\0\0\0\0\3", 10), "\xef\xbb\xbf" + whole_,
        std::string(100000, '\0'), std::string(R"({"method":"ca-gf"})")}) {
    EXPECT_THAT(error_with(foreign).message(), HasSubstr("not a model file"));
  }
}

TEST_F(DamagedFile, TransferAsTextIsRefused) {
  std::string bytes = whole_;
  bytes.insert(bytes.find('\n'), "\r");
  EXPECT_THAT(error_with(bytes).message(), HasSubstr("not a model file"));
}

TEST_F(DamagedFile, GarbageIsRefused) {
  Random random(21);
  for (int round = 0; round < 300; ++round) {
    std::string bytes(1 + random.below(2000), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    static_cast<void>(error_with(bytes));
  }
}

TEST_F(DamagedFile, GarbageAfterTheMagicIsRefused) {
  Random random(22);
  for (int round = 0; round < 300; ++round) {
    // Keep the first 8, 16 or 48 bytes: magic; byte order and version; sizes.
    const std::size_t kept = std::array<std::size_t, 3>{8, 16, 48}[random.below(3)];
    std::string bytes = whole_;
    for (std::size_t k = kept; k < bytes.size(); ++k) {
      bytes[k] = static_cast<char>(random.below(256));
    }
    static_cast<void>(error_with(bytes));
  }
}

}  // namespace
}  // namespace palate::testing
