// SPDX-License-Identifier: Apache-2.0
// What the entries of a tensor say by themselves, whatever convention it may be near.
#pragma once

#include <posenc/core.h>

#include <optional>
#include <string>

#include "src/referee/reading.h"

namespace posenc::referee {

/// "3 entries are not finite, the first is [5, 2]"; nothing where all are.
struct NotFinite {
  std::int64_t count;
  std::string words;
};
std::optional<NotFinite> not_finite(const ConstView& tensor);

/// Whether all entries are one number, and more than one.
bool is_constant(const ConstView& tensor);

/// What no convention has but by chance: "zeros", "constant: 0.5", "values are few: 0 and 1 (one hot)", "rows are
/// equal", "entries depend on key - query alone: biases of distances". Of the first 2^17 entries; nothing where it is
/// none.
std::optional<std::string> plain_values(const ConstView& tensor);

/// "values are few: multiples of 1/7, 15 of them": up to 64 values, equally spaced, of 16 times as many entries.
std::optional<std::string> few_values(const ConstView& tensor);

/// Of the columns of a table how many are waves: x(i - 1) + x(i + 1) = 2 k x(i) + m to the rounding of the type, for
/// some k and m that are not those of straight lines. "no line spectrum: neighbouring rows are unrelated
/// (correlation 0.01)"; "columns are waves of one frequency each, in no known ladder".
std::string spectrum_words(const ConstView& tensor, DType storage);

}  // namespace posenc::referee
