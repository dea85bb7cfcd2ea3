// SPDX-License-Identifier: Apache-2.0
// The numbers of a convention, whatever its family, for what the options of a call say.
#pragma once

#include "apps/posenc/table/tensor.h"

namespace posenc::tool {

/// The numbers of a convention for what --positions, --queries, --keys, --window, --dim, --heads and --head-dim say, as
/// its operation reads them. Real ones are of --dtype, whole ones i64.
Tensor convention_numbers(const Arguments& arguments, const Choice& choice, const Executor& executor);
/// Refuses a convention whose numbers another verb makes, and options of posenc bias that its operation does not read.
void check_read(const Arguments& arguments, const Choice& choice);
/// Notes that --head-dim has no effect where it has none, for a call that check_read lets pass.
std::vector<std::string> notes_of_head(const Arguments& arguments, const Choice& choice);

}  // namespace posenc::tool
