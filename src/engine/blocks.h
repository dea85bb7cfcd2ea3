// SPDX-License-Identifier: Apache-2.0
// Work in blocks: an executor runs them, each in the default floating-point environment.
#pragma once

#include <posenc/core.h>

#include <cfenv>

#include <algorithm>

namespace posenc::engine {

/// Round to nearest, no traps, no flush to zero while it lives; the caller's environment afterwards.
class DefaultEnvironment {
 public:
  DefaultEnvironment() {
    std::fegetenv(&caller_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultEnvironment() { std::fesetenv(&caller_); }
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

 private:
  std::fenv_t caller_;
};

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
  executor.run(executor.self, (count + size - 1) / size, run, &job);
}

}  // namespace posenc::engine
