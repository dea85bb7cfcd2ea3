// SPDX-License-Identifier: Apache-2.0
// The usual values of a field of a convention, by its path.
#pragma once

#include <posenc/convention.h>

#include <span>

namespace posenc {

/// The values that the field table names for the field that `path` leads to, as change.h follows it; none where it
/// leads to no field of a number, or to one without usual values.
std::span<const double> usual_values(const Convention& convention, std::string_view path);

}  // namespace posenc
