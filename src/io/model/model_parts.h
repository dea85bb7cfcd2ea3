// SPDX-License-Identifier: Apache-2.0
// The parts of a model by name, as model.json lists them.
#pragma once

#include <posenc/io/model.h>

namespace posenc::io {

/// Most layers of a stack.
inline constexpr std::int64_t model_layer_limit = 4096;

/// Whether a part may be null: a bias, a norm, the output of an encoder alone.
enum class PartNeed : std::uint8_t { required = 1, optional };

struct PartName {
  std::string name;  ///< with {layer} for the parts of layers
  PartNeed need;
};

/// The parts that a model of this form has, in the order of the data's way through it. `parts` of it is not read.
std::vector<PartName> part_names(const ModelDescription& model);

}  // namespace posenc::io
