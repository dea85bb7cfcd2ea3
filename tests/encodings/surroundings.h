// SPDX-License-Identifier: Apache-2.0
// What surrounds a call: other executors, rounding modes and treatments of subnormal numbers.
#pragma once

#include <posenc/core.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cfenv>
#include <thread>
#include <vector>

namespace posenc::test {

/// The calling thread, last job first.
inline constexpr Executor reversed = {[](void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
                                        while (count > 0) job(context, --count);
                                      },
                                      nullptr};

/// As many threads, each with every so-many-th job.
template <std::int64_t threads>
inline constexpr Executor over_threads = {
    [](void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
      const auto run = [=](std::int64_t first) {
        for (std::int64_t i = first; i < count; i += threads) job(context, i);
      };
      std::vector<std::thread> others;
      for (std::int64_t first = 1; first < threads; ++first) others.emplace_back(run, first);
      run(0);
      for (std::thread& other : others) other.join();
    },
    nullptr};
inline constexpr Executor two_threads = over_threads<2>;

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
