// SPDX-License-Identifier: Apache-2.0
// The end records of a ZIP archive, of 32 bits and of ZIP64.
#include "src/io/npz/zip_end.h"

#include <posenc/io/npz.h>

#include <algorithm>

#include "src/base/quote.h"

namespace posenc::io {
namespace {

constexpr std::uint64_t end_size = 22, locator_size = 20, end64_size = 56;
// What stands for "see ZIP64".
constexpr std::uint64_t open_count = 0xFFFF, open_size = 0xFFFFFFFF;

/// One number of the end record, which ZIP64's record has too: there it may be any that the other leaves open.
std::uint64_t same_number(const ByteSource& source, std::uint64_t narrow, std::uint64_t open, std::uint64_t wide,
                          std::uint64_t at) {
  if (narrow != open && narrow != wide) {
    refuse_npz(source, "both end records must say the same", std::to_string(narrow) + " and " + std::to_string(wide),
               at);
  }
  return wide;
}

}  // namespace

ZipExtents read_zip_end(const ByteSource& source) {
  const std::uint64_t size = source.size();
  const std::string start = source.text(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, 4)));
  if (start != "PK\x03\x04" && start != "PK\x05\x06") {
    refuse_npz(source, "an archive must start with PK\\x03\\x04", quote(start), 0);
  }
  const auto cut = [&](const std::string& value) {
    refuse_npz(source, "the file is cut off or has a comment: an archive must end with its end record", value,
               size - std::min(size, end_size));
  };
  if (size < end_size) cut(std::to_string(size) + " bytes");
  const std::string end = source.text(size - end_size, end_size);
  if (!end.starts_with("PK\x05\x06") || zip_number16(end, 20) != 0) cut(quote(end.substr(0, 4)));
  if (zip_number16(end, 4) != 0 || zip_number16(end, 6) != 0 || zip_number16(end, 8) != zip_number16(end, 10)) {
    refuse_npz(source, "an archive must be one file", "parts", size - end_size);
  }
  ZipExtents found = {zip_number16(end, 10), zip_number32(end, 16), zip_number32(end, 12)};
  std::uint64_t directory_end = size - end_size;
  if (directory_end >= locator_size + end64_size) {
    const std::uint64_t at = directory_end - locator_size, begin64 = at - end64_size;
    const std::string locator = source.text(at, locator_size);
    if (locator.starts_with("PK\x06\x07")) {
      const std::string end64 = source.text(begin64, end64_size);
      if (zip_number64(locator, 8) != begin64 || !end64.starts_with("PK\x06\x06") ||
          zip_number64(end64, 4) != end64_size - 12) {
        refuse_npz(source, "ZIP64's end record must stand before its locator", std::to_string(zip_number64(locator, 8)),
                   at);
      }
      if (zip_number32(end64, 16) != 0 || zip_number32(end64, 20) != 0 ||
          zip_number64(end64, 24) != zip_number64(end64, 32)) {
        refuse_npz(source, "an archive must be one file", "parts", begin64);
      }
      found.members = same_number(source, found.members, open_count, zip_number64(end64, 32), begin64);
      found.size = same_number(source, found.size, open_size, zip_number64(end64, 40), begin64);
      found.begin = same_number(source, found.begin, open_size, zip_number64(end64, 48), begin64);
      directory_end = begin64;
    }
  }
  if (found.begin > directory_end || directory_end - found.begin != found.size) {
    refuse_npz(source, "the directory must end where its end record begins, at " + std::to_string(directory_end),
               std::to_string(found.size) + " bytes from " + std::to_string(found.begin), directory_end);
  }
  if (found.members > npz_member_limit) {
    refuse_npz(source, "an archive must have at most " + std::to_string(npz_member_limit) + " members",
               std::to_string(found.members), directory_end);
  }
  if (found.members == 0) refuse_npz(source, "an archive must have a member", "none", directory_end);
  if (found.size > npz_directory_limit) {
    refuse_npz(source, "the directory must have at most " + std::to_string(npz_directory_limit) + " bytes",
               std::to_string(found.size), found.begin);
  }
  return found;
}

}  // namespace posenc::io
