// SPDX-License-Identifier: Apache-2.0
// The header of a GGUF file, from foreign bytes to a checked description.
#pragma once

#include "src/io/gguf/gguf_cursor.h"

namespace posenc::io {

/// A type of tensor: its number in files, how many elements a block has and how many bytes. dtype: no type where posenc
/// reads none such.
struct GgufTensorType {
  std::uint32_t number;
  std::string_view name;
  std::int64_t elements;
  std::int64_t bytes;
  DType dtype;
};
/// The type of that number, or null; and whether there was one once.
const GgufTensorType* find_gguf_type(std::uint32_t number);
bool is_removed_gguf_type(std::uint32_t number);

/// The metadata, as many keys as are stated; the cursor stands before the first.
std::vector<GgufEntry> read_gguf_metadata(GgufCursor& cursor, std::uint64_t keys);

/// All of the header.
GgufHeader read_gguf_header(const ByteSource& source);

}  // namespace posenc::io
