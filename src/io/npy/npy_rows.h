// SPDX-License-Identifier: Apache-2.0
// An .npy file, alone or within another file, whose elements are read when they are asked for.
#pragma once

#include <posenc/io/tensor_map.h>

#include "src/io/files/byte_source.h"
#include "src/io/npy/npy_header.h"

namespace posenc::io {

/// Where an .npy file stands in a source, and what messages call it.
struct NpySection {
  const ByteSource& source;
  std::uint64_t begin;
  std::uint64_t size;
  std::string_view name;
};

/// Its header, checked against its size.
NpyHeader read_npy_header(const NpySection& section);

/// All elements, where they stand if they may be mapped.
TensorMap map_npy_section(const NpySection& section, const NpyHeader& header);
/// All elements.
Array read_npy_section(const NpySection& section, const NpyHeader& header, const Watch& watch);

/// Rows first, first + 1, ... of the first axis, as many as `out` has; require_rows holds. In either order of axes
/// memory does not grow with the file.
void read_npy_rows(const NpySection& section, const NpyHeader& header, std::int64_t first, const View& out);

}  // namespace posenc::io
