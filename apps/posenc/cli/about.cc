// SPDX-License-Identifier: Apache-2.0
// The metadata of a .safetensors file. Nothing of it changes from call to call: no date, no machine.
#include "apps/posenc/cli/about.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/spec/spec.h>
#include <posenc/version.h>

namespace posenc::tool {
namespace {

// The options that say which entries of a convention there are; each is told by its name.
constexpr std::string_view place_options[] = {
    "--dim",    "--table",   "--positions", "--start",   "--steps", "--height", "--width",  "--extent",   "--length",
    "--centre", "--learned", "--side",      "--queries", "--keys",  "--heads",  "--window", "--head-dim", "--axis"};

}  // namespace

io::Metadata about(const Arguments& arguments, const Choice& choice) {
  io::Metadata said = about(arguments);
  said.emplace("name", choice.name);
  said.emplace("recipe", choice.recipe.name);
  said.emplace("convention", to_json(choice.convention));
  return said;
}

io::Metadata about(const Arguments& arguments) {
  io::Metadata said = {
      {"posenc", fmt::format("{}.{}.{}", POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH)},
      {"operation", std::string(arguments.operation)}};
  for (const std::string_view option : place_options) {
    const std::vector<std::string> values = arguments.all(option);
    if (!values.empty()) said.emplace(option.substr(2), fmt::format("{}", fmt::join(values, " ")));
  }
  return said;
}

}  // namespace posenc::tool
