// SPDX-License-Identifier: Apache-2.0
// Results of calls as bytes, without arithmetic.
#pragma once

#include <posenc/core.h>

#include <string>
#include <vector>

namespace posenc::test {

template <class T>
std::string bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

inline std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

/// The bytes that write(view) leaves in a tensor of that shape.
template <class T, class Write>
std::string filled(const std::vector<std::int64_t>& shape, const Write& write) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  std::vector<T> out(static_cast<std::size_t>(count));
  View all = view(out.data(), {count});
  all.rank = static_cast<int>(shape.size());
  for (int axis = all.rank - 1, step = 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    all.shape[a] = shape[a], all.strides[a] = step;
    step *= static_cast<int>(shape[a]);
  }
  write(all);
  return bytes(out);
}

/// Some numbers of size 1 and below, none of them short.
inline std::vector<float> numbers(std::int64_t count, std::uint32_t seed = 1) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made.push_back(std::bit_cast<float>(0x3F000000u | seed >> 9) * (seed & 1 ? 1.0f : -1.0f));
  }
  return made;
}

/// The message of the Error that `call` throws, or nothing.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace posenc::test
