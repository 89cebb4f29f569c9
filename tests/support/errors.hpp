// What went wrong, as a value to look at.
#pragma once

#include <gtest/gtest.h>

#include "palate/error.hpp"

namespace palate::testing {

/// The Error that `work` throws; a failure of the test if it throws none.
template <class Work>
Error thrown_by(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::internal, "no error"};
}

}  // namespace palate::testing
