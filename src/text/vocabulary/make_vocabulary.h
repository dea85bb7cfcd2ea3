// SPDX-License-Identifier: Apache-2.0
// A vocabulary from a table that has been checked already.
#pragma once

#include <posenc/text/vocabulary.h>

#include "src/text/vocabulary/token_table.h"

namespace posenc::io {

/// The tokens keep the rules of Vocabulary.
Vocabulary make_vocabulary(std::shared_ptr<const TokenTable> table);

}  // namespace posenc::io
