// SPDX-License-Identifier: Apache-2.0
// The floating-point environment of a thread that calls, and its errno: whatever they are, no bit may depend on them,
// and calls leave them as they were.
#pragma once

#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace posenc::proof {

/// What of a thread's state is its own: rounding, flushing and traps, of both units of x86, without the flags of past
/// exceptions; and errno.
struct CallersState {
  unsigned vectors = 0;
  unsigned short scalars = 0;
  int rounding = std::fegetround();
  int error = errno;
  friend bool operator==(const CallersState&, const CallersState&) = default;

  static CallersState now() {
    CallersState state;
#if defined(__SSE2__)
    state.vectors = _mm_getcsr() & ~0x3Fu;
    __asm__ volatile("fnstcw %0" : "=m"(state.scalars));
#elif defined(__aarch64__)
    state.vectors = static_cast<unsigned>(__builtin_aarch64_get_fpcr());
#endif
    return state;
  }
};

/// Ends the program where calls since `before` changed what is the caller's.
inline void expect_as_before(const CallersState& before) {
  if (CallersState::now() == before) return;
  std::fprintf(stderr, "posenc_bits: a call changed the caller's floating-point environment, or errno\n");
  std::exit(1);
}

inline void flush_results() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8000);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1u << 24);  // operands with them
#endif
}

inline void flush_operands() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x0040);
#elif defined(__aarch64__)
  flush_results();
#endif
}

/// Operations that are invalid, divide by zero or overflow end the program, as feenableexcept makes them.
inline void trap_exceptions() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() & ~((_MM_MASK_INVALID | _MM_MASK_DIV_ZERO | _MM_MASK_OVERFLOW) | 0x3Fu));
#endif
}

}  // namespace posenc::proof
