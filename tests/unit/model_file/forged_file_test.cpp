// Headers written by hand from docs/model-file.md, with checksums that are right: what a faulty
// writer, or someone with bad intentions, could produce. Nothing here uses the layout of src/store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "model_file/checksum.hpp"
#include "model_file/model_file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "unit/model_file/sample_model.hpp"

namespace palate::testing {
namespace {

using ::testing::HasSubstr;

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string padded(std::string text) {
  text.resize((text.size() + 63) / 64 * 64);
  return text;
}

std::uint64_t hash(const std::string& text) { return checksum(std::as_bytes(std::span(text))); }

struct Entry {
  std::uint32_t name_offset = 0, name_bytes = 0, type = 2, zero = 0;
  std::uint64_t count = 0, offset = 0, bytes = 0, checksum = 0;
};

/// A file of two sections, "a" = {1, 2, 3} and "b" = {4}, each field of which a test may change.
struct Forgery {
  std::string magic = "\x89PALATE\n";
  std::uint32_t byte_order = 0x01020304;
  std::uint32_t version = 3;
  std::uint64_t file_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t description_bytes = 2;
  std::uint32_t sections = 2;
  std::uint32_t name_bytes = 2;
  std::vector<Entry> table;
  std::string names = "ab";
  std::string description = "{}";
  std::string contents;

  Forgery() {
    std::string a;
    for (const std::uint32_t value : {1, 2, 3}) append(a, value);
    std::string b;
    append(b, std::uint32_t{4});
    header_bytes = (48 + 2 * 48 + 2 + 2 + 8 + 63) / 64 * 64;
    file_bytes = header_bytes + 128;
    table = {{.name_offset = 0,
              .name_bytes = 1,
              .count = 3,
              .offset = header_bytes,
              .bytes = 12,
              .checksum = hash(a)},
             {.name_offset = 1,
              .name_bytes = 1,
              .count = 1,
              .offset = header_bytes + 64,
              .bytes = 4,
              .checksum = hash(b)}};
    contents = padded(a) + padded(b);
  }

  [[nodiscard]] std::string bytes() const {
    std::string out = magic;
    append(out, byte_order);
    append(out, version);
    append(out, file_bytes);
    append(out, header_bytes);
    append(out, description_bytes);
    append(out, sections);
    append(out, name_bytes);
    for (const Entry& entry : table) append(out, entry);
    out += names + description;
    out.resize((out.size() + 8 + 63) / 64 * 64 - 8);
    append(out, hash(out));
    return out + contents;
  }
};

std::string refusal(const std::function<void(Forgery&)>& change) {
  const TemporaryFolder folder;
  Forgery forgery;
  change(forgery);
  write_text(folder / "m.palate", forgery.bytes());
  const Error error = thrown_by([&] { static_cast<void>(read_model_file(folder / "m.palate")); });
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  return error.what();
}

constexpr const char* bad_table = "its table of parts";
constexpr const char* bad_header = "its header";

TEST(ForgedFile, WithoutAChangeIsRead) {
  const TemporaryFolder folder;
  write_text(folder / "m.palate", Forgery().bytes());
  const Parts parts = read_model_file(folder / "m.palate");
  EXPECT_EQ(parts.description, "{}");
  EXPECT_EQ(parts.arrays.size(), 2U);
  EXPECT_THAT(values<std::uint32_t>(parts, "a"), ::testing::ElementsAre(1U, 2U, 3U));
  EXPECT_THAT(values<std::uint32_t>(parts, "b"), ::testing::ElementsAre(4U));
}

TEST(ForgedFile, IsWhatTheWriterWrites) {
  const TemporaryFolder folder;
  Parts parts;
  parts.description = "{}";
  parts.put("a", Array<std::uint32_t>(std::vector<std::uint32_t>{1, 2, 3}));
  parts.put("b", Array<std::uint32_t>(std::vector<std::uint32_t>{4}));
  write_model_file(folder / "m.palate", parts);
  EXPECT_EQ(read_text(folder / "m.palate"), Forgery().bytes());
}

TEST(ForgedFile, ChecksumIsXxh3) {
  // Published values of XXH3-64 with seed 0: of nothing, and of "a".
  EXPECT_EQ(hash(""), 0x2d06800538d394c2ULL);
  EXPECT_EQ(hash("a"), 0xe6c632b61e964e1fULL);
}

TEST(ForgedFile, NewerVersionIsSaidToBeNewer) {
  const std::string text = refusal([](Forgery& f) { f.version = 4; });
  EXPECT_THAT(text, HasSubstr("newer version"));
  EXPECT_THAT(text, HasSubstr("format 4"));
  EXPECT_THAT(text, HasSubstr("update palate"));
  EXPECT_THAT(refusal([](Forgery& f) { f.version = ~0U; }), HasSubstr("newer version"));
}

TEST(ForgedFile, NewerVersionNeedNotHaveThisLayout) {
  EXPECT_THAT(refusal([](Forgery& f) {
                f.version = 4;
                f.header_bytes = ~0ULL;
                f.file_bytes = 0;
                f.sections = ~0U;
              }),
              HasSubstr("newer version"));
}

TEST(ForgedFile, OtherByteOrderIsSaidToBeThat) {
  EXPECT_THAT(refusal([](Forgery& f) {
                f.byte_order = 0x04030201;
                f.version = 0x01000000;
              }),
              HasSubstr("other byte order"));
}

TEST(ForgedFile, ImpossibleHeadsAreRefused) {
  EXPECT_THAT(refusal([](Forgery& f) { f.version = 0; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.byte_order = 0; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.header_bytes = 0; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.header_bytes = 1; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.header_bytes += 64; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.header_bytes = ~0ULL; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.description_bytes = ~0ULL; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.description_bytes = 100; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.sections = ~0U; }), HasSubstr(bad_header));
  EXPECT_THAT(refusal([](Forgery& f) { f.name_bytes = ~0U; }), HasSubstr(bad_header));
}

TEST(ForgedFile, FileOfAnotherSizeThanRecordedIsRefused) {
  EXPECT_THAT(refusal([](Forgery& f) { f.contents.pop_back(); }), HasSubstr("cut off"));
  EXPECT_THAT(refusal([](Forgery& f) { f.file_bytes = ~0ULL; }), HasSubstr("cut off"));
  EXPECT_THAT(refusal([](Forgery& f) { f.contents += "x"; }), HasSubstr("follow its end"));
}

TEST(ForgedFile, HugeCountsAreRefusedWithoutAllocating) {
  for (const std::uint64_t huge : {~0ULL, 1ULL << 62, 1ULL << 63, 1ULL << 40}) {
    EXPECT_THAT(refusal([&](Forgery& f) { f.table[0].count = huge; }), HasSubstr(bad_table));
    EXPECT_THAT(refusal([&](Forgery& f) { f.table[0].bytes = huge; }), HasSubstr(bad_table));
    EXPECT_THAT(refusal([&](Forgery& f) {
                  f.table[0].count = huge;
                  f.table[0].bytes = huge * 4;  // wraps around
                }),
                HasSubstr(bad_table));
    EXPECT_THAT(refusal([&](Forgery& f) { f.table[1].offset = huge; }), HasSubstr(bad_table));
    EXPECT_THAT(refusal([&](Forgery& f) { f.table[1].offset = -huge; }), HasSubstr(bad_table));
  }
}

TEST(ForgedFile, SectionsThatOverlapOrLeaveAGapAreRefused) {
  EXPECT_THAT(refusal([](Forgery& f) { f.table[1].offset = f.table[0].offset; }),
              HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.table[0].offset = 0; }), HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.table[1].offset += 4; }), HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) {
                f.table[1].offset += 64;
                f.contents.insert(64, 64, '\0');
                f.file_bytes += 64;
              }),
              HasSubstr(bad_table));
}

