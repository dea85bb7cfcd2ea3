// SPDX-License-Identifier: Apache-2.0
// Real numbers in decimal digits, none of them in doubt.
#pragma once

#include <posenc/referee/explain.h>

#include "src/referee/explain/number.h"

namespace posenc::referee {

/// A natural number in decimal.
std::string whole_text(const numerics::Bignum& n);

/// The number to `digits` significant digits, the last one rounded; to fewer where 2^13 bits do not tell as many; to 0,
/// "undecided", where they do not tell it from 0.
Decimal decimal(const Number& x, int digits = 40);

}  // namespace posenc::referee
