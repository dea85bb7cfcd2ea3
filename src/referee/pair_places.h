// SPDX-License-Identifier: Apache-2.0
// Positions of the queries and keys of biases and classes: as the call states them, or the usual defaults.
#pragma once

#include <posenc/referee/diagnose.h>

#include <memory>

namespace posenc::referee {

/// `held` keeps the numbers of a part of a range of reals.
struct PairPlaces {
  Positions queries, keys;
  std::vector<Assumed> assumed = {};
  std::shared_ptr<const std::vector<double>> held = {};
};
/// The stated positions; else queries at the first keys, then at the last.
std::vector<PairPlaces> pair_places(std::int64_t queries, std::int64_t keys, const DiagnoseOptions& options);

/// Queries and keys are positions, and no list of positions stands beside them.
std::optional<Problem> check_pair_places(const DiagnoseOptions& options);
inline bool states_pairs(const DiagnoseOptions& options) { return options.queries || options.keys; }

/// As the tool's options take them: "199", "0:200", "0:200:2"; of others the first few.
std::string text_of(const Positions& positions);
/// "query from 0, 199 asked"; nothing where they are the same.
std::vector<std::string> words_of_pairs(const PairPlaces& is, const PairPlaces& asked);

}  // namespace posenc::referee
