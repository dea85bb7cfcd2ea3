// SPDX-License-Identifier: Apache-2.0
// By the name that stands behind a file's.
#include "apps/posenc/cli/mapped.h"

#include "apps/posenc/cli/configuration.h"

namespace posenc::tool {

io::TensorMap map_named_tensor(const std::string& words) {
  const auto [file, tensor] = parse_role(words);
  const io::TensorFiles files(file);
  return files.map(tensor.empty() ? files.only().name : tensor);
}

}  // namespace posenc::tool
