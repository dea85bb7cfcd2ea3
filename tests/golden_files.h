// SPDX-License-Identifier: Apache-2.0
// Reading golden files: the index of a room's goldens, and arrays that NumPy wrote.
//
// The reader shares no code with posenc::io. It takes what the golden scripts write (version 1.0, little-endian,
// row-major, f2 f4 f8 i4 i8) and throws std::runtime_error at anything else.
#pragma once

#include <posenc/core.h>

#include <nlohmann/json_fwd.hpp>

namespace posenc::test {

/// tests/<room>/goldens/<file>
std::string golden_path(std::string_view room, std::string_view file);

/// An index of tests/<room>/goldens. Include <nlohmann/json.hpp> to use it.
nlohmann::json golden_index(std::string_view room, std::string_view file = "index.json");

/// A tensor in row-major order.
struct GoldenArray {
  DType dtype = {};
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  ConstView view() const;
  /// All elements; T is the array's type.
  template <class T>
  std::span<const T> values() const {
    if (dtype_of<T> != dtype) throw std::runtime_error("a golden of another type");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

GoldenArray read_golden(const std::string& path);
/// The bf16 array whose 16-bit patterns stand in an i32 array.
GoldenArray bfloat16_of(const GoldenArray& patterns);
/// read_golden of an entry of index.json, which is `stored_as` i32 where it is bf16.
GoldenArray read_golden(std::string_view room, const nlohmann::json& entry);

}  // namespace posenc::test
