// SPDX-License-Identifier: Apache-2.0
// Evidence: whether a tensor says a hypothesis, or too little to say anything. With numbers that are free enough, a few
// entries fit any convention.
#pragma once

#include "src/referee/hold.h"

namespace posenc::referee {

/// Bits that it takes to say a fitted number: where in its range the interval lies, or the digits of the simple number.
double bits_of(const Fitted& number);

/// Whether the entries say more than the numbers that were fitted to them and `differences` fields, by so much that
/// chance meets it seldom.
bool tells(const Reading& reading, const Held& held, std::size_t differences, const Tolerance& tolerance);

}  // namespace posenc::referee
