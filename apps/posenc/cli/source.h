// SPDX-License-Identifier: Apache-2.0
// A file that a tensor comes from: X.npy, or X.safetensors:TENSOR.
#pragma once

#include <posenc/npy.h>

namespace posenc::tool {

/// The file of FILE[:TENSOR].
std::string source_path(const std::string& words);

struct Source {
  std::string tensor;  ///< its name in a .safetensors file, else nothing
  io::Array array;
};
/// The tensor of `option`; of a .safetensors file its only one where none is named. Errors name the option.
Source read_source(std::string_view operation, std::string_view option, const std::string& words);

/// "f32 [2, 3]".
std::string shape_words(const io::Array& array);

}  // namespace posenc::tool
