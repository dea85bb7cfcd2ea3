// SPDX-License-Identifier: Apache-2.0
// Whole processes as work: from nothing to their end.
#pragma once

#include <string>
#include <vector>

namespace posenc::bench {

/// Runs a program to its end, without what it prints. Throws when it fails.
void run_process(std::vector<std::string> words);

}  // namespace posenc::bench
