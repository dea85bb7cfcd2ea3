// SPDX-License-Identifier: Apache-2.0
// Floating-point environments of a caller: other roundings, flushed subnormal numbers, traps. A function has the result
// that it has in the default one, and the caller has his environment afterwards.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/proof/environment.h"

namespace posenc::test {

struct Environment {
  const char* name;
  void (*enter)();
};
inline const Environment environments[] = {
    {"upward", [] { std::fesetround(FE_UPWARD); }},
    {"downward", [] { std::fesetround(FE_DOWNWARD); }},
    {"to zero", [] { std::fesetround(FE_TOWARDZERO); }},
    {"flushed",
     [] {
       proof::flush_results();
       proof::flush_operands();
     }},
    {"traps", proof::trap_exceptions},
    {"upward, flushed, traps",
     [] {
       std::fesetround(FE_UPWARD);
       proof::flush_results();
       proof::flush_operands();
       proof::trap_exceptions();
     }},
};

/// A call with its result as text or bytes.
struct Row {
  const char* name;
  std::function<std::string()> call;
};

/// Holds a row to all environments. Nothing of the test itself computes inside them.
inline void expect_same_everywhere(const Row& row) {
  const std::string expected = row.call();
  for (const Environment& environment : environments) {
    std::fenv_t before;
    std::fegetenv(&before);
    environment.enter();
    const proof::CallersState entered = proof::CallersState::now();
    const std::string result = row.call();
    const bool kept = proof::CallersState::now() == entered;
    std::fesetenv(&before);
    EXPECT_EQ(result, expected) << row.name << ", " << environment.name;
    EXPECT_TRUE(kept) << row.name << ", " << environment.name << ": the environment is another one";
  }
}

}  // namespace posenc::test
