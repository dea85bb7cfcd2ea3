// SPDX-License-Identifier: Apache-2.0
// Where the directory of a ZIP archive stands, and how its records hold numbers.
#pragma once

#include "src/io/npy/npy_header.h"
#include "src/io/npz/zip_directory.h"

namespace posenc::io {

/// The little-endian number at an offset of a record.
template <class T>
T zip_number(std::string_view text, std::size_t at) {
  return load<T>(reinterpret_cast<const std::byte*>(text.data() + at), std::endian::native == std::endian::big);
}
inline std::uint64_t zip_number16(std::string_view text, std::size_t at) { return zip_number<std::uint16_t>(text, at); }
inline std::uint64_t zip_number32(std::string_view text, std::size_t at) { return zip_number<std::uint32_t>(text, at); }
inline std::uint64_t zip_number64(std::string_view text, std::size_t at) { return zip_number<std::uint64_t>(text, at); }

/// The directory, which ends where the first end record begins.
struct ZipExtents {
  std::uint64_t members = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

/// Found at the end of an archive, within it and within the limits.
ZipExtents read_zip_end(const ByteSource& source);

}  // namespace posenc::io
