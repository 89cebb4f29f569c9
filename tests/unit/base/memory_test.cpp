#include "base/memory.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace palate {
namespace {

TEST(AvailableMemory, IsSomeAndNoMoreThanTheMachineHas) {
  const auto pages = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_GT(available_memory(), 0U);
  EXPECT_LE(available_memory(), pages * page);
}

TEST(AvailableMemory, HeedsTheLimitOfTheProcess) {
  if (::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr) {
    GTEST_SKIP() << "the address sanitizer takes more address space than any limit leaves";
  }
  const ::pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{std::size_t{1} << 30U, std::size_t{1} << 30U};
    const bool set = ::setrlimit(RLIMIT_AS, &limit) == 0;
    ::_exit(set && available_memory() < (std::size_t{1} << 30U) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace palate
