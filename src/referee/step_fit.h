// SPDX-License-Identifier: Apache-2.0
// The step between the places of an extent, from all waves at many of them.
#pragma once

#include <span>

#include "src/referee/hold.h"

namespace posenc::referee {

/// The step of least squares beside one that is near, of places from `first` on, and how far it may be off. A bound of
/// each entry by itself leaves a tenth of a step of 0.002 open in bf16; thousands of entries narrow it a hundred times.
/// `axis`: of the waves; `amplitude`: of the entries.
Coordinate fitted_step(const Reading& reading, const Signal& signal, std::span<const WaveColumns> waves,
                       double amplitude, std::size_t extent, double first, const Coordinate& near,
                       const Tolerance& tolerance);

}  // namespace posenc::referee
