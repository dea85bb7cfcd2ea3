// SPDX-License-Identifier: Apache-2.0
// Where a path leads: the folder and the name of a file that may not be there yet.
#pragma once

#include <string>
#include <string_view>

namespace posenc::io {

struct Place {
  std::string folder;
  std::string name;  ///< empty for a path that ends in a slash

  std::string path() const { return folder + "/" + name; }
};

/// The end of the chain of symbolic links that a path is, whether or not a file is there; errors name `operation`.
Place place_of(std::string_view operation, const std::string& path);

}  // namespace posenc::io
