// SPDX-License-Identifier: Apache-2.0
// Memory for inputs and outputs: touched, aligned to 2 MiB, in huge pages where the system has them.
#pragma once

#include <posenc/core.h>

#include <memory>

namespace posenc::bench {

/// Bytes that hold floats between 0.25 and 1.27; never all zero, which memory writes faster than data.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes);
  std::span<std::byte> bytes() const { return {start_.get(), size_}; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(start_.get());
  }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* start) const;
  };
  std::unique_ptr<std::byte, Unmap> start_;
  std::size_t size_;
};

/// One that a closure can hold.
std::shared_ptr<const Buffer> buffer(std::int64_t bytes);

/// The same of `count` floats in [-scale, scale), of either sign.
std::shared_ptr<const Buffer> numbers(std::int64_t count, std::uint32_t seed, float scale = 1);

}  // namespace posenc::bench
