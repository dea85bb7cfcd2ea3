// SPDX-License-Identifier: Apache-2.0
// Where a tensor comes from: X.npy, X.safetensors:TENSOR, or standard input, which has the bytes of either.
#pragma once

#include <posenc/io/npy.h>

namespace posenc::tool {

/// The file of FILE[:TENSOR].
std::string source_path(const std::string& words);

struct Source {
  std::string tensor;  ///< its name in a .safetensors file, else nothing
  io::Array array;
};
/// The tensor of `option`: FILE[:TENSOR], or -[:TENSOR] of standard input; of several tensors one must be named. Errors
/// name the option.
Source read_source(std::string_view operation, std::string_view option, const std::string& words);

/// The tensor in the bytes of standard input: an .npy, or a .safetensors and the tensor of that name.
Source read_standard_input(std::string_view operation, std::string_view option, const std::string& tensor);

/// "f32 [2, 3]".
std::string shape_words(const io::Array& array);

}  // namespace posenc::tool
