// SPDX-License-Identifier: Apache-2.0
// Work in blocks: an executor runs them, each in the default floating-point environment.
#pragma once

#include <posenc/core.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "src/base/environment.h"

namespace posenc {

/// How many blocks of `size` hold `count` > 0. Asking for the one block first costs a step of one token less than the
/// division.
constexpr std::int64_t blocks(std::int64_t count, std::int64_t size) {
  return count <= size ? 1 : (count + size - 1) / size;
}

/// work(begin, end) over [0, count) in blocks of `size`. Throws std::bad_alloc where memory ended in any of them.
template <class Work>
void for_blocks(const Executor& executor, std::int64_t count, std::int64_t size, const Work& work) {
  struct Job {
    const Work& work;
    std::int64_t count, size;
    std::atomic<bool> out_of_memory = false;
  } job = {work, count, size};
  if (count == 0) return;
  if (count <= size) {  // a step of one token takes 40 ns
    const DefaultEnvironment environment;
    return work(0, count);
  }
  const auto run = [](void* context, std::int64_t index) {
    Job& of = *static_cast<Job*>(context);
    const auto block = [](void* self, std::int64_t i) {
      const Job& j = *static_cast<const Job*>(self);
      j.work(i * j.size, std::min(j.count, (i + 1) * j.size));
    };
    if (!detail::finishes(block, &of, index)) of.out_of_memory = true;
  };
  const auto run_blocks = executor.run == nullptr ? serial.run : executor.run;
  run_blocks(executor.self, blocks(count, size), run, &job);
  if (job.out_of_memory) detail::end_without_memory();
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
