#include "base/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "palate/error.hpp"
#include "support/temporary_folder.hpp"
#include "unit/base/limited_child.hpp"

namespace palate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ErrorCode code_of_writing(const std::filesystem::path& path) {
  try {
    AtomicFile file(path);
    file.write("new");
    file.commit();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    return error.code();
  }
  ADD_FAILURE() << "no error for " << path;
  return ErrorCode::internal;
}

TEST(AtomicFile, CommitShowsAllThatWasWritten) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "out");
  file.write("one ");
  file.write(std::string_view());
  const std::string binary("\0\xff\n", 3);
  file.write(std::as_bytes(std::span(binary)));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  file.commit();
  EXPECT_EQ(read_text(folder / "out"), "one " + binary);
  EXPECT_THAT(folder.names(), ElementsAre("out"));
}

TEST(AtomicFile, CommitWithoutWritingMakesAnEmptyFile) {
  const TemporaryFolder folder;
  AtomicFile(folder / "out").commit();
  EXPECT_TRUE(std::filesystem::exists(folder / "out"));
  EXPECT_EQ(read_text(folder / "out"), "");
}

TEST(AtomicFile, CommitReplacesAnOlderFile) {
  const TemporaryFolder folder;
  write_text(folder / "out", "a longer older text");
  AtomicFile file(folder / "out");
  file.write("new");
  EXPECT_EQ(read_text(folder / "out"), "a longer older text");
  file.commit();
  EXPECT_EQ(read_text(folder / "out"), "new");
}

TEST(AtomicFile, AbandonedWritingLeavesNoTrace) {
  const TemporaryFolder folder;
  { AtomicFile(folder / "out").write("half"); }
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, AbandonedWritingKeepsTheOlderFile) {
  const TemporaryFolder folder;
  write_text(folder / "out", "old");
  { AtomicFile(folder / "out").write("half"); }
  EXPECT_EQ(read_text(folder / "out"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("out"));
}

TEST(AtomicFile, NamesMayHaveSpacesAndAnyUtf8) {
  const TemporaryFolder folder;
  const auto path = folder / "größte Biere 🍺";
  AtomicFile file(path);
  file.write("x");
  file.commit();
  EXPECT_EQ(read_text(path), "x");
}

TEST(AtomicFile, ResultIsAsReadableAsAnyFileOfTheUser) {
  const TemporaryFolder folder;
  write_text(folder / "plain", "x");
  AtomicFile(folder / "out").commit();
  struct stat plain {};
  struct stat out {};
  ASSERT_EQ(::stat((folder / "plain").c_str(), &plain), 0);
  ASSERT_EQ(::stat((folder / "out").c_str(), &out), 0);
  EXPECT_EQ(out.st_mode, plain.st_mode);
}

TEST(AtomicFile, MissingFolderIsAnIoErrorThatNamesThePath) {
  const TemporaryFolder folder;
  EXPECT_EQ(code_of_writing(folder.path() / "missing" / "out"), ErrorCode::io);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, FolderAsTargetIsAnIoError) {
  const TemporaryFolder folder;
  EXPECT_EQ(code_of_writing(folder.path()), ErrorCode::io);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, NameThatIsTooLongIsAnIoError) {
  const TemporaryFolder folder;
  EXPECT_EQ(code_of_writing(folder / std::string(300, 'x')), ErrorCode::io);
}

TEST(AtomicFile, PipeAsTargetIsAnIoErrorAndStays) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(code_of_writing(folder / "pipe"), ErrorCode::io);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_THAT(folder.names(), ElementsAre("pipe"));
}

TEST(AtomicFile, FileUsedAsAFolderIsAnIoError) {
  const TemporaryFolder folder;
  write_text(folder / "file", "old");
  EXPECT_EQ(code_of_writing(folder.path() / "file" / "out"), ErrorCode::io);
  EXPECT_EQ(read_text(folder / "file"), "old");
}

TEST(AtomicFile, TargetThatBecomesAFolderMeanwhileIsAnIoErrorAtCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "out");
  file.write("new");
  std::filesystem::create_directory(folder / "out");
  try {
    file.commit();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
  EXPECT_THAT(folder.names(), ElementsAre("out"));
}

TEST(AtomicFile, FullDiskIsAnIoErrorAndKeepsTheOlderFile) {
  const TemporaryFolder folder;
  write_text(folder / "out", "old");
  const Outcome outcome = run_with_file_limit(1000, [&] {
    AtomicFile file(folder / "out");
    file.write(std::string(5000, 'x'));
    file.commit();
  });
  EXPECT_EQ(outcome, Outcome::io_error);
  EXPECT_EQ(read_text(folder / "out"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("out"));
}

// A child that writes half of the file and is killed.
void write_half_and_die(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(path);
    file.write("half");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
}

TEST(AtomicFile, WhatAKilledWriterLeftGoesWithTheNextWriting) {
  const TemporaryFolder folder;
  write_half_and_die(folder / "out");
  EXPECT_EQ(folder.names().size(), 1U) << "the half file, under another name";
  {
    AtomicFile file(folder / "out");
    file.write("whole");
    file.commit();
  }
  EXPECT_THAT(folder.names(), ElementsAre("out"));
  EXPECT_EQ(read_text(folder / "out"), "whole");
}

TEST(AtomicFile, LeftoversAreRemovedAndWhatOthersWriteOrNameAlikeStays) {
  const TemporaryFolder folder;
  write_half_and_die(folder / "out");
  write_text(folder / "out.backup", "mine");
  write_text(folder / "out.palate-writes-", "mine");
  AtomicFile other(folder / "out");
  other.write("on its way");
  AtomicFile::remove_leftovers(folder / "out");
  EXPECT_EQ(folder.names().size(), 3U);
  other.commit();
  EXPECT_THAT(folder.names(), ElementsAre("out", "out.backup", "out.palate-writes-"));
}

TEST(AtomicFile, WritersAtTheSameTimeDoNotMixTheirBytes) {
  const TemporaryFolder folder;
  const std::size_t size = 100000;
  {
    std::vector<std::jthread> writers;
    for (const char letter : {'a', 'b', 'c', 'd'}) {
      writers.emplace_back([&folder, letter] {
        AtomicFile file(folder / "out");
        for (std::size_t k = 0; k < size; k += 1000) file.write(std::string(1000, letter));
        file.commit();
      });
    }
  }
  const std::string text = read_text(folder / "out");
  ASSERT_EQ(text.size(), size);
  EXPECT_EQ(text, std::string(size, text[0]));
  EXPECT_THAT(folder.names(), ElementsAre("out"));
}

}  // namespace
}  // namespace palate::testing
