// SPDX-License-Identifier: Apache-2.0
// Rules of a model and of a memory, for all that decodes.
#pragma once

#include <posenc/transformer/transformer.h>

#include "src/base/match.h"

namespace posenc {

/// The parts go together, and there is a decoder.
void state_decodes(Match& m, const Transformer& model);
/// memory [B, S, d of the encoder] and lengths [B].
void state_memory(Match& m, const Transformer& model, const ConstView& memory, const std::optional<ConstView>& lengths);

}  // namespace posenc
