// Stands in for a full disk: a child process that may not write files beyond a size.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>

#include "palate/error.hpp"

namespace palate::testing {

enum class Outcome { returned, io_error, other_error, other_exception, crashed };

/// Runs `work` in a forked child that may write files of at most `bytes`; says how it ended.
template <class Work>
Outcome run_with_file_limit(rlim_t bytes, Work work) {
  const pid_t child = ::fork();
  if (child < 0) return Outcome::crashed;
  if (child == 0) {
    // Without this the signal ends the process before write() can report EFBIG.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
    Outcome outcome = Outcome::returned;
    try {
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::exception();
      work();
    } catch (const Error& error) {
      outcome = error.code() == ErrorCode::io ? Outcome::io_error : Outcome::other_error;
    } catch (...) {
      outcome = Outcome::other_exception;
    }
    ::_exit(static_cast<int>(outcome));
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) > static_cast<int>(Outcome::crashed)) {
    return Outcome::crashed;
  }
  return static_cast<Outcome>(WEXITSTATUS(status));
}

}  // namespace palate::testing
