// SPDX-License-Identifier: Apache-2.0
// Which file a path leads to, and what it is by its first bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace posenc::io {

/// How errors name what concerns no single format.
inline constexpr std::string_view tensors_reading = "read_tensors";

enum class FileKind : std::uint8_t { npy = 1, npz, safetensors, index, gguf };

struct Located {
  FileKind kind = {};
  std::string path;    // of the file
  std::string config;  // config.json of the folder that was asked for; empty where there is none
};

/// Throws for a folder without tensors or with too many choices, for pickles and for files of no known kind.
Located locate(const std::string& path);

}  // namespace posenc::io
