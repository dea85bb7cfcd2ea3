// SPDX-License-Identifier: Apache-2.0
// What a file is by its first bytes, where that is certain and it is no text.
#pragma once

#include <string_view>

namespace posenc::io {

/// How many first bytes format_of looks at.
inline constexpr std::size_t first_byte_count = 16;

/// The name of the format ("gzip", "UTF-16", "npy", ...), or empty. UTF-16 and UTF-32 are known by their byte order
/// mark, and without one by ASCII characters: at least two, and nothing else among the first bytes.
std::string_view format_of(std::string_view start);

/// format_of, and HTML by its first tag.
std::string_view format_of_list(std::string_view start);

}  // namespace posenc::io
