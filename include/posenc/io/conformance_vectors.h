// SPDX-License-Identifier: Apache-2.0
// The test vectors of every preset as the bytes of two files: an index and the numbers.
// Thread safety: plain values; the function is safe to call from any thread.
#pragma once

#include <posenc/referee/conformance.h>

#include <cstddef>

namespace posenc::io {

/// The names of both files; the index names the other one.
inline constexpr std::string_view conformance_index_name = "index.json";
inline constexpr std::string_view conformance_numbers_name = "vectors.safetensors";
/// Stands in the index, and changes with any byte of the two.
inline constexpr int conformance_version = 1;

struct ConformanceVectors {
  std::string index;               ///< JSON, a case a line; docs/conformance.md has its keys
  std::vector<std::byte> numbers;  ///< safetensors
  std::int64_t cases = 0, tensors = 0, without = 0;
};

/// All cases: of each the exact values in f32 and f64, and the values of its original's recipe in f32; of integers the
/// values alone. The same bytes on every machine.
POSENC_EXPORT ConformanceVectors conformance_vectors();

}  // namespace posenc::io
