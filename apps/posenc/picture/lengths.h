// SPDX-License-Identifier: Apache-2.0
// Lengths that pictures of tables and of attention have in common, in points.
#pragma once

namespace posenc::tool {

inline constexpr double margin = 18, title_size = 16, heading_size = 12.5, label_size = 11;
inline constexpr double heading_height = 24, tick = 4, legend_bar = 16;

}  // namespace posenc::tool
