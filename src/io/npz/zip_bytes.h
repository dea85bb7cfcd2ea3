// SPDX-License-Identifier: Apache-2.0
// The bytes of a member of a ZIP archive: as they are stored, or inflated.
#pragma once

#include "src/io/npz/zip_directory.h"

namespace posenc::io {

/// The first bytes of a member, as many as `to` has, which are no more than it has.
void read_zip_start(const ByteSource& source, const ZipMember& member, std::span<std::byte> to);

/// All bytes of a member, whose CRC-32 is as stated; `to` has its size.
void read_zip_member(const ByteSource& source, const ZipMember& member, std::span<std::byte> to, const Watch& watch);

/// Throws where the CRC-32 of a stored member is not as stated; memory does not grow with it.
void check_stored(const ByteSource& source, const ZipMember& member);

}  // namespace posenc::io
