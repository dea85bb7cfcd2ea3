// SPDX-License-Identifier: Apache-2.0
// What surrounds a call: other executors, rounding modes and treatments of subnormal numbers.
#pragma once

#include <posenc/core.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cfenv>
#include <thread>

namespace posenc::test {

/// The calling thread, last job first.
inline constexpr Executor reversed = {[](void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
                                        while (count > 0) job(context, --count);
                                      },
                                      nullptr};

/// Two threads, odd jobs and even ones.
inline constexpr Executor two_threads = {
    [](void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
      std::thread odd([&] {
        for (std::int64_t i = 1; i < count; i += 2) job(context, i);
      });
      for (std::int64_t i = 0; i < count; i += 2) job(context, i);
      odd.join();
    },
    nullptr};

/// Runs `call` under a rounding mode, on x86 with subnormals flushed to zero; true when both are as before afterwards.
template <class Call>
bool survives(int rounding, const Call& call) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(rounding);
#if defined(__SSE2__)
  constexpr unsigned flush = 0x8040;
  _mm_setcsr(_mm_getcsr() | flush);
#endif
  call();
  bool kept = std::fegetround() == rounding;
#if defined(__SSE2__)
  kept = kept && (_mm_getcsr() & flush) == flush;
#endif
  std::fesetenv(&before);
  return kept;
}
inline constexpr int rounding_modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

}  // namespace posenc::test
