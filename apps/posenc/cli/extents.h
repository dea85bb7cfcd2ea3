// SPDX-License-Identifier: Apache-2.0
// How many cells an image, a video or a volume has along each axis: --height, --width, --extent t=8.
#pragma once

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

inline constexpr Option height_option = {"--height", "H",
                                         "rows of cells, of axis y (needed where there is one; an excerpt shows 8)"};
inline constexpr Option width_option = {"--width", "W", "cells in a row, of axis x (the same)"};
inline constexpr Option extent_option = {"--extent", "AXIS=N", "cells along another axis, t=8; one each", Takes::many};

/// One of them is given.
bool has_extents(const Arguments& arguments);
/// The option and the value that state the extent of an axis: --height and 8, --extent and t=8.
std::pair<std::string, std::string> extent_setting(const std::string& axis, std::int64_t extent);
/// As if the call had stated the extent of an axis.
void state_extent(Arguments& arguments, const std::string& axis, std::int64_t extent);
/// The options of those axes whose extents the call does not state: "--height", "--extent t=N".
std::vector<std::string> missing_extents(const Arguments& arguments, const std::vector<std::string>& axes);
/// Of every axis, in the order of the indices of a cell; each must be stated, and no other.
std::vector<std::int64_t> read_extents(const Arguments& arguments, const std::vector<std::string>& axes);
/// How many cells there are; more than an int64 counts bytes of is an error.
std::int64_t cell_count(std::string_view operation, const std::vector<std::int64_t>& extents);
/// The indices of a cell.
std::vector<std::int64_t> cell_at(const std::vector<std::int64_t>& extents, std::int64_t cell);

}  // namespace posenc::tool
