// SPDX-License-Identifier: Apache-2.0
// By the name that stands behind a file's.
#include "apps/posenc/cli/mapped.h"

#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/source.h"

namespace posenc::tool {

io::TensorMap map_named_tensor(std::string_view operation, const std::string& words) {
  if (is_standard_input(words)) {
    return io::TensorMap(read_source(operation, "the tensor", words).array);
  }
  const auto [file, tensor] = parse_role(words);
  const io::TensorFiles files(file);
  return files.map(tensor.empty() ? files.only().name : tensor);
}

}  // namespace posenc::tool
