// SPDX-License-Identifier: Apache-2.0
// Long work of one job, cut into blocks between which a signal is heard.
#pragma once

#include <posenc/core.h>

#include <algorithm>
#include <type_traits>

namespace posenc::python {

/// Elements of a block: about a millisecond of the slowest work that is cut.
inline constexpr std::int64_t block_elements = std::int64_t{1} << 18;

/// `count` places from `first` on along one axis, which may be negative.
template <class V>
V part_of(const V& all, int axis, std::int64_t first, std::int64_t count) {
  using Byte = std::conditional_t<std::is_same_v<V, View>, char, const char>;
  V view = all;
  view.data = static_cast<Byte*>(all.data) + first * all.stride(axis) * static_cast<std::int64_t>(size_of(all.dtype));
  view.shape[static_cast<std::size_t>(axis < 0 ? all.rank + axis : axis)] = count;
  return view;
}

/// each(first, count) for blocks of `block` of `total` places, in any order, from any thread.
template <class Each>
void in_blocks(const Executor& executor, std::int64_t total, std::int64_t block, const Each& each) {
  struct Job {
    const Each& each;
    std::int64_t total, block;
  } job = {each, total, block};
  const auto run = [](void* context, std::int64_t index) {
    const Job& j = *static_cast<const Job*>(context);
    const std::int64_t first = index * j.block;
    j.each(first, std::min(j.block, j.total - first));
  };
  executor.run(executor.self, (total + block - 1) / block, run, &job);
}

}  // namespace posenc::python
