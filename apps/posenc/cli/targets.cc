// SPDX-License-Identifier: Apache-2.0
// --out and --plot, from text to where the results of a verb go.
#include "apps/posenc/cli/targets.h"

#include <fmt/format.h>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
void check_plot(const Arguments& arguments) {
  const std::optional<std::string> plot = arguments.find("--plot");
  if (!plot || picture_format(arguments.operation, *plot) != PictureFormat::terminal) return;
  if (arguments.find("--out") == standard_stream) {
    refuse(arguments.operation, "one of --out - and --plot - must be given, as both go to standard output", "both");
  }
  if (arguments.has("--json")) {
    refuse(arguments.operation, "--plot - must come without --json, as both go to standard output", "both");
  }
}

Targets read_targets(const Arguments& arguments) {
  const io::Sync sync = arguments.has("--no-sync") ? io::Sync::none : io::Sync::full;
  const io::WriteOptions writing = write_options(sync);
  const Targets targets = {read_out(arguments, writing), arguments.find("--plot"), writing};
  check_plot(arguments);
  return targets;
}

std::vector<std::string> target_notes(const Targets& targets, std::string_view what) {
  std::vector<std::string> notes;
  if (targets.out) notes.push_back(fmt::format("{}: {}", targets.out->title(), what));
  if (targets.plot && *targets.plot != standard_stream) {
    notes.push_back(fmt::format("{}: a picture of {}", *targets.plot, what));
  }
  return notes;
}

}  // namespace posenc::tool
