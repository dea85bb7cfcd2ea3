// SPDX-License-Identifier: Apache-2.0
// The two passes of a trained model: the encoder's rows of a source, then tokens. What is not finite is refused.
#pragma once

#include "apps/posenc/run/trained.h"

namespace posenc::tool {

/// The encoder's rows of one sequence, [rows, source_width]. Errors: no rows; no memory for them; a number that is not
/// finite; they name `place`, the source.
std::vector<float> encoder_rows(const Trained& trained, const ConstView& source, const std::string& place);

/// What the decoder makes of these rows. Errors: a logit that is not finite; a token that the vocabulary lacks.
Decoded make_tokens(const Trained& trained, std::span<const float> memory, const DecodingOptions& options,
                    const std::string& place, const DecodingWatch& watch = {});

}  // namespace posenc::tool
