// SPDX-License-Identifier: Apache-2.0
// The directory of a ZIP archive, and the header before each member.
#include "src/io/npz/zip_directory.h"

#include <posenc/io/npz.h>

#include <algorithm>
#include <set>

#include "src/base/quote.h"
#include "src/io/files/pickle.h"
#include "src/io/npz/zip_end.h"

namespace posenc::io {
namespace {

// Sizes of records without their names and extra fields, and the value that stands for "see ZIP64".
constexpr std::uint64_t entry_size = 46, local_size = 30, no_size = 0xFFFFFFFF;
constexpr std::uint16_t has_descriptor = 1 << 3;

// ---- extra fields -------------------------------------------------------------------------------

/// The field of ZIP64 (id 1) among the extra fields; empty where there is none.
std::string_view zip64_field(const ByteSource& source, std::string_view extra, std::uint64_t at) {
  std::string_view found;
  while (!extra.empty()) {
    const bool whole = extra.size() >= 4 && zip_number16(extra, 2) <= extra.size() - 4;
    if (!whole) {
      refuse_npz(source, "an extra field must end within its record", std::to_string(extra.size()) + " bytes", at);
    }
    const auto size = static_cast<std::size_t>(zip_number16(extra, 2));
    if (zip_number16(extra, 0) == 1) {
      if (!found.empty()) refuse_npz(source, "ZIP64's extra field must stand only once", "two", at);
      found = extra.substr(4, size);
    }
    extra.remove_prefix(4 + size);
  }
  return found;
}

/// The number that stands in 32 bits, or next in the field of ZIP64 where these are all ones.
std::uint64_t take_wide(const ByteSource& source, std::uint64_t narrow, std::string_view& field, std::uint64_t at) {
  if (narrow != no_size) return narrow;
  if (field.size() < 8) refuse_npz(source, "a size of 2^32 - 1 needs ZIP64's extra field", "none", at);
  const std::uint64_t wide = zip_number64(field, 0);
  field.remove_prefix(8);
  return wide;
}

// ---- the directory ------------------------------------------------------------------------------

/// A member, and what its own header must say too.
struct Entry {
  ZipMember member;
  std::uint64_t header = 0;  // offset of its own header
  std::uint64_t at = 0;      // of its entry in the directory
  std::uint16_t flags = 0;
  std::uint64_t end = 0;  // of its bytes
};

void check_name(const ByteSource& source, std::string_view name, std::uint64_t at) {
  if (name == "data.pkl" || name.ends_with("/data.pkl"))
    refuse_npz(source, pickle_rule, quote(name, Keep::tail, 40), at);
  const auto refuse = [&](std::string_view rule) { refuse_npz(source, rule, quote(name, Keep::head, 40), at); };
  if (find_not_utf8(name) != name.npos) refuse("the name of a member must be UTF-8");
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
    refuse("the name of a member must have no control bytes");
  }
  const std::string between = "/" + std::string(name) + "/";
  for (const std::string_view part : {"//", "/./", "/../", "\\"}) {
    if (between.find(part) != between.npos) refuse("the name of a member must not lead out of a folder");
  }
  if (!name.ends_with(".npy")) refuse("a member must be an .npy file, by its name");
}

std::string_view method_name(std::uint64_t method) {
  switch (method) {
    case 9: return " (deflate64)";
    case 12: return " (bzip2)";
    case 14: return " (LZMA)";
    case 93: return " (zstd)";
    case 95: return " (xz)";
    default: return "";
  }
}

void check_kind(const ByteSource& source, std::uint64_t flags, std::uint64_t method, std::uint64_t at) {
  constexpr std::uint64_t encrypted = 1 << 0 | 1 << 6 | 1 << 13;
  constexpr std::uint64_t known = 1 << 1 | 1 << 2 | has_descriptor | 1 << 11;  // 1, 2: effort; 11: a name in UTF-8
  if ((flags & encrypted) != 0)
    refuse_npz(source, "a member must not be encrypted", "flags " + std::to_string(flags), at);
  if ((flags & ~known) != 0) refuse_npz(source, "a member must have known flags", std::to_string(flags), at);
  if (method != static_cast<std::uint64_t>(ZipMethod::stored) &&
      method != static_cast<std::uint64_t>(ZipMethod::deflated)) {
    refuse_npz(source, "a member must be stored or deflated",
               "method " + std::to_string(method) + std::string(method_name(method)), at);
  }
}

void check_size(const ByteSource& source, const Entry& entry) {
  constexpr std::uint64_t most_times = 1032;  // deflate: 258 bytes of 2 bits
  const ZipMember& member = entry.member;
  const auto refuse = [&](const std::string& rule) {
    refuse_npz(source, rule, std::to_string(member.size) + " in " + std::to_string(member.stored), entry.at);
  };
  if (member.size > npy_file_limit) refuse("a member must have at most " + std::to_string(npy_file_limit) + " bytes");
  if (member.stored > source.size()) refuse("a member must be within the archive");
  if (member.method == ZipMethod::stored) {
    if (member.size != member.stored) refuse("a stored member must be as large as what it is stored in");
    return;
  }
  if (member.size / most_times > member.stored) refuse("deflated bytes grow at most 1032 times");
  if (member.size > npz_inflated_limit && member.size / npz_ratio_limit >= member.stored) {
    refuse("more than " + std::to_string(npz_inflated_limit) + " bytes must be less than " +
           std::to_string(npz_ratio_limit) + " times as many as deflated");
  }
}

/// The entry at the start of `rest`, which goes on to the next.
Entry take_entry(const ByteSource& source, std::string_view& rest, std::uint64_t at) {
  if (rest.size() < entry_size || !rest.starts_with("PK\x01\x02")) {
    refuse_npz(source, "the directory must hold as many members as its end record says", quote(rest.substr(0, 4)), at);
  }
  const std::uint64_t name_size = zip_number16(rest, 28), extra_size = zip_number16(rest, 30),
                      comment_size = zip_number16(rest, 32);
  if (name_size + extra_size + comment_size > rest.size() - entry_size) {
    refuse_npz(source, "a member's entry must end within the directory", std::to_string(rest.size()) + " bytes", at);
  }
  Entry entry;
  entry.at = at;
  entry.member.name = rest.substr(entry_size, static_cast<std::size_t>(name_size));
  check_name(source, entry.member.name, at);
  entry.flags = zip_number<std::uint16_t>(rest, 8);
  check_kind(source, entry.flags, zip_number16(rest, 10), at);
  entry.member.method = ZipMethod{zip_number<std::uint16_t>(rest, 10)};
  entry.member.crc = zip_number<std::uint32_t>(rest, 16);
  if (zip_number16(rest, 34) != 0) refuse_npz(source, "an archive must be one file", "parts", at);
  std::string_view field = zip64_field(
      source, rest.substr(static_cast<std::size_t>(entry_size + name_size), static_cast<std::size_t>(extra_size)), at);
  entry.member.size = take_wide(source, zip_number32(rest, 24), field, at);
  entry.member.stored = take_wide(source, zip_number32(rest, 20), field, at);
  entry.header = take_wide(source, zip_number32(rest, 42), field, at);
  check_size(source, entry);
  rest.remove_prefix(static_cast<std::size_t>(entry_size + name_size + extra_size + comment_size));
  return entry;
}

// ---- the members' own headers -------------------------------------------------------------------

/// The header before a member agrees with the directory; fills in where its bytes begin and end.
void read_local(const ByteSource& source, std::uint64_t directory, Entry& entry) {
  ZipMember& member = entry.member;
  const auto refuse = [&](std::string_view what) {
    refuse_npz(source, "the header of a member must agree with the directory, here its " + std::string(what),
               quote(member.name, Keep::head, 40), entry.header);
  };
  if (entry.header > directory || directory - entry.header < local_size) refuse("place");
  const std::string header = source.text(entry.header, local_size);
  if (!header.starts_with("PK\x03\x04")) refuse("first bytes");
  const std::uint64_t name_size = zip_number16(header, 26), extra_size = zip_number16(header, 28);
  const std::uint64_t room = directory - entry.header - local_size;
  if (name_size + extra_size > room) refuse("size");
  const std::string names = source.text(entry.header + local_size, static_cast<std::size_t>(name_size + extra_size));
  const std::string_view name = std::string_view(names).substr(0, static_cast<std::size_t>(name_size));
  std::string_view field =
      zip64_field(source, std::string_view(names).substr(static_cast<std::size_t>(name_size)), entry.header);
  if (name != member.name) refuse("name");
  if (zip_number16(header, 6) != entry.flags) refuse("flags");
  if (zip_number16(header, 8) != static_cast<std::uint64_t>(member.method)) refuse("method");
  // Where they were not known when the header was written, they stand in a descriptor behind the member.
  const bool later = (entry.flags & has_descriptor) != 0;
  const auto agrees = [&](std::uint64_t value, std::uint64_t stated) {
    return value == stated || (later && value == 0);
  };
  if (!agrees(zip_number32(header, 14), member.crc)) refuse("CRC-32");
  if (!agrees(take_wide(source, zip_number32(header, 22), field, entry.header), member.size)) refuse("size");
  if (!agrees(take_wide(source, zip_number32(header, 18), field, entry.header), member.stored)) refuse("stored size");
  if (member.stored > room - name_size - extra_size) refuse("stored size");
  member.begin = entry.header + local_size + name_size + extra_size;
  entry.end = member.begin + member.stored;
}

std::string little_endian_bytes(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xFF);
  return text;
}

