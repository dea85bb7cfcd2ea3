// SPDX-License-Identifier: Apache-2.0
// Work in blocks: an executor runs them, each in the default floating-point environment.
#pragma once

#include <posenc/core.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <optional>
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

/// How many blocks of `size` hold `count` > 0. Asking for the one block first costs a step of one token less than the
/// division.
constexpr std::int64_t blocks(std::int64_t count, std::int64_t size) {
  return count <= size ? 1 : (count + size - 1) / size;
}

/// work(begin, end) over [0, count) in blocks of `size`.
template <class Work>
void for_blocks(const Executor& executor, std::int64_t count, std::int64_t size, const Work& work) {
  struct Job {
    const Work& work;
    std::int64_t count, size;
  } job = {work, count, size};
  const auto run = [](void* context, std::int64_t index) {
    const DefaultEnvironment environment;
    const Job& j = *static_cast<const Job*>(context);
    j.work(index * j.size, std::min(j.count, (index + 1) * j.size));
  };
  if (count == 0) return;
  if (count <= size) return run(&job, 0);
  executor.run(executor.self, blocks(count, size), run, &job);
}

/// The first of `count` places that has a problem, where blocks of them are checked from any thread.
class FirstWrong {
 public:
  explicit FirstWrong(std::int64_t count) : count_(count), first_(count) {}

  /// Of places begin to end - 1; check(place) is a problem or nothing.
  template <class Check>
  void look(std::int64_t begin, std::int64_t end, const Check& check) {
    for (std::int64_t i = begin; i < std::min(end, first_.load(std::memory_order_relaxed)); ++i) {
      if (check(i)) return move_to(i);
    }
  }
  template <class Check>
  std::optional<Problem> problem(const Check& check) const {
    const std::int64_t first = first_;
    return first == count_ ? std::nullopt : check(first);
  }

 private:
  void move_to(std::int64_t place) {
    std::int64_t first = first_;
    while (place < first && !first_.compare_exchange_weak(first, place)) {
    }
  }

  std::int64_t count_;
  std::atomic<std::int64_t> first_;
};

}  // namespace posenc
