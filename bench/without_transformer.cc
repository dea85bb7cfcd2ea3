// SPDX-License-Identifier: Apache-2.0
// The rows of posenc::transformer in a build that has it not: none.
#include "bench/words.h"

namespace posenc::bench {

std::vector<Row> attention_rows(const Scope&) { return {}; }
std::vector<Row> additive_rows(const Scope&) { return {}; }
std::vector<Row> recurrent_rows(const Scope&) { return {}; }
std::vector<Row> layers_rows(const Scope&) { return {}; }
std::vector<Row> transformer_rows(const Scope&) { return {}; }

}  // namespace posenc::bench
