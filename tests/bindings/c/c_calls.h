// SPDX-License-Identifier: Apache-2.0
// Calls of posenc.h that must work, and tensors that both sides read.
#pragma once

#include <gtest/gtest.h>
#include <posenc.h>
#include <posenc/core.h>

#include <functional>
#include <memory>
#include <numeric>

namespace posenc {

inline void must(posenc_status status, const posenc_error& error) {
  ASSERT_EQ(status, POSENC_OK) << "[" << error.operation << "] " << error.rule << ", got " << error.value;
}
inline posenc_error fresh() {
  posenc_error error = {};
  error.size = sizeof error;
  return error;
}

template <class Handle, void (*release)(Handle*)>
struct Free {
  void operator()(Handle* handle) const { release(handle); }
};
using Described = std::unique_ptr<posenc_convention, Free<posenc_convention, posenc_convention_free>>;

// What `make(out, error)` makes.
template <class Handle, void (*release)(Handle*), class Make>
std::unique_ptr<Handle, Free<Handle, release>> made(const Make& make) {
  Handle* handle = nullptr;
  posenc_error error = fresh();
  must(make(&handle, &error), error);
  return std::unique_ptr<Handle, Free<Handle, release>>(handle);
}

inline Described described(std::string_view text) {
  return made<posenc_convention, posenc_convention_free>(
      [&](auto out, auto error) { return posenc_convention_new(text.data(), text.size(), out, error); });
}

// What `call(error)` does works.
template <class Call>
void run(const Call& call) {
  posenc_error error = fresh();
  must(call(&error), error);
}

// What `call(error)` does is refused: the status and the rule are the caller's.
template <class Call>
void refused(const char* what, const Call& call) {
  posenc_error error = fresh();
  EXPECT_EQ(call(&error), POSENC_INPUT) << what;
  EXPECT_NE(error.rule[0], '\0') << what;
}

// By the two calls.
template <class Call>
std::string text(const Call& call) {
  size_t length = 0;
  run([&](auto error) { return call(nullptr, size_t{0}, &length, error); });
  std::string written(length + 1, '?');
  run([&](auto error) { return call(written.data(), written.size(), &length, error); });
  EXPECT_EQ(length + 1, written.size());
  EXPECT_EQ(written.back(), '\0');
  written.pop_back();
  return written;
}

template <class T>
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<T> numbers;

  explicit Tensor(std::vector<std::int64_t> sizes)
      : shape(std::move(sizes)),
        numbers(static_cast<std::size_t>(
            std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()))) {}
  Tensor counted(T step) && {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i) * step;
    return std::move(*this);
  }
  posenc_view c() {
    posenc_view view = {};
    run([&](auto error) {
      return posenc_view_of(numbers.data(), static_cast<std::uint32_t>(dtype_of<T>),
                            static_cast<std::uint32_t>(shape.size()), shape.data(), &view, error);
    });
    return view;
  }
  View own() { return detail::row_major<void*>(numbers.data(), dtype_of<T>, std::span<const std::int64_t>(shape)); }
};

constexpr posenc_positions range(std::int64_t start, std::int64_t count) {
  return {POSENC_RANGE, 0, count, start, 1, 0, 0, nullptr};
}

}  // namespace posenc
