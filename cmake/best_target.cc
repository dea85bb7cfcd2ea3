// SPDX-License-Identifier: Apache-2.0
// Highway's name of the best instruction set of this machine, for cmake/instruction_sets.cmake.
#include <hwy/targets.h>

#include <bit>
#include <cstdint>
#include <cstdio>

int main() {
  const auto sets = static_cast<std::uint64_t>(hwy::SupportedTargets() & HWY_TARGETS);
  std::puts(hwy::TargetName(std::int64_t{1} << std::countr_zero(sets)));  // of two, the lower bit is the better
}
