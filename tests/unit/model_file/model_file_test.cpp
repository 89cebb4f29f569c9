#include "model_file/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "unit/base/limited_child.hpp"
#include "unit/model_file/sample_model.hpp"

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ModelFile, GivesBackEveryTypeAndEmptyArrays) {
  const TemporaryFolder folder;
  const Parts parts = sample_parts();
  write_model_file(folder / "m.palate", parts);
  expect_equal(read_model_file(folder / "m.palate"), parts);
}

TEST(ModelFile, GivesBackTypedArrays) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", sample_parts());
  const Parts parts = read_model_file(folder / "m.palate");
  EXPECT_THAT(values<std::uint32_t>(parts, "u32"), ElementsAre(0U, 7U, 0xffffffffU));
  EXPECT_THAT(values<char>(parts, "text"), ElementsAre('a', '\0', 'z'));
  EXPECT_THAT(values<std::int64_t>(parts, "i64"), ElementsAre(-1, INT64_MIN, INT64_MAX));
  EXPECT_THAT(values<float>(parts, "empty"), IsEmpty());
  EXPECT_EQ(thrown_by([&] { static_cast<void>(parts.get<float>("u32")); }).code(),
            ErrorCode::corrupt);
}

TEST(ModelFile, MayBeEmpty) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", Parts{});
  expect_equal(read_model_file(folder / "m.palate"), Parts{});
}

TEST(ModelFile, MayHoldOnlyADescriptionOrOnlyEmptyArrays) {
  const TemporaryFolder folder;
  Parts described;
  described.description = std::string(1000, 'd');
  write_model_file(folder / "m.palate", described);
  expect_equal(read_model_file(folder / "m.palate"), described);

  Parts empty;
  empty.put("a", Array<float>());
  empty.put("b", Array<std::uint64_t>());
  write_model_file(folder / "m.palate", empty);
  expect_equal(read_model_file(folder / "m.palate"), empty);
}

TEST(ModelFile, GivesBackArraysOfLengthsAroundTheAlignment) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 1, 2, 63, 64, 65, 66, 128, 129, 130}) {
    Parts parts;
    parts.description = std::string(size, 'x');
    parts.put("a", Array<std::uint8_t>(std::vector<std::uint8_t>(size, 0xab)));
    parts.put("b", Array<std::uint8_t>(std::vector<std::uint8_t>(130 - size, 0xcd)));
    write_model_file(folder / "m.palate", parts);
    expect_equal(read_model_file(folder / "m.palate"), parts);
  }
}

TEST(ModelFile, ArraysAreAlignedForVectorCode) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", sample_parts());
  for (const auto& [name, part] : read_model_file(folder / "m.palate").arrays) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part.bytes.data()) % 64, 0U) << name;
  }
}

TEST(ModelFile, ArraysOutliveThePartsAndTheFile) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", sample_parts());
  const auto kept = [&] {
    return read_model_file(folder / "m.palate").get<std::uint32_t>("u32");
  }();
  std::filesystem::remove(folder / "m.palate");
  EXPECT_THAT(kept.span(), ElementsAre(0U, 7U, 0xffffffffU));
}

TEST(ModelFile, MayBeWrittenOverTheFileItWasReadFrom) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", sample_parts());
  const Parts parts = read_model_file(folder / "m.palate");
  write_model_file(folder / "m.palate", parts);
  expect_equal(parts, sample_parts());
  expect_equal(read_model_file(folder / "m.palate"), sample_parts());
}

TEST(ModelFile, SamePartsGiveTheSameBytes) {
  const TemporaryFolder folder;
  write_model_file(folder / "a", sample_parts());
  write_model_file(folder / "b", sample_parts());
  EXPECT_EQ(read_text(folder / "a"), read_text(folder / "b"));
}

TEST(ModelFile, LeavesNoOtherFileBehind) {
  const TemporaryFolder folder;
  write_model_file(folder / "mein größtes Modell.palate", sample_parts());
  EXPECT_THAT(folder.names(), ElementsAre("mein größtes Modell.palate"));
}

