// SPDX-License-Identifier: Apache-2.0
// Reference counts, by atomic additions.
#include <posenc/shared.h>

#include <atomic>

namespace posenc::detail {

SharedCount* share(SharedCount* count) noexcept {
  if (count != nullptr) std::atomic_ref(count->holders).fetch_add(1, std::memory_order_relaxed);
  return count;
}

void release(SharedCount* count) noexcept {
  // Acquire and release: reads of the object by every holder happen before its destruction.
  if (count != nullptr && std::atomic_ref(count->holders).fetch_sub(1, std::memory_order_acq_rel) == 1)
    count->end(count);
}

}  // namespace posenc::detail