/// Whether the bytes between a member and what follows are its descriptor: CRC-32 and sizes of 4 or 8 bytes, with or
/// without a signature.
bool is_descriptor(const ByteSource& source, const Entry& entry, std::uint64_t next) {
  const std::uint64_t count = next - entry.end;
  if (count > 24) return false;
  const std::string there = source.text(entry.end, static_cast<std::size_t>(count));
  for (const int width : {4, 8}) {
    const std::string plain = little_endian_bytes(entry.member.crc, 4) +
                              little_endian_bytes(entry.member.stored, width) +
                              little_endian_bytes(entry.member.size, width);
    if (there == plain || there == "PK\x07\x08" + plain) return true;
  }
  return false;
}

/// One member after another, from the first byte to the directory.
void check_cover(const ByteSource& source, std::vector<Entry*> by_place, std::uint64_t directory) {
  std::ranges::sort(by_place, {}, &Entry::header);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < by_place.size(); ++i) {
    const Entry& entry = *by_place[i];
    const std::string name = quote(entry.member.name, Keep::head, 40);
    if (entry.header != expected) {
      refuse_npz(
          source,
          "members must not share bytes, nor leave some between them: the next byte is " + std::to_string(expected),
          name, entry.header);
    }
    expected = entry.end;
    if ((entry.flags & has_descriptor) != 0) {
      const std::uint64_t next = i + 1 < by_place.size() ? by_place[i + 1]->header : directory;
      if (next < entry.end || !is_descriptor(source, entry, next)) {
        refuse_npz(source, "the descriptor behind a member must repeat its CRC-32 and sizes", name, entry.end);
      }
      expected = next;
    }
  }
  if (expected != directory) {
    refuse_npz(source, "no bytes may stand between the members and the directory", std::to_string(directory - expected),
               expected);
  }
}

}  // namespace

