// SPDX-License-Identifier: Apache-2.0
// What is said where the certain path comes to its end.
#pragma once

#include <posenc/core.h>

#include <atomic>
#include <string>

namespace posenc {

/// Some output is unspecified: the one failure that is found after outputs were written (core.h). Cold, so that callers
/// do not pay a call for having none.
[[gnu::cold, gnu::noinline]] inline Problem undecided(std::string_view operation) {
  return {std::string(operation), "every entry must be told from a rounding boundary by 2^15 bits", "one that is not"};
}
inline std::optional<Problem> undecided_unless(bool decided, std::string_view operation) {
  return decided ? std::nullopt : std::optional(undecided(operation));
}

/// Whether every block of a call was settled; blocks say so from any thread.
class Decided {
 public:
  void also(bool decided) {
    if (!decided) all_.store(false, std::memory_order_relaxed);
  }
  bool all() const { return all_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> all_ = true;
};

}  // namespace posenc
