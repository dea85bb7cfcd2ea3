// SPDX-License-Identifier: Apache-2.0
// Rules of a model and of a memory, for all that decodes.
#pragma once

#include <posenc/transformer.h>

namespace posenc {

/// The parts go together, and there is a decoder.
std::optional<Problem> check_decodes(std::string_view operation, const Transformer& model);
/// memory [B, S, d of the encoder] and lengths [B].
std::optional<Problem> check_memory(std::string_view operation, const Transformer& model, const ConstView& memory,
                                    const std::optional<ConstView>& lengths);

}  // namespace posenc
