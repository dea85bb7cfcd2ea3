// SPDX-License-Identifier: Apache-2.0
// Entries that a function of one number made of a convention's: scaled, shifted, rounded to even steps.
#pragma once

#include <span>

#include "src/referee/faults.h"

namespace posenc::referee {

/// got = factor known + shift, by least squares, and the share of the squares of `got`, its mean left out, that this
/// leaves. What is not finite is left out.
struct Affine {
  double factor = 0, shift = 0, unexplained = 1;
};
Affine affine_of(std::span<const double> got, std::span<const double> known);

/// The factor by which all entries are scaled, where it leaves no entry wrong.
std::optional<Fault> scale_fault(const Reading& reading, const Hypothesis& asked, DType storage);

/// A factor and a number added, or entries rounded to multiples of one, as quantised ones are: what of these leaves no
/// entry wrong.
std::optional<Fault> mapping_fault(const Reading& reading, const Hypothesis& asked, DType storage);

}  // namespace posenc::referee
