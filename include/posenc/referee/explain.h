// SPDX-License-Identifier: Apache-2.0
// One entry of a table, of a rotation or of a bias, step by step: which real number it is, what each rounding of a
// recipe loses, and where two conventions part. Thread safety: plain values.
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>
#include <posenc/recipe.h>
#include <posenc/rotary.h>

namespace posenc {

// ---- what is asked ------------------------------------------------------------------------------

/// Which entry. `at` is one position each: of every axis of waves, rotations and learned rows; of the query and of the
/// key for slopes and for buckets of distances; of the query for a query scale.
struct EntryAsked {
  std::int64_t dim = 0;     ///< columns of a row or of a head; the number of heads of slopes; else of no effect
  std::int64_t column = 0;  ///< of the row or of the head; the head of slopes; else of no effect
  std::vector<Positions> at = {};
  std::array<double, 2> before = {1, 0};  ///< what stands in the two columns that a rotation reads
  RotatedSide side = RotatedSide::query;  ///< under a decay
};

// ---- what is told -------------------------------------------------------------------------------

/// A real number in decimal.
struct Decimal {
  std::string text;     ///< "-0.5232991146814947..", or "undecided"
  std::int64_t digits;  ///< significant ones that are certain, the last one rounded: 40, fewer where 2^13 bits end
  bool exact;           ///< nothing follows them
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

/// The number in an element type.
struct RoundedValue {
  DType type;
  double value;
  std::uint64_t bits;           ///< as the type stores it
  std::optional<double> units;  ///< value minus the real number, in last places of the type at the real number
  friend bool operator==(const RoundedValue&, const RoundedValue&) = default;
};

/// A coordinate times a frequency. The coordinate is the position, or what the convention makes of it.
struct AngleTerm {
  std::string axis;
  std::int64_t frequency;  ///< k
  std::string rule;        ///< as the ladder's fields say it, "10000^(-36/512)", or in words
  std::string formula;     ///< in lowest terms, "10^(-9/32)"
  Decimal w;               ///< in radians
  Decimal coordinate;
  friend bool operator==(const AngleTerm&, const AngleTerm&) = default;
};

/// The sum of its terms and of its phase.
struct ExplainedAngle {
  std::vector<AngleTerm> terms;
  std::optional<Decimal> phase;
  Decimal radians;
  Decimal turns;    ///< radians / 2 pi
  Decimal reduced;  ///< radians less the nearest number of whole turns, in [-pi, pi)
  friend bool operator==(const ExplainedAngle&, const ExplainedAngle&) = default;
};

/// A rounding of a recipe. What is lost is told to first order, so far and with what the roundings before it lost.
struct ExplainedStep {
  std::string name;  ///< "frequency"
  std::string what;  ///< the operation, "RN(exp(exponent))"
  DType type;
  double value;
  std::uint64_t bits;
  std::optional<double> relative;  ///< value / meant - 1; nothing where there is no one number that it stands for, or 0
  std::optional<double> angle;     ///< in radians, what that makes of the angle; nothing after the angle
  friend bool operator==(const ExplainedStep&, const ExplainedStep&) = default;
};

/// One real number: exact, rounded, and under a recipe.
struct ExplainedEntry {
  std::string what;     ///< "column 37 of 512: the cosine of frequency 18 of axis position"
  std::string formula;  ///< of the entry, "cos(angle)"
  std::optional<ExplainedAngle> angle;
  Decimal exact;
  std::vector<RoundedValue> rounded;  ///< to every type that the operation writes, bit for bit what it writes
  std::vector<ExplainedStep> steps;   ///< none under exact and phase
  std::vector<RoundedValue> recipe;   ///< the same under the recipe; units from the real number
  friend bool operator==(const ExplainedEntry&, const ExplainedEntry&) = default;
};

/// What a rotation makes of a pair of columns.
struct ExplainedPair {
  std::int64_t pair;
  std::array<std::int64_t, 2> read, written;  ///< columns of the head
  std::array<double, 2> before;               ///< each rounded to f32
  std::array<Decimal, 2> exact;               ///< without any rounding
  std::array<float, 2> after;                 ///< of an f32 head, under the recipe
  friend bool operator==(const ExplainedPair&, const ExplainedPair&) = default;
};

struct Explanation {
  std::string title;  ///< the entry, and where
  std::string recipe;
  std::vector<ExplainedEntry> entries;  ///< one; of a rotation its cosine and its sine
  std::optional<ExplainedPair> pair;
  friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// Explains one entry: the real number and each rounding of it.
///
/// Accuracy: every digit printed is proven, by an interval both of whose ends round to it. Bits equal the output of
/// rows.h, rotary.h, bias.h, buckets.h and query_scale.h; the last step of a recipe is the same number. Errors: the
/// convention, the column, the positions or the recipe break a rule; windows, log coordinates and tables that are
/// normalised have no entry of one position. Thread safety: yes.
inline Explanation explain(const Convention& convention, const EntryAsked& asked, const Options& options = {});
/// The problem that explain would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_explain(const Convention& convention, const EntryAsked& asked,
                                                                 const Options& options = {});
namespace detail {
POSENC_EXPORT Explanation explain(const Convention& convention, const EntryAsked& asked, const Options& options);
}
inline Explanation explain(const Convention& convention, const EntryAsked& asked, const Options& options) {
  require(check_explain(convention, asked, options));
  return detail::explain(convention, asked, options);
}

/// Several lines, each number with what it lost.
POSENC_EXPORT std::string to_string(const Explanation& explanation);

// ---- where two conventions part -----------------------------------------------------------------

/// The first column in which two rows or rotations are different real numbers, and the first position at which an entry
/// differs in f32.
struct Parting {
  std::int64_t column;
  std::string a, b;                      ///< what each has there, with its frequency
  std::optional<std::int64_t> position;  ///< of the first axis; nothing where none below `searched` differs
  std::int64_t at_column = 0;            ///< the first one that differs at `position`
  double in_a = 0, in_b = 0;             ///< what stands there
  std::int64_t searched = 0;
  std::vector<std::string> axes = {};  ///< those of a
  friend bool operator==(const Parting&, const Parting&) = default;
};
/// Nothing where the two are the same real numbers in every column. Axes are the same by their names.
/// Positions 0, 1, .. below `positions` are searched: p along the first axis of a, p + 1 along its second, and so on.
/// Both are waves, or both rotations, of as many columns at width `dim`.
inline std::optional<Parting> parting(const Convention& a, const Convention& b, std::int64_t dim,
                                      std::int64_t positions, const Options& options = {});
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_parting(const Convention& a, const Convention& b,
                                                                 std::int64_t dim, std::int64_t positions,
                                                                 const Options& options = {});
namespace detail {
POSENC_EXPORT std::optional<Parting> parting(const Convention& a, const Convention& b, std::int64_t dim,
                                             std::int64_t positions, const Context& context);
}
inline std::optional<Parting> parting(const Convention& a, const Convention& b, std::int64_t dim,
                                      std::int64_t positions, const Options& options) {
  require(check_parting(a, b, dim, positions, options));
  return detail::parting(a, b, dim, positions, options.context);
}
POSENC_EXPORT std::string to_string(const Parting& parting);

}  // namespace posenc
