// SPDX-License-Identifier: Apache-2.0
// Shares of equal bits that originals reach under their own recipe.
#pragma once

#include <posenc/core.h>

#include <span>
#include <string_view>

namespace posenc::referee {

/// Of all entries of originals by a recipe the share that has its bits: tables, caches and lists of the open corpus
/// (tests/referee/corpus) that were not scaled afterwards. Frameworks' exponentials and sines are off by a unit in the
/// last place in some entries, which a narrow type forgets.
struct KnownShare {
  std::string_view recipe;
  double wide;    ///< in f32 and f64
  double narrow;  ///< in f16 and bf16; 0: not measured
};
std::span<const KnownShare> known_shares();
/// 1 of exact and of the phase, which have their bits by definition; 0 of a recipe that was not measured.
double known_share(std::string_view recipe, DType storage);

}  // namespace posenc::referee
