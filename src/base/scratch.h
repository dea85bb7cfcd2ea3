// SPDX-License-Identifier: Apache-2.0
// Memory for the rows of a block: it begins with a line of the cache, so that no vector lies across two, and is not
// written before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/base/stores.h"

namespace posenc {

/// `count` elements of unspecified value. The line is found here, not asked of the system: glibc before 2.39 does not
/// reuse at once what it has aligned (its bug 30723): a thread that takes and frees the same has it up to eight times.
/// A sanitizer sees what is written behind the room, so an overrun by less than a line may hide from it.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::size_t count)
      : room_(std::make_unique_for_overwrite<std::byte[]>(count * sizeof(T) + most_before)) {}
  T* data() const {
    std::byte* const room = room_.get();
    return reinterpret_cast<T*>(room + -reinterpret_cast<std::uintptr_t>(room) % line_bytes);
  }

 private:
  static constexpr std::size_t most_before = line_bytes - 1;
  std::unique_ptr<std::byte[]> room_;
};

/// Memory for one use where it stands: up to 4 KiB, the rows of a decoding step, without an allocation, which is a
/// quarter of such a step's time.
template <class T>
class LocalScratch {
 public:
  LocalScratch() {}
  LocalScratch(const LocalScratch&) = delete;
  LocalScratch& operator=(const LocalScratch&) = delete;

  T* take(std::size_t count) {
    if (count * sizeof(T) <= sizeof room_) return reinterpret_cast<T*>(room_);
    more_ = Scratch<T>(count);
    return more_.data();
  }

 private:
  alignas(64) std::byte room_[4096];
  Scratch<T> more_;
};

}  // namespace posenc
