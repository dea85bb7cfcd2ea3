// SPDX-License-Identifier: Apache-2.0
// Numbers of a rotation, made by the library from the convention that was read.
#pragma once

#include "src/inspect/part.h"

namespace posenc::config {

/// Frequencies, magnitude and regimes of `role`, whose ladder is `ladder`. Refused where all have more than
/// the options allow.
void measure(Part& part, const Rotary& rotary, const Geometric& ladder, PositionRole& role);
/// The same of a rotation whose frequencies depend on no length, of one axis or several; or why a head does not turn.
void measure(const Part& part, const Convention& rotation, PositionRole& role);
std::optional<Problem> check_measure(const Convention& rotation, std::int64_t head);
/// 1 + 0.1 gain ln(factor), rounded once or twice; 1 for a factor of 1 or less.
double yarn_gain(double factor, double gain);

}  // namespace posenc::config