TEST(ForgedFile, BytesThatBelongToNoSectionAreRefused) {
  EXPECT_THAT(refusal([](Forgery& f) {
                f.contents += std::string(64, '\0');
                f.file_bytes += 64;
              }),
              HasSubstr(bad_table));
}

TEST(ForgedFile, LastSectionWithoutPaddingIsRefused) {
  EXPECT_THAT(refusal([](Forgery& f) {
                f.contents.resize(64 + 4);
                f.file_bytes -= 60;
              }),
              HasSubstr(bad_table));
}

TEST(ForgedFile, UnknownTypesAndPartElementsAreRefused) {
  for (const std::uint32_t type : {0U, 7U, 9U, ~0U}) {
    EXPECT_THAT(refusal([&](Forgery& f) { f.table[0].type = type; }), HasSubstr(bad_table));
  }
  // 12 bytes are no whole number of 8-byte elements.
  EXPECT_THAT(refusal([](Forgery& f) {
                f.table[0].type = 3;
                f.table[0].count = 1;
              }),
              HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.table[0].zero = 1; }), HasSubstr(bad_table));
}

TEST(ForgedFile, NamesOutOfBoundsOrderOrTwiceAreRefused) {
  EXPECT_THAT(refusal([](Forgery& f) { f.table[0].name_bytes = 0; }), HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.table[0].name_bytes = ~0U; }), HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.table[1].name_offset = ~0U; }), HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.table[1].name_offset = 0; }), HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.names = "aa"; }), HasSubstr(bad_table));
  EXPECT_THAT(refusal([](Forgery& f) { f.names = "ba"; }), HasSubstr(bad_table));
  // One byte of the names that no section claims.
  EXPECT_THAT(refusal([](Forgery& f) {
                f.names = "abc";
                f.name_bytes = 3;
              }),
              HasSubstr(bad_table));
}

TEST(ForgedFile, WrongChecksumOfASectionNamesIt) {
  EXPECT_THAT(refusal([](Forgery& f) { f.table[1].checksum ^= 1; }), HasSubstr("'b'"));
  EXPECT_THAT(refusal([](Forgery& f) { f.contents[20] = 1; }),
              HasSubstr("padding after its part 'a'"));
}

}  // namespace
}  // namespace palate::testing
