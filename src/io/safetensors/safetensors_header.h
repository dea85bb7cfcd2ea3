// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file, from foreign bytes to a checked description.
#pragma once

#include <posenc/io/safetensors.h>

namespace posenc::io {

/// How errors name the reading of a file.
inline constexpr std::string_view safetensors_reading = "read_safetensors";

/// A type of element as headers name it. dtype: no type where posenc reads none such.
struct StoredType {
  std::string_view name;
  int bits;
  DType dtype;
};

/// The type of that name, or null.
const StoredType* find_stored_type(std::string_view name);
/// The name under which a type is stored.
std::string_view stored_name(DType dtype);

/// A file as far as its header needs it: its name in messages and how many bytes it has.
struct SafetensorsFile {
  std::string_view name;
  std::uint64_t size;
};

/// How many of the first bytes of a file header_length wants to see.
inline constexpr std::size_t safetensors_start = 32;

/// Whether a file whose first bytes these are can be nothing else: its length is within the limit and `{` follows.
bool starts_like_safetensors(std::string_view start);
/// What a file of another kind may be by its first bytes, such as "; this looks like an HDF5 file"; or nothing.
std::string_view looks_like(std::string_view start);

/// The length of the header, checked against the limit and the file. `start`: the file's first bytes.
std::uint64_t header_length(std::string_view start, const SafetensorsFile& file);

/// The tensors and metadata that a header's JSON names, in its order; nothing is checked yet across values.
SafetensorsHeader read_header_json(std::string_view header, const SafetensorsFile& file);

/// read_header_json, then the checks of sizes, offsets and the end of the file.
SafetensorsHeader read_header(std::string_view header, const SafetensorsFile& file);

/// Throws a refusal; `value` is followed by the tensor's name, where there is one, and the file's.
[[noreturn]] void refuse_safetensors(std::string_view rule, std::string_view value, const SafetensorsFile& file,
                                     std::optional<std::string_view> tensor = std::nullopt);

}  // namespace posenc::io
