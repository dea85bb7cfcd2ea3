// SPDX-License-Identifier: Apache-2.0
// The instruction set in use by its name.
#include <gtest/gtest.h>
#include <posenc/instruction_set.h>

#include "src/engine/tables/sincos_kernel.h"

namespace posenc {
namespace {

TEST(InstructionSet, IsThatOfTheKernelsAndStaysTheSame) {
  const std::string_view name = instruction_set();
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(name, engine::kernel_target());
  EXPECT_EQ(instruction_set(), name);
}

}  // namespace
}  // namespace posenc
