// SPDX-License-Identifier: Apache-2.0
// Waves of which the cosine or the sine stands alone, as in a cache of cosines: their frequencies, their size and the
// coordinate of the first place, from entries alone.
#pragma once

#include <optional>

#include "src/referee/hold.h"
#include "src/referee/ladder_fit.h"

namespace posenc::referee {

/// The size that these waves have along an extent, whatever their frequencies; nothing where none tells it.
std::optional<double> lone_amplitude(const Reading& reading, std::span<const WaveColumns> waves, std::size_t extent,
                                     const Tolerance& tolerance);

/// The frequencies of these waves in radians a place, in their order; NaN where a column is no wave or tells none.
/// `scale` is their size where they do not tell it.
std::vector<Frequency> lone_frequencies(const Reading& reading, std::span<const WaveColumns> waves, std::size_t extent,
                                        double scale, const Tolerance& tolerance);

}  // namespace posenc::referee
