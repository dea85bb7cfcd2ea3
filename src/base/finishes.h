// SPDX-License-Identifier: Apache-2.0
// Jobs that end, whatever happens to memory: an executor is somebody's, and what a job throws could end the program.
#pragma once

#include <posenc/core.h>

#include <cstdint>

namespace posenc {

/// Both are called by other libraries of this project as well, which inline for_blocks.
///
/// job(context, index) in the default floating-point environment; false where memory ended, and then what the job held
/// is lost: the rooms that call this are compiled without exceptions.
POSENC_EXPORT bool finishes(void (*job)(void* context, std::int64_t index), void* context, std::int64_t index) noexcept;
/// Throws std::bad_alloc.
[[noreturn]] POSENC_EXPORT void end_without_memory();

}  // namespace posenc
