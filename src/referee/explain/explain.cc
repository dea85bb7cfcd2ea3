// SPDX-License-Identifier: Apache-2.0
// Explanations by what a convention is used for; each use has a source of its own.
#include <posenc/referee/explain.h>

#include "src/base/blocks.h"
#include "src/base/environment.h"
#include "src/referee/explain/explained.h"

namespace posenc {
namespace {

struct ExplainRow {
  ConventionUse use;
  std::optional<Problem> (*check)(const Convention&, const EntryAsked&, const Options&);
  Explanation (*explain)(const Convention&, const EntryAsked&, const Options&);
};
constexpr ExplainRow explain_rows[] = {{ConventionUse::coordinates, referee::check_wave, referee::explain_wave},
                                       {ConventionUse::rotations, referee::check_pair, referee::explain_pair},
                                       {ConventionUse::slopes, referee::check_slope, referee::explain_slope},
                                       {ConventionUse::classes, referee::check_class, referee::explain_class},
                                       {ConventionUse::query_scales, referee::check_factor, referee::explain_factor},
                                       {ConventionUse::stored_rows, referee::check_row, referee::explain_row}};

const ExplainRow* row_for(const Convention& convention) {
  for (const ExplainRow& row : explain_rows) {
    if (!check_use("explain", row.use, convention)) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<Problem> check_explain(const Convention& convention, const EntryAsked& asked, const Options& options) {
  const DefaultEnvironment environment;
  if (auto problem = check_recipe(options.recipe)) return problem;
  if (auto problem = check_convention(convention)) return problem;
  if (const ExplainRow* row = row_for(convention)) return row->check(convention, asked, options);
  return Problem{"explain", "the convention must have an entry of one position, or of a query and a key",
                 std::string(family(convention))};
}

Explanation detail::explain(const Convention& convention, const EntryAsked& asked, const Options& options) {
  const DefaultEnvironment environment;
  return row_for(convention)->explain(convention, asked, options);
}

}  // namespace posenc
