// SPDX-License-Identifier: Apache-2.0
// The files that tools/goldens wrote with other packages.
#pragma once

#include <posenc/io/file.h>

#include <string>

namespace posenc::io {

inline const std::string kGoldens = std::string(POSENC_SOURCE_DIR) + "/tests/io/goldens/";

/// The bytes of one.
inline std::string golden(const std::string& name) { return read_file(kGoldens + name, 1 << 20); }

}  // namespace posenc::io
