// SPDX-License-Identifier: Apache-2.0
// The verbs of the tool: all of them.
#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

std::span<const Verb* const> verbs() {
  static constexpr std::array all = {&encode_verb,  &tokens_verb,    &table_verb,   &grid_verb,        &timestep_verb,
                                     &rotary_verb,  &cache_verb,     &bias_verb,    &resize_verb,      &order_verb,
                                     &run_verb,     &presets_verb,   &inspect_verb, &identify_verb,    &check_verb,
                                     &compare_verb, &explain_verb,   &convert_verb, &conformance_verb, &demo_verb,
                                     &doctor_verb,  &completion_verb};
  return all;
}

}  // namespace posenc::tool
