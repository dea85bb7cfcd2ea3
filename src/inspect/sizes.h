// SPDX-License-Identifier: Apache-2.0
// Sizes of a model: stated, or those of its type, as files have them that are saved as differences.
#pragma once

#include "src/inspect/part.h"

namespace posenc::config {

/// Default sizes of a type's configuration class, as JSON; and its aliases of sizes, "num_attention_heads=n_heads",
/// with spaces between.
struct DefaultSizes {
  std::string_view type, sizes, aliases;
};
/// Defined in default_sizes.cc, which is generated.
std::span<const DefaultSizes> default_sizes();

/// The names, followed by the type's aliases of them.
std::vector<std::string_view> size_names(const Part& part, Names names);
/// The default of the type for the first of those names that has one and is not there; its pointer is "default of
/// llama, not stated". Nothing where the type is one that the caller stated, as it is not that of the file.
std::optional<JsonNode> default_size(Part& part, Names names);
/// The one or the other; refused where there is neither, or a null.
JsonNode need_size(Part& part, Names names);
JsonNode need_size(Part& part, std::string_view name);

}  // namespace posenc::config
