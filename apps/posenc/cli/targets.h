// SPDX-License-Identifier: Apache-2.0
// Where the results of a call go.
#pragma once

#include <posenc/io/file.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/target.h"

namespace posenc::tool {

/// Where the results go: the numbers, and a picture of them, whose name ends in .png or .svg; and how files are
/// written.
struct Targets {
  std::optional<Out> out;
  std::optional<std::string> plot;
  io::WriteOptions writing;

  /// Neither: an excerpt is shown.
  bool none() const { return !out && !plot; }
};
Targets read_targets(const Arguments& arguments);
/// One note for each file that was written.
std::vector<std::string> target_notes(const Targets& targets, std::string_view what);

/// Refuses a --plot of no format that is known, and one for standard output beside what else goes there.
void check_plot(const Arguments& arguments);

}  // namespace posenc::tool
