// SPDX-License-Identifier: Apache-2.0
// The model type of a configuration inside another one, and its row.
#pragma once

#include "src/inspect/family.h"
#include "src/spec/json/json_node.h"

namespace posenc::config {

/// model_type, or `otherwise` where there is none. It may be "", as that of Qwen3-Omni's code2wav.
std::string_view stated_type(const io::JsonNode& node, std::string_view otherwise);
/// The type of a part with that name: its own, or what the whole's row says of it, or the whole's.
std::string_view type_of_part(const io::JsonNode& node, std::string_view name, const Family* family,
                              std::string_view whole);
/// Whether a type is that of a configuration that holds the part.
bool is_of_whole(std::string_view type, const std::vector<std::string>& wholes);
/// The row of a configuration, or of a part with that name. A part may share the type of its whole, as the
/// vision_config of qwen2_vl does: then the row is TYPE_PART, and that of the whole, or of any model of several, is of
/// its text alone.
const Family* family_of(std::string_view type, std::string_view part, const std::vector<std::string>& wholes);

}  // namespace posenc::config
