// Every instruction set that this machine has, one after the other.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace palate::testing {

/// Runs `check` once per instruction set, then restores the choice of the best. Nothing else may
/// use a kernel meanwhile.
template <class Check>
void on_every_target(const Check& check) {
  std::size_t count = 0;
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    const std::int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    check();
    ++count;
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_GE(count, 1U);
}

}  // namespace palate::testing
