// SPDX-License-Identifier: Apache-2.0
// A model's own configuration as a call names it: a file, a folder, standard input.
#pragma once

#include <posenc/spec/inspect.h>

namespace posenc::tool {

/// The positions of config.json, of the one in a folder, or of what "-" gives.
ModelPositions read_configuration(const std::string& path, const InspectOptions& options);

/// FILE or FILE:ROLE.
struct NamedRole {
  std::string file, role;
};
/// The file is the longest name before a colon that there is a file of: names of tensors have colons too. Without any,
/// what follows the last colon is the role.
NamedRole parse_role(const std::string& words);

/// The role that FILE[:ROLE] names; without a name the only one that has a convention, of a model of which nothing is
/// missing: it might be another one's.
PositionRole read_role(std::string_view operation, const std::string& words);

}  // namespace posenc::tool
