// SPDX-License-Identifier: Apache-2.0
// The entries of a ladder, each rounded once: a million of them take a second, however they are stated.
#pragma once

#include <vector>

#include "src/plan/ladder.h"

namespace posenc::plan {

/// Appends RN(entry) of every entry; false, and zeros there, where 2^15 bits do not settle one.
template <class T>
[[nodiscard]] bool append_rounded(const Ladder& ladder, std::vector<T>& to);

}  // namespace posenc::plan
