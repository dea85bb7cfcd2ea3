// SPDX-License-Identifier: Apache-2.0
// The one source below the edges that is compiled with exceptions: jobs end, whatever happens to memory, since an
// executor is somebody's, and what a job throws could end the program.
#include <posenc/core.h>

#include <new>
#include <utility>

#include "src/base/environment.h"

namespace posenc::detail {

bool finishes(void (*job)(void*, std::int64_t), void* context, std::int64_t index) noexcept {
  const DefaultEnvironment environment;
  try {
    job(context, index);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void end_without_memory() { throw std::bad_alloc(); }

void raise(Problem problem) { throw Error(std::move(problem)); }

}  // namespace posenc::detail
