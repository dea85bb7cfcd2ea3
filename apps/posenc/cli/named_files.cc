// SPDX-License-Identifier: Apache-2.0
// Files by the options that name them: no target is another target or an input.
#include "apps/posenc/cli/named_files.h"

#include <fmt/format.h>
#include <posenc/io/file.h>

#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/target.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
std::vector<NamedFile> named_files(const Arguments& arguments, std::initializer_list<std::string_view> options) {
  std::vector<NamedFile> files;
  for (const std::string_view option : options) {
    if (const auto path = arguments.find(option)) files.push_back({std::string(option), *path});
  }
  return files;
}

void check_apart(std::string_view operation, std::span<const NamedFile> targets, std::span<const NamedFile> inputs) {
  const auto check = [&](const NamedFile& a, const NamedFile& b) {
    for (const std::string& path : {a.path, b.path}) {
      if (path.empty() || path == standard_stream) return;  // an empty path is refused as such
    }
    if (!io::same_file(a.path, b.path)) return;
    refuse(operation, fmt::format("{} and {} must be two files", a.option, b.option),
           quote(a.path) + " and " + quote(b.path));
  };
  for (auto target = targets.begin(); target != targets.end(); ++target) {
    for (auto other = target + 1; other != targets.end(); ++other) check(*target, *other);
    if (!regular_target(target->path)) continue;  // a device or a pipe is not replaced
    for (const NamedFile& input : inputs) check(*target, input);
  }
}

std::vector<NamedFile> convention_files(const Arguments& arguments) {
  std::vector<NamedFile> files = named_files(arguments, {"--spec"});
  if (const auto config = arguments.find("--config")) files.push_back({"--config", parse_role(*config).file});
  return files;
}

void check_targets(const Arguments& arguments) {
  std::vector<NamedFile> inputs = convention_files(arguments);
  for (const NamedFile& file : named_files(arguments, {"--ladder"})) inputs.push_back(file);
  for (const std::string_view option : {"--positions", "--steps", "--queries", "--keys"}) {
    for (const std::string& words : arguments.all(option)) {
      const std::size_t sign = words.find('=');
      for (const std::string& path : {words, words.substr(sign == words.npos ? 0 : sign + 1)}) {
        if (path.ends_with(".npy")) inputs.push_back({std::string(option), path});
      }
    }
  }
  check_apart(arguments.operation, named_files(arguments, {"--out", "--plot"}), inputs);
}

}  // namespace posenc::tool
