// SPDX-License-Identifier: Apache-2.0
// The lists in which programs keep the ladder of a convention: its frequencies, what divides positions, and what
// divides the frequencies that are not scaled.
#pragma once

#include "src/referee/expected.h"

namespace posenc::referee {

/// A list that divides the unscaled frequencies, as rope_freqs of llama.cpp: of a candidate.
inline constexpr std::string_view factor_form = "factors";

/// The frequencies of all pairs of a rotation of this width, in f64; none where the convention has no such width.
std::vector<double> frequencies_of(const Convention& rotary, std::int64_t width, const Context& context);

/// The convention with an unscaled ladder; nothing where it has no ladder that may be scaled.
std::optional<Convention> without_scaling(const Convention& asked);

/// Every list of as many numbers that a convention has: of the width that is asked, or of any usual one; of the length
/// that is asked, or of each that has frequencies of its own. Lists of frequencies first; of a list that rises, last.
void add_lists(const ConstView& list, const Convention& convention, const DiagnoseOptions& options,
               std::vector<Expected>& all);

}  // namespace posenc::referee
