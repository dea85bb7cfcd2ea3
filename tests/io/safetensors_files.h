// SPDX-License-Identifier: Apache-2.0
// Bytes of safetensors files written down in tests, apart from the writer that they check.
#pragma once

#include <string>
#include <string_view>

#include "tests/io/npy_files.h"

namespace posenc::io {

/// A file of any header, its length stated rightly.
inline std::string st_file(std::string_view header, std::string_view data = "") {
  return little_endian(header.size(), 8) + std::string(header) + std::string(data);
}

/// The description of a tensor, its values as they would be written in JSON.
inline std::string st_tensor(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return R"({"dtype":)" + std::string(dtype) + R"(,"shape":)" + std::string(shape) + R"(,"data_offsets":)" +
         std::string(offsets) + "}";
}

/// `"name":description`.
inline std::string st_entry(std::string_view name, std::string_view description) {
  return "\"" + std::string(name) + "\":" + std::string(description);
}

/// A file of one tensor "w" with 16 bytes of data.
inline std::string st_single(std::string_view description) {
  return st_file("{" + st_entry("w", description) + "}", std::string(16, '\0'));
}

}  // namespace posenc::io
