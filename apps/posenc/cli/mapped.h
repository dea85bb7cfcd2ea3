// SPDX-License-Identifier: Apache-2.0
// A tensor that is read where it stands in its file.
#pragma once

#include <posenc/io/tensor_files.h>

namespace posenc::tool {

/// The tensor that FILE[:TENSOR] names, or -[:TENSOR] in memory; without a name the only one.
io::TensorMap map_named_tensor(std::string_view operation, const std::string& words);

}  // namespace posenc::tool
