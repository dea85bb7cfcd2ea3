// SPDX-License-Identifier: Apache-2.0
// Real numbers as formulas.
#pragma once

#include <string>

#include "src/numerics/real.h"

namespace posenc::referee {

/// "1000", "-3/4", "5 2^-60".
std::string closed_form(const numerics::Rational& x);
/// "10^(-9/32)", "3/4 pi (ln 10000)^-1 + 1": the terms that the number is kept as.
std::string closed_form(const numerics::Real& x);
/// The same as a factor: a sum in brackets.
std::string closed_factor(const numerics::Real& x);

}  // namespace posenc::referee
