// SPDX-License-Identifier: Apache-2.0
// Where a configuration's bytes come from, and which role of it is meant.
#include "apps/posenc/cli/configuration.h"

#include <fmt/format.h>
#include <posenc/io/file.h>
#include <posenc/spec/spec.h>
#include <unistd.h>

#include <filesystem>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return path == "-" || std::filesystem::exists(path, ignored);
}

}  // namespace

ModelPositions read_configuration(const std::string& path, const InspectOptions& options) {
  const std::string file = is_folder(path) ? path + "/config.json" : path;
  const std::string source = path == "-" ? "standard input" : file;
  const std::string text = path == "-" ? io::read_descriptor(STDIN_FILENO, source, io::json_byte_limit)
                                       : io::read_file(file, io::json_byte_limit);
  InspectOptions named = options;
  named.source = source;
  return posenc::inspect(text, named);
}

NamedRole parse_role(const std::string& words) {
  const std::size_t last = words.rfind(':');
  if (last == words.npos || is_there(words)) return {words, ""};
  const auto at = [&](std::size_t colon) { return NamedRole{words.substr(0, colon), words.substr(colon + 1)}; };
  for (std::size_t colon = last; colon != words.npos && colon > 0; colon = words.rfind(':', colon - 1)) {
    if (is_there(words.substr(0, colon))) return at(colon);
  }
  return at(last);
}

PositionRole read_role(std::string_view operation, const std::string& words) {
  const NamedRole named = parse_role(words);
  const ModelPositions positions = read_configuration(named.file, {});
  if (!named.role.empty()) {
    const std::string lower = in_lower_case(named.role);
    const std::string& name = check_role(positions, lower) ? named.role : lower;
    require(check_role(positions, name));
    const PositionRole& role = *find_role(positions, name);
    if (!role.convention) refuse(operation, "the role of --config must have a convention", quote(named.role));
    return role;
  }
  std::vector<std::string> names;
  const PositionRole* only = nullptr;
  for (const ModelPart& part : positions.parts) {
    for (const PositionRole& role : part.roles) {
      if (!role.convention) continue;
      names.push_back(part.name.empty() ? role.name : part.name + "." + role.name);
      only = &role;
    }
  }
  if (names.size() == 1 && positions.missing.empty()) return *only;
  if (names.size() == 1) {
    refuse(operation,
           "--config must name " + names[0] +
               ", as FILE:ROLE, since other positions of the model are not read: " + positions.missing[0].why,
           quote(words));
  }
  refuse(operation, "--config must name a role with a convention, as FILE:ROLE",
         names.empty() ? "a model without one" : fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace posenc::tool
