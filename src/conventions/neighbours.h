// SPDX-License-Identifier: Apache-2.0
// Neighbours of a convention: those that differ from it in one field.
#pragma once

#include <posenc/convention.h>

#include <vector>

namespace posenc {

/// The conventions that one change makes of this one, in the order of the field tables: each other word of an
/// enumeration, each other usual number, and none where a field may be none. A change that breaks a rule makes none.
std::vector<Convention> neighbours(const Convention& convention);

}  // namespace posenc
