// SPDX-License-Identifier: Apache-2.0
// A reference-counted immutable value, for the library's own classes.
#pragma once

#include <posenc/core.h>

#include <cstdint>
#include <utility>

namespace posenc::detail {

/// The reference count of an object, and the function that destroys it.
struct SharedCount {
  void (*end)(SharedCount* self);
  std::int64_t holders = 1;  // written by share and release alone
};

/// Thread-safe; both accept a null count and then do nothing.
POSENC_EXPORT SharedCount* share(SharedCount* count) noexcept;  ///< `count`, held once more
POSENC_EXPORT void release(SharedCount* count) noexcept;        ///< the last one ends the object

/// An object that nobody changes and the last holder destroys: what std::shared_ptr<const T> is, whose header is a
/// third of what a program reads here. T may be incomplete but where one is made or read.
template <class T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T object) {
    auto* const held = new Held{{&Held::destroy}, std::move(object)};
    count_ = held, object_ = &held->object;
  }
  Shared(const Shared& other) noexcept : count_(share(other.count_)), object_(other.object_) {}
  Shared(Shared&& other) noexcept
      : count_(std::exchange(other.count_, nullptr)), object_(std::exchange(other.object_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(count_, other.count_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Shared() { release(count_); }

  const T& operator*() const noexcept { return *object_; }
  const T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  struct Held : SharedCount {
    T object;

    static void destroy(SharedCount* self) { delete static_cast<Held*>(self); }
  };

  SharedCount* count_ = nullptr;
  const T* object_ = nullptr;
};

}  // namespace posenc::detail
