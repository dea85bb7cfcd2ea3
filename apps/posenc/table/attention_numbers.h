// SPDX-License-Identifier: Apache-2.0
// What attention reads of positions besides rows and rotations: biases, classes of pairs, coordinates of windows,
// factors of queries, rows of stored tables.
#pragma once

#include "apps/posenc/table/tensor.h"

namespace posenc::tool {

/// The numbers of a convention for what --queries, --keys, --heads, --head-dim, --window or --positions say. Real ones
/// are of --dtype, whole ones i64.
Tensor attention_numbers(const Arguments& arguments, const Choice& choice, const Executor& executor);
/// Refuses the options among these that the convention's numbers are not of.
void check_read(const Arguments& arguments, const Choice& choice);
/// That --head-dim has no effect, where it has none; of a call that check_read lets pass.
std::vector<std::string> notes_of_head(const Arguments& arguments, const Choice& choice);

}  // namespace posenc::tool
