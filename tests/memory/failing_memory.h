// SPDX-License-Identifier: Apache-2.0
// Memory that ends: operator new of this program, which throws when it is told to, and counts what is not given back.
#pragma once

#include <cstdint>

namespace posenc::memory {

/// Allocation number n from now on, the first being 0, ends with std::bad_alloc; the next ones do not.
void fail_at(std::int64_t n);
/// No allocation fails any more. Whether one did.
bool stop_failing();
/// Pieces of memory that are held.
std::int64_t held();

}  // namespace posenc::memory
