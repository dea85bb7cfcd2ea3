// SPDX-License-Identifier: Apache-2.0
// Runs a body once for every instruction set that this machine has and this file's compiler can name.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <string>

#include "src/engine/tables/sincos_kernel.h"

namespace posenc::engine {

template <class Body>
void on_every_target(const Body& body) {
  int ran = 0;
  for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    const std::string name = kernel_target();
    SCOPED_TRACE(name);
    body();
    std::printf("ran on %s\n", name.c_str());
    ++ran;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(ran, 1);
}

}  // namespace posenc::engine
