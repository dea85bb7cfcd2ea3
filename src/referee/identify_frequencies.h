// SPDX-License-Identifier: Apache-2.0
// Lists of frequencies: inv_freq of a rotation, or the ladder of a table.
#pragma once

#include <posenc/referee/identify.h>

#include "src/referee/arc.h"
#include "src/referee/reading.h"

namespace posenc::referee {

/// The one row [n] of a tensor of 2 to 2^13 entries along one axis; nothing of another one.
std::optional<Reading> as_row(const ConstView& tensor);

/// A list that holds each frequency twice, as angles of both columns of a pair: once; nothing of others.
std::optional<ConstView> listed_once(const ConstView& tensor);

/// Lists that positions are divided by: 1 / frequency, or the period 2 pi / frequency.
struct InverseForm {
  std::string_view name;
  double times;
  std::string_view words;
};
inline constexpr InverseForm inverse_forms[] = {
    {"divisors", 1, "entries are 1 / frequency: positions are divided by them"},
    {"periods", turn, "entries are periods, 2 pi / frequency"}};
/// What the frequencies are for which such a list stands. How far they are from known ones is said of frequencies.
Identification identify_inverted(const Reading& row, const InverseForm& form, const IdentifyOptions& options);

/// Returns true if ladders fit a list, but each with as many free parameters as its entries determine, so that no fit
/// can be preferred.
bool fits_too_freely(const Reading& row);

/// Of a tensor whose entries stand along one axis: frequencies, or what a row of presets has of the other forms.
Identification identify_frequencies(const ConstView& tensor, const IdentifyOptions& options);

}  // namespace posenc::referee
