// SPDX-License-Identifier: Apache-2.0
// Positions of a call that states none: the rows of the convention's own table, or a few for numbers that are only
// shown. Numbers that a file or a report takes have no other default.
#pragma once

#include <utility>

#include "apps/posenc/cli/choice.h"

namespace posenc::tool {

/// Tells whether the output goes to the screen alone: no --out, no --json, no --plot into a file.
bool is_shown(const Arguments& arguments);

/// The call with the options that it left out, and a note that names them.
struct Completed {
  Arguments arguments;
  std::vector<std::string> notes = {};
};

/// Positions along each axis of the excerpt of a call that states none.
inline constexpr std::int64_t shown_positions = 8;

/// Completes `option` by 0:N on every axis: N is the number of rows of the convention's own table, or `shown` where it
/// has none and the numbers are only shown. A call that states positions or extents stays as it is.
Completed with_positions(const Arguments& arguments, const Choice& choice, std::string_view option,
                         std::int64_t shown = shown_positions);
/// Completes --queries and --keys of numbers that are only shown, where the call states neither.
Completed with_queries_and_keys(const Arguments& arguments);
/// Completes the extents of these axes of numbers that are only shown, where the call states none.
Completed with_extents(const Arguments& arguments, const std::vector<std::string>& axes);

}  // namespace posenc::tool
