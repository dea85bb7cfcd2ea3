// SPDX-License-Identifier: Apache-2.0
// Values that are made when they are first asked for and kept as long as the program.
#pragma once

#include <atomic>

namespace posenc {

/// What make() returns. A static variable of a function would stay half made in sources without exceptions: where
/// memory ends while it is made, its guard is not given back, and every later call waits or ends. Here the next call
/// makes the value anew. Of threads that make it together the first one's is kept.
template <auto make>
const auto& made_once() {
  using Value = decltype(make());
  static constinit std::atomic<const Value*> kept = nullptr;
  if (const Value* known = kept.load(std::memory_order_acquire)) return *known;
  const Value* const made = new Value(make());
  const Value* first = nullptr;
  if (kept.compare_exchange_strong(first, made, std::memory_order_acq_rel, std::memory_order_acquire)) return *made;
  delete made;
  return *first;
}

}  // namespace posenc
