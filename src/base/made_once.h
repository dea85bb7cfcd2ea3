// SPDX-License-Identifier: Apache-2.0
// Values that are made when they are first asked for and kept as long as the program.
#pragma once

#include <atomic>

namespace posenc {

/// Returns the value of make(), computed by the first call. A static variable of a function keeps its guard if
/// std::bad_alloc leaves its initializer in a source without exceptions, and every later call waits or terminates. Here
/// the next call computes the value again. If threads race, the first result is kept.
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
