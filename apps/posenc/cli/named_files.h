// SPDX-License-Identifier: Apache-2.0
// Files by the options that name them.
#pragma once

#include <initializer_list>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

/// A file by the option that names it.
struct NamedFile {
  std::string option, path;
};
/// The files of those options that are given.
std::vector<NamedFile> named_files(const Arguments& arguments, std::initializer_list<std::string_view> options);
/// Those of --spec and --config.
std::vector<NamedFile> convention_files(const Arguments& arguments);
/// Refuses a target that is another target or an input, under whatever name; asked before anything is read.
void check_apart(std::string_view operation, std::span<const NamedFile> targets, std::span<const NamedFile> inputs);
/// The same of all files that a verb reads but its tensors.
void check_targets(const Arguments& arguments);

}  // namespace posenc::tool
