// SPDX-License-Identifier: Apache-2.0
// What encode tells of its result.
#pragma once

#include "apps/posenc/encode/encoding.h"

namespace posenc::tool {

/// One line: type, shape and choices.
std::string what(const EncodeRequest& request, const Result& result);
/// For people: shape, norms, the first rows with their tokens.
std::string summary(const EncodeRequest& request, const Tokens& tokens, const Result& result);
/// For programs: one line of JSON.
std::string report(const EncodeRequest& request, const Tokens& tokens, const Weights& weights, const Result& result);
/// The heatmap of --show.
std::string heatmap_lines(const EncodeRequest& request, const Result& result);
/// What became of unknown tokens.
std::vector<std::string> unknown_notes(const Tokens& tokens, const UnknownTokens& unknowns);
/// Unknown tokens, and what else has to be known.
std::vector<std::string> token_notes(const Tokens& tokens, const Result& result);

}  // namespace posenc::tool
