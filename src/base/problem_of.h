// SPDX-License-Identifier: Apache-2.0
// A check that does the work itself, for what cannot be judged without.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// The problem of the Error that `work` throws, or nothing.
template <class Work>
std::optional<Problem> problem_of(Work work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return error.problem();
  }
}

}  // namespace posenc
