// SPDX-License-Identifier: Apache-2.0
// Memory for the rows of a block: it begins with a line of the cache, so that no vector lies across two, and is not
// written before it is used.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "src/engine/stores.h"

namespace posenc::engine {

/// `count` elements of unspecified value.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::size_t count) : data_(static_cast<T*>(::operator new(count * sizeof(T), line))) {}
  T* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t line{line_bytes};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, line); }
  };
  std::unique_ptr<T, Free> data_;
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

}  // namespace posenc::engine
