// SPDX-License-Identifier: Apache-2.0
// The floating-point environment in which everything is computed.
#pragma once

#include <cfenv>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace posenc {

/// Round to nearest, no traps, no flush to zero while it lives; the caller's environment afterwards, its flags of past
/// exceptions included. On x86 the vector unit's one register holds all of it: reading that takes 5 ns, writing less
/// than one; what std::fegetenv does beside that takes 0.2 us.
class DefaultEnvironment {
 public:
  DefaultEnvironment() : caller_(read()) { write(defaults); }
  ~DefaultEnvironment() { write(caller_); }
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

 private:
#if defined(__SSE2__)
  using State = unsigned;
  static constexpr State defaults = 0x1F80;  // every exception masked
  static State read() { return _mm_getcsr(); }
  static void write(State state) { _mm_setcsr(state); }
#else
  using State = std::fenv_t;
  static constexpr struct {
  } defaults = {};
  static State read() {
    State state;
    std::fegetenv(&state);
    return state;
  }
  static void write(const State& state) { std::fesetenv(&state); }
  static void write(decltype(defaults)) { std::fesetenv(FE_DFL_ENV); }
#endif

  State caller_;
};

/// The same where the C library reads or writes decimal numbers: on x86 its strtod and printf ask the other unit, the
/// x87, how to round. Takes 0.2 us.
class DefaultTextEnvironment {
 public:
  DefaultTextEnvironment() {
    std::fegetenv(&caller_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultTextEnvironment() { std::fesetenv(&caller_); }
  DefaultTextEnvironment(const DefaultTextEnvironment&) = delete;
  DefaultTextEnvironment& operator=(const DefaultTextEnvironment&) = delete;

 private:
  std::fenv_t caller_;
};

}  // namespace posenc