void refuse_npz(const ByteSource& source, std::string_view rule, std::string_view value, std::uint64_t at) {
  throw Error({std::string(npz_reading), std::string(rule),
               std::string(value) + " at offset " + std::to_string(at) + " of " + quote(source.name(), Keep::tail)});
}

std::vector<ZipMember> read_zip_directory(const ByteSource& source) {
  const ZipExtents extents = read_zip_end(source);
  const std::string directory = source.text(extents.begin, static_cast<std::size_t>(extents.size));
  std::string_view rest = directory;
  const auto at = [&] { return extents.begin + directory.size() - rest.size(); };
  std::vector<Entry> entries;
  std::set<std::string_view> names;
  entries.reserve(std::min<std::size_t>(static_cast<std::size_t>(extents.members), directory.size() / entry_size));
  for (std::uint64_t i = 0; i < extents.members; ++i) {
    const std::uint64_t begin = at();
    entries.push_back(take_entry(source, rest, begin));
  }
  if (!rest.empty()) {
    refuse_npz(source,
               "the directory must hold as many members as its end record says, " + std::to_string(extents.members),
               "more", at());
  }
  std::vector<Entry*> by_place;
  for (Entry& entry : entries) {
    if (!names.insert(entry.member.name).second) {
      refuse_npz(source, "a member must stand only once", quote(entry.member.name, Keep::head, 40), entry.at);
    }
    read_local(source, extents.begin, entry);
    by_place.push_back(&entry);
  }
  check_cover(source, by_place, extents.begin);
  std::vector<ZipMember> members;
  for (Entry& entry : entries) members.push_back(std::move(entry.member));
  return members;
}

}  // namespace posenc::io
