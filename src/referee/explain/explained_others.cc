// SPDX-License-Identifier: Apache-2.0
// Entries of slopes, buckets, query scales and stored rows.
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/operation.h>

#include "src/encodings/query_factor.h"
#include "src/referee/explain/explained.h"
#include "src/referee/explain/real_text.h"

namespace posenc::referee {
namespace {

using numerics::Rational;
using numerics::Real;

constexpr DType real_types[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

const std::vector<std::string> query_and_key = {"query", "key"};

std::optional<Problem> check_exact_for(std::string_view what, const Options& options) {
  if (options.recipe.exact()) return std::nullopt;
  return Problem{"explain", "the recipe must be exact for " + std::string(what), options.recipe.name};
}

// Rounded by the certain path, where no operation writes the number by itself.
std::vector<RoundedValue> rounded_alone(const Real& x) {
  std::vector<RoundedValue> made;
  for (const DType type : real_types) {
    with_real(type, [&]<class T>(T) {
      if (const std::optional<T> value = numerics::rounded<T>(x)) made.push_back(told(type, wide(*value), Number(x)));
    });
  }
  return made;
}

ExplainedEntry whole_entry(std::string what, std::string formula, std::int64_t value) {
  const Number exact{Real(value)};
  ExplainedEntry entry;
  entry.what = std::move(what);
  entry.formula = std::move(formula);
  entry.exact = decimal(exact);
  entry.rounded.push_back(told(DType::i64, static_cast<double>(value), exact));
  return entry;
}

// ---- slopes -------------------------------------------------------------------------------------

struct Multiplied {
  std::string words;
  Rational by;
};
Multiplied multiplied(plan::Distance distance, const Rational& query, const Rational& key) {
  Rational apart = query - key;
  switch (distance) {
    case plan::Distance::key: return {"slope key", key};
    case plan::Distance::key_from_last: return {"slope (key - last key), of the only key", Rational(0)};
    case plan::Distance::causal: return {"slope (key - query)", -apart};
    case plan::Distance::minus_distance: break;
  }
  apart.negative = !apart.zero();
  return {"-slope |query - key|", apart};
}

std::vector<RoundedValue> biases(const Convention& all, const EntryAsked& asked, const Options& options,
                                 const Number& exact) {
  std::vector<RoundedValue> made;
  const OperationInputs inputs = {
      .dim = asked.dim, .lists = asked.at, .options = {.context = {.head = options.context.head, .present = {}}}};
  for (const DType type : real_types) {
    with_real(type, [&]<class T>(T) {
      std::vector<T> out(static_cast<std::size_t>(asked.dim));
      const View to = view(out.data(), {asked.dim, 1, 1});
      if (detail::write_numbers(all, inputs, to)) return;
      made.push_back(told(type, wide(out[static_cast<std::size_t>(asked.column)]), exact));
    });
  }
  return made;
}

}  // namespace

std::optional<Problem> check_slope(const Convention& all, const EntryAsked& asked, const Options& options) {
  if (auto problem = check_exact_for("slopes", options)) return problem;
  if (auto problem = check_lower(all, {.width = options.context.head, .heads = asked.dim})) return problem;
  if (auto problem = check_column("the head", asked.column, asked.dim)) return problem;
  return check_place(query_and_key, asked.at);
}

Explanation explain_slope(const Convention& all, const EntryAsked& asked, const Options& options) {
  const plan::HeadPlan plan = lower_heads(all, {.width = options.context.head, .heads = asked.dim});
  const Real slope = plan.slope(static_cast<std::size_t>(asked.column));
  const OnePlace place = place_of(query_and_key, asked.at);
  ExplainedEntry alone;
  alone.what = "the slope, times the convention's scale";
  alone.formula = closed_form(slope);
  alone.exact = decimal(Number(slope));
  alone.rounded = rounded_alone(slope);
  const auto [words, by] = multiplied(plan.distance, Rational(*place.coordinates[0]), Rational(*place.coordinates[1]));
  const Number exact(slope * Real(by));
  ExplainedEntry bias;
  bias.what = "what is added to the score";
  bias.formula = words;
  bias.exact = decimal(exact);
  bias.rounded = biases(all, asked, options, exact);
  return {"head " + std::to_string(asked.column) + " of " + std::to_string(asked.dim) + " at " + place.words,
          options.recipe.name,
          {std::move(alone), std::move(bias)},
          std::nullopt};
}

// ---- classes ------------------------------------------------------------------------------------

std::optional<Problem> check_class(const Convention& all, const EntryAsked& asked, const Options& options) {
  if (auto problem = check_exact_for("buckets", options)) return problem;
  if (auto problem = check_place(query_and_key, asked.at)) return problem;
  std::int64_t out = 0;
  return check_buckets(all, asked.at[0], asked.at[1], view(&out, {1, 1}));
}

Explanation explain_class(const Convention& all, const EntryAsked& asked, const Options& options) {
  std::int64_t found = 0;
  detail::buckets(all, asked.at[0], asked.at[1], view(&found, {1, 1}), serial);
  const OnePlace place = place_of(query_and_key, asked.at);
  const Rational distance = Rational(*place.coordinates[1]) - Rational(*place.coordinates[0]);
  return {"the pair of " + place.words,
          options.recipe.name,
          {whole_entry("the class, a row of the learned table, of a key " + closed_form(distance) + " after its query",
                       to_string(all), found)},
          std::nullopt};
}

// ---- query scales -------------------------------------------------------------------------------

std::optional<Problem> check_factor(const Convention& all, const EntryAsked& asked, const Options& options) {
  if (auto problem = check_exact_for("query scales", options)) return problem;
  if (auto problem = check_place({"query"}, asked.at)) return problem;
  float out = 0;
  return check_write_numbers(all, {.lists = asked.at}, view(&out, {1}));
}

Explanation explain_factor(const Convention& all, const EntryAsked& asked, const Options& options) {
  const OnePlace place = place_of({"query"}, asked.at);
  const plan::FactorPlan plan = lower_factor(all);
  const Rational argument = factor_argument(plan, Rational(*place.coordinates[0]));
  const Real factor = posenc::factor_of(plan, argument);
  const Number exact(factor);
  ExplainedEntry entry;
  entry.what = "what the query is multiplied by";
  entry.formula = closed_form(factor);
  entry.exact = decimal(exact);
  for (const DType type : real_types) {
    with_real(type, [&]<class T>(T) {
      T out;
      if (!detail::write_numbers(all, {.lists = asked.at}, view(&out, {1}))) {
        entry.rounded.push_back(told(type, wide(out), exact));
      }
    });
  }
  return {place.words, options.recipe.name, {std::move(entry)}, std::nullopt};
}

// ---- stored rows --------------------------------------------------------------------------------

std::optional<Problem> check_row(const Convention& all, const EntryAsked& asked, const Options& options) {
  if (auto problem = check_exact_for("stored rows", options)) return problem;
  if (auto problem = check_lower(all, {})) return problem;
  if (auto problem = check_place(posenc::axes_of(all), asked.at)) return problem;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(lower_index(all).tables()));
  const std::int64_t tables = std::ssize(rows);
  return check_learned_rows(all, asked.at, tables == 1 ? view(rows.data(), {1}) : view(rows.data(), {1, tables}));
}

Explanation explain_row(const Convention& all, const EntryAsked& asked, const Options& options) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(lower_index(all).tables()));
  const std::int64_t tables = std::ssize(rows);
  detail::learned_rows(all, asked.at, tables == 1 ? view(rows.data(), {1}) : view(rows.data(), {1, tables}), serial);
  Explanation told = {place_of(posenc::axes_of(all), asked.at).words, options.recipe.name, {}, std::nullopt};
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const std::string of =
        rows.size() == 1 ? "the stored table" : "the stored table of axis " + posenc::axes_of(all)[t];
    told.entries.push_back(rows[t] == no_row ? whole_entry("zeros: " + of + " has no such row", "no row", rows[t])
                                             : whole_entry("the row of " + of + "; what stands there was learned",
                                                           to_string(all), rows[t]));
  }
  return told;
}

}  // namespace posenc::referee
