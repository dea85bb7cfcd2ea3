// SPDX-License-Identifier: Apache-2.0
// What the machine's memory allows: plain loops over the bytes of a row, on pinned threads.
#pragma once

#include "bench/row.h"

namespace posenc::bench {

std::string_view to_string(Ceiling ceiling);

/// Seconds that one pass of the ceiling takes over the work's bytes, the mean of `passes`, on `threads` threads that
/// start together. Each has a CPU of its own, so there must be as many.
double ceiling_seconds(Ceiling ceiling, const Work& work, int threads, int passes);

}  // namespace posenc::bench
