// SPDX-License-Identifier: Apache-2.0
// Highway's dispatch, and oneDNN's for AVX2, told that the machine has one instruction set alone. Tools that a row
// starts as processes take all that it has.
#include "bench/target.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "src/engine/tables/sincos_kernel.h"

namespace posenc::bench {
namespace {

// One bit each, the best first: Highway's better targets have lower bits.
std::vector<std::int64_t> target_bits() {
  hwy::SetSupportedTargetsForTest(0);  // what the machine has
  std::vector<std::int64_t> bits;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    bits.push_back(left & -left);
  }
  return bits;
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const std::int64_t bit : target_bits()) {
    hwy::SetSupportedTargetsForTest(bit);
    names.emplace_back(engine::kernel_target());
  }
  hwy::SetSupportedTargetsForTest(0);
  return names;
}

void use_target(const std::string& name) {
  const std::vector<std::string> names = targets();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    if (name == "AVX2") ::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 0);  // read at the first product
    return hwy::SetSupportedTargetsForTest(target_bits()[static_cast<std::size_t>(found - names.begin())]);
  }
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  throw std::runtime_error("no target " + name + "; this machine has " + all);
}

}  // namespace posenc::bench
