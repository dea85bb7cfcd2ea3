// SPDX-License-Identifier: Apache-2.0
// The instruction set that kernels and ceilings are measured on.
#pragma once

#include <string>
#include <vector>

namespace posenc::bench {

/// Those that this machine and this program have, the best first.
std::vector<std::string> targets();
/// Makes that one of them the one of every kernel; throws std::runtime_error, which lists them, for any other name.
void use_target(const std::string& name);

}  // namespace posenc::bench
