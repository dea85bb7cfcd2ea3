// SPDX-License-Identifier: Apache-2.0
// Work that may go on for long without asking its executor: on a thread of its own, while the caller hears signals.
#pragma once

#include <functional>

#include "bindings/python/calls.h"

namespace posenc::python {

/// Runs work(executor), which knows no Python and owns what it reads but for the memory of `held`, Python's arrays.
/// Where a handler raises, the call ends within 10 ms; the work goes on unseen to its end, and keeps `held`. What work
/// throws is thrown.
void run_apart(std::function<void(const Executor&)> work, std::shared_ptr<void> held);

/// What make(executor) gives, by such work.
template <class Make>
auto made_apart(std::shared_ptr<void> held, Make make) {
  const auto made = std::make_shared<std::optional<decltype(make(serial))>>();
  run_apart([made, make = std::move(make)](const Executor& executor) { *made = make(executor); }, std::move(held));
  return std::move(**made);
}

/// Columns and heads whose ladder or slopes take up to 50 us each.
inline constexpr std::int64_t worth_a_thread = 1024;

/// What make() gives of `count` columns, heads or ids: by such work from `least` of them on.
template <class Make>
auto made_ready(std::int64_t count, std::int64_t least, Make make, std::shared_ptr<void> held = nullptr) {
  if (count < least) return without_gil(make);
  return made_apart(std::move(held), [make = std::move(make)](const Executor&) { return make(); });
}

/// At the end of the program nothing may be at work: the interpreter waits for what was left, until a handler raises.
void bind_apart();

}  // namespace posenc::python
