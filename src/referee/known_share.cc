// SPDX-License-Identifier: Apache-2.0
// Measured by KnownShares.AreThoseOfTheCorpus in tests/referee/known_share_test.cc, which asserts and prints them.
#include "src/referee/known_share.h"

#include <algorithm>

namespace posenc::referee {

std::span<const KnownShare> known_shares() {
  static constexpr KnownShare all[] = {
      {"f32-exp", 0.950, 1.000},          {"f32-exp-graph", 0.950, 0},
      {"f32-exp-quotient", 0.954, 1.000}, {"f32-exp-scaled-position", 0.960, 0},
      {"f32-power", 0.955, 1.000},        {"f32-reciprocal", 0.956, 1.000},
      {"f32-divide", 0, 1.000},           {"f64", 0.998, 0},
      {"f64-divide", 1.000, 0},           {"f64-divide-to-f32", 1.000, 0},
      {"f64-exp-to-f32", 1.000, 0},       {"f64-to-f32", 1.000, 0},
  };
  return all;
}

double known_share(std::string_view recipe, DType storage) {
  if (recipe == "exact" || recipe == "phase") return 1;
  const auto all = known_shares();
  const auto at = std::ranges::find(all, recipe, &KnownShare::recipe);
  if (at == all.end()) return 0;
  return storage == DType::f16 || storage == DType::bf16 ? at->narrow : at->wide;
}

}  // namespace posenc::referee
