// SPDX-License-Identifier: Apache-2.0
// Neighbours of a convention: those that differ from it in one field.
#pragma once

#include <posenc/convention.h>

#include <vector>

namespace posenc {

/// The conventions that a change of one field makes of this one, in the order of the field tables: to each other word
/// of an enumeration, to each kind without fields, to each other usual number, or to a list of two of it. A field that
/// each item of a list has changes in all of them. A change that breaks a rule makes none.
std::vector<Convention> neighbours(const Convention& convention);

}  // namespace posenc
