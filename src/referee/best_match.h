// SPDX-License-Identifier: Apache-2.0
// Ranks the storages and recipes of a candidate by how many entries of a tensor each predicts to the bit: one rule for
// tables, rotations, slopes, biases, factors and coordinates.
#pragma once

#include <posenc/recipe.h>
#include <posenc/referee/identify.h>

#include <algorithm>

namespace posenc::referee {

struct StorageMatch {
  DType storage;
  Agreement agreement;
};
/// Returns the storage in which the most entries match, the first of those that differ by chance. `match(storage)`
/// returns an optional Agreement with the exact entries rounded to it.
template <class Match>
std::optional<StorageMatch> best_storage(std::span<const DType> storages, const Match& match) {
  constexpr double chance = 1e-3;
  std::optional<StorageMatch> best;
  for (const DType storage : storages) {
    const std::optional<Agreement> agreement = match(storage);
    if (!agreement || (best && agreement->share() <= best->agreement.share() + chance)) continue;
    best = StorageMatch{storage, *agreement};
  }
  return best;
}

/// Gives the candidate the recipe by which the most entries match, exact where none has more: the best few by some
/// entries are held against many, or all. `match(recipe, entries)` returns an optional Agreement; -1: all entries.
template <class Match>
void find_recipe(SearchDepth depth, const Match& match, Candidate& candidate) {
  if (candidate.exact.equal == candidate.exact.entries) return;
  constexpr std::int64_t some = 1 << 12, many = 1 << 20;
  constexpr std::size_t finalists = 3;
  std::vector<std::pair<double, const Recipe*>> tried;  // by their shares
  // The phase is a definition of every bit, and no code base errs by it: all entries are its own, or none is. Of
  // f32 1.5 in 100 tell it from exact; of narrower types 1 in 10^6, as many as f32 on the way to them.
  const auto told = [&](const Recipe& recipe) {
    return recipe.real_by != RealBy::phase || candidate.storage == DType::f32;
  };
  const auto holds = [](const Recipe& recipe, const Agreement& of) {
    return recipe.real_by != RealBy::phase || of.equal == of.entries;
  };
  for (const Recipe& recipe : recipes()) {
    if (!told(recipe)) continue;
    const std::optional<Agreement> agreement = match(recipe, some);
    if (agreement && holds(recipe, *agreement)) tried.emplace_back(agreement->share(), &recipe);
  }
  std::ranges::stable_sort(tried, {}, [](const auto& each) { return -each.first; });
  if (tried.size() > finalists) tried.resize(finalists);
  for (const auto& [share, recipe] : tried) {
    const std::optional<Agreement> agreement = match(*recipe, depth == SearchDepth::full ? -1 : many);
    if (!agreement || !holds(*recipe, *agreement) || agreement->share() <= candidate.by_recipe.share()) continue;
    candidate.recipe = recipe->name, candidate.by_recipe = *agreement;
  }
}

}  // namespace posenc::referee
