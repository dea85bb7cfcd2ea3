// SPDX-License-Identifier: Apache-2.0
// Jobs that end, whatever happens to memory: an executor is somebody's, and what a job throws could end the program.
#pragma once

#include <cstdint>

namespace posenc {

/// job(context, index) in the default floating-point environment; false where memory ended, and then what the job held
/// is lost: the rooms that call this are compiled without exceptions.
bool finishes(void (*job)(void* context, std::int64_t index), void* context, std::int64_t index) noexcept;
/// Throws std::bad_alloc.
[[noreturn]] void end_without_memory();

}  // namespace posenc
