// SPDX-License-Identifier: Apache-2.0
// Explanations of every family; each family's own has a source.
#include <posenc/explain.h>

#include "src/base/blocks.h"
#include "src/referee/explain/explained.h"

namespace posenc {

std::optional<Problem> check_explain(const Convention& convention, const EntryAsked& asked, const Recipe& recipe) {
  if (auto problem = check_recipe(recipe)) return problem;
  if (auto problem = check_convention(convention)) return problem;
  return std::visit(
      [&](const auto& family) { return referee::check_entry(family, convention, asked, recipe); }, convention);
}

Explanation detail::explain(const Convention& convention, const EntryAsked& asked, const Recipe& recipe) {
  const DefaultEnvironment environment;
  return std::visit([&](const auto& family) { return referee::entry_of(family, convention, asked, recipe); },
                    convention);
}

}  // namespace posenc
