// SPDX-License-Identifier: Apache-2.0
// The members of a ZIP archive, from foreign bytes to places that were checked.
#pragma once

#include "src/io/files/byte_source.h"

namespace posenc::io {

/// How errors name the reading of an archive.
inline constexpr std::string_view npz_reading = "read_npz";

enum class ZipMethod : std::uint16_t { stored = 0, deflated = 8 };

struct ZipMember {
  std::string name;
  ZipMethod method = {};
  std::uint32_t crc = 0;
  std::uint64_t begin = 0;   // of its bytes
  std::uint64_t stored = 0;  // bytes in the archive
  std::uint64_t size = 0;    // bytes of the member itself
};

/// The members in the order of the directory. The directory decides; the headers before the members must agree with it,
/// and all of these together cover the archive from its first byte to its last.
std::vector<ZipMember> read_zip_directory(const ByteSource& source);

/// Throws a refusal of what stands at an offset of the archive.
[[noreturn]] void refuse_npz(const ByteSource& source, std::string_view rule, std::string_view value, std::uint64_t at);

}  // namespace posenc::io