TEST(ModelFile, FullDiskIsAnIoErrorAndKeepsTheOlderFile) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", sample_parts());
  const std::string before = read_text(folder / "m.palate");
  Parts large = sample_parts();
  large.put("large", Array<std::uint8_t>(std::vector<std::uint8_t>(100000, 1)));
  // Within the header, and within a section.
  for (const rlim_t limit : {100, 50000}) {
    const Outcome outcome =
        run_with_file_limit(limit, [&] { write_model_file(folder / "m.palate", large); });
    EXPECT_EQ(outcome, Outcome::io_error);
    EXPECT_EQ(read_text(folder / "m.palate"), before);
    EXPECT_THAT(folder.names(), ElementsAre("m.palate"));
  }
}

TEST(ModelFile, WritingIntoAMissingFolderIsAnIoError) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "missing" / "m.palate";
  const Error error = thrown_by([&] { write_model_file(path, sample_parts()); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr(path.string()));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(ModelFile, PartsThatNoReaderWouldAcceptAreNotWritten) {
  const TemporaryFolder folder;
  write_text(folder / "m.palate", "old");
  Parts unnamed;
  unnamed.put("", Array<float>());
  EXPECT_EQ(thrown_by([&] { write_model_file(folder / "m.palate", unnamed); }).code(),
            ErrorCode::internal);
  Parts torn = sample_parts();
  torn.arrays["u32"].bytes = torn.arrays["u32"].bytes.first(5);
  EXPECT_EQ(thrown_by([&] { write_model_file(folder / "m.palate", torn); }).code(),
            ErrorCode::internal);
  EXPECT_EQ(read_text(folder / "m.palate"), "old");
}

TEST(ModelFile, MissingFileIsAnIoErrorThatNamesIt) {
  const TemporaryFolder folder;
  const auto path = folder / "no such.palate";
  const Error error = thrown_by([&] { static_cast<void>(read_model_file(path)); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_EQ(error.where().file, path.string());
  EXPECT_THAT(error.message(), HasSubstr("No such file"));
  EXPECT_FALSE(error.hint().empty());
}

TEST(ModelFile, FolderIsAnIoError) {
  const TemporaryFolder folder;
  const Error error = thrown_by([&] { static_cast<void>(read_model_file(folder.path())); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.message(), HasSubstr("folder"));
}

TEST(ModelFile, EmptyPathAndPathThroughAFileAreIoErrors) {
  const TemporaryFolder folder;
  write_text(folder / "file", "x");
  for (const std::filesystem::path& path : {std::filesystem::path(), folder / "file" / "m"}) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(read_model_file(path)); }).code(), ErrorCode::io);
  }
}

/// The superuser becomes user 65534 ("nobody") for as long as it lives.
struct WithoutPrivilege {
  WithoutPrivilege() {
    if (::geteuid() == 0) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  ~WithoutPrivilege() {
    if (::getuid() == 0) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
};

TEST(ModelFile, UnreadableFileIsAnIoError) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", sample_parts());
  std::filesystem::permissions(folder / "m.palate", std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  const WithoutPrivilege nobody;  // the superuser may read every file
  EXPECT_EQ(thrown_by([&] { static_cast<void>(read_model_file(folder / "m.palate")); }).code(),
            ErrorCode::io);
  EXPECT_FALSE(looks_like_model_file(folder / "m.palate"));
}

TEST(ModelFile, PipeIsAnIoErrorAndDoesNotBlock) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(read_model_file(folder / "pipe")); }).code(),
            ErrorCode::io);
  EXPECT_FALSE(looks_like_model_file(folder / "pipe"));
}

TEST(LooksLikeModelFile, KnowsModelFilesFromOthers) {
  const TemporaryFolder folder;
  write_model_file(folder / "m.palate", sample_parts());
  write_text(folder / "text", "user,item,overall\n");
  write_text(folder / "short", "\x89PAL");
  write_text(folder / "empty", "");
  EXPECT_TRUE(looks_like_model_file(folder / "m.palate"));
  EXPECT_FALSE(looks_like_model_file(folder / "text"));
  EXPECT_FALSE(looks_like_model_file(folder / "short"));
  EXPECT_FALSE(looks_like_model_file(folder / "empty"));
  EXPECT_FALSE(looks_like_model_file(folder / "missing"));
  EXPECT_FALSE(looks_like_model_file(folder.path()));
}

}  // namespace
}  // namespace palate::testing
