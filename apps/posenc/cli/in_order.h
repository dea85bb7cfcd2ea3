// SPDX-License-Identifier: Apache-2.0
// Many pieces of work on all threads, whose results stand in their order.
#pragma once

#include <posenc/core.h>

#include <memory>
#include <optional>
#include <vector>

namespace posenc::tool {

/// work(i) for every i in [0, count). Of those that throw a posenc::Error the first in order is thrown, whichever
/// thread met it.
template <class Work>
void in_order(const Executor& executor, std::int64_t count, Work& work) {
  struct Context {
    Work* work;
    std::vector<std::unique_ptr<Error>> errors;
  } context = {&work, std::vector<std::unique_ptr<Error>>(static_cast<std::size_t>(count))};
  const auto job = [](void* self, std::int64_t i) {
    auto& of = *static_cast<Context*>(self);
    try {
      (*of.work)(i);
    } catch (const Error& error) {
      of.errors[static_cast<std::size_t>(i)] = std::make_unique<Error>(error);
    }
  };
  executor.run(executor.self, count, job, &context);
  for (const std::unique_ptr<Error>& error : context.errors) {
    if (error) throw *error;
  }
}

}  // namespace posenc::tool
