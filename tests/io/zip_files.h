// SPDX-License-Identifier: Apache-2.0
// Bytes of ZIP archives written down in tests, with every number open to be made wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/io/npy_files.h"

namespace posenc::io {

/// CRC-32 of ISO 3309, bit by bit.
inline std::uint32_t zip_crc(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

/// Deflated without a match: blocks of type 0 of at most 40,000 bytes (RFC 1951, 3.2.4).
inline std::string zip_deflated(std::string_view bytes) {
  std::string out;
  do {
    const std::string_view block = bytes.substr(0, 40'000);
    bytes.remove_prefix(block.size());
    out += std::string(1, bytes.empty() ? '\1' : '\0') + little_endian(block.size(), 2) +
           little_endian(~block.size(), 2) + std::string(block);
  } while (!bytes.empty());
  return out;
}

/// One number in the directory and in the member's own header.
struct ZipNumber {
  std::uint64_t directory = 0;
  std::uint64_t local = 0;

  ZipNumber() = default;
  ZipNumber(std::uint64_t both) : directory(both), local(both) {}
  ZipNumber(std::uint64_t in_directory, std::uint64_t in_local) : directory(in_directory), local(in_local) {}
};

struct ZipPart {
  std::string name;
  std::string bytes;  // as they are stored
  ZipNumber method;
  ZipNumber crc;
  ZipNumber stored;
  ZipNumber size;
  ZipNumber flags = {};
  std::string local_name = {};       // empty: the same
  std::string directory_extra = {};  // extra fields
  std::string local_extra = {};
  std::string before = {};                   // bytes in front of its header
  std::string behind = {};                   // and behind its bytes
  std::optional<std::uint64_t> header = {};  // where the directory says that its header is
};

inline ZipPart zip_stored(std::string_view name, std::string_view bytes) {
  return {std::string(name), std::string(bytes), 0, zip_crc(bytes), bytes.size(), bytes.size()};
}
inline ZipPart zip_deflated(std::string_view name, std::string_view bytes) {
  const std::string deflated = zip_deflated(bytes);
  return {std::string(name), deflated, 8, zip_crc(bytes), deflated.size(), bytes.size()};
}

/// The numbers of the end record, and what stands between the directory and it.
struct ZipEnd {
  std::optional<std::uint64_t> members = {};
  std::optional<std::uint64_t> begin = {};
  std::optional<std::uint64_t> size = {};
  std::string comment = {};
  bool zip64 = false;  // the numbers above stand in ZIP64's record, all ones in the other
};

inline std::string zip_archive(const std::vector<ZipPart>& parts, const ZipEnd& end = {}) {
  std::string file, directory;
  for (const ZipPart& part : parts) {
    file += part.before;
    const std::string own_name = part.local_name.empty() ? part.name : part.local_name;
    const std::uint64_t header = file.size();
    file += "PK\x03\x04" + little_endian(20, 2) + little_endian(part.flags.local, 2) +
            little_endian(part.method.local, 2) + std::string(4, '\0') + little_endian(part.crc.local, 4) +
            little_endian(part.stored.local, 4) + little_endian(part.size.local, 4) +
            little_endian(own_name.size(), 2) + little_endian(part.local_extra.size(), 2) + own_name +
            part.local_extra + part.bytes + part.behind;
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + little_endian(part.flags.directory, 2) +
                 little_endian(part.method.directory, 2) + std::string(4, '\0') + little_endian(part.crc.directory, 4) +
                 little_endian(part.stored.directory, 4) + little_endian(part.size.directory, 4) +
                 little_endian(part.name.size(), 2) + little_endian(part.directory_extra.size(), 2) +
                 std::string(10, '\0') + little_endian(part.header.value_or(header), 4) + part.name +
                 part.directory_extra;
  }
  const std::uint64_t begin = file.size();
  file += directory;
  const std::uint64_t members = end.members.value_or(parts.size());
  const std::uint64_t size = end.size.value_or(directory.size()), from = end.begin.value_or(begin);
  if (end.zip64) {
    const std::uint64_t record = file.size();
    file += "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) + std::string(8, '\0') +
            little_endian(members, 8) + little_endian(members, 8) + little_endian(size, 8) + little_endian(from, 8);
    file += "PK\x06\x07" + std::string(4, '\0') + little_endian(record, 8) + little_endian(1, 4);
  }
  const std::uint64_t ones = ~std::uint64_t{0};
  return file + "PK\x05\x06" + std::string(4, '\0') + little_endian(end.zip64 ? ones : members, 2) +
         little_endian(end.zip64 ? ones : members, 2) + little_endian(end.zip64 ? ones : size, 4) +
         little_endian(end.zip64 ? ones : from, 4) + little_endian(end.comment.size(), 2) + end.comment;
}

/// The extra field of ZIP64.
inline std::string zip64_extra(const std::vector<std::uint64_t>& numbers) {
  std::string text = little_endian(1, 2) + little_endian(8 * numbers.size(), 2);
  for (const std::uint64_t number : numbers) text += little_endian(number, 8);
  return text;
}

}  // namespace posenc::io
