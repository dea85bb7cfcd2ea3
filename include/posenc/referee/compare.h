// SPDX-License-Identifier: Apache-2.0
// Compare: in which fields two conventions differ, whether they are the same numbers all the same, and if not, by how
// much, from where on, and what that means for a score.
//
// Thread safety: plain values; all functions are safe to call from any thread.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/positions.h>

namespace posenc {

/// An entry in which two conventions differ.
struct DifferingEntry {
  std::vector<double> at;  ///< a number for each of Comparison::axes, a position rounded to f64
  double a, b;             ///< what each has there
  friend bool operator==(const DifferingEntry&, const DifferingEntry&) = default;
};

/// How much a product of two rows, or a product of a turned query and a turned key, is another one.
struct ScoreChange {
  /// products: PE(p) . PE(q). norm: of unit queries and keys, the worst of all. single: of queries and keys of one
  /// column, since the two turn other columns together; others may change by more.
  enum class Of : std::uint8_t { products = 1, norm, single };
  Of of;
  std::int64_t places;       ///< every pair of so many places, spread evenly over those that are asked
  double largest;            ///< the largest change; 0 where rounding to f64 explains it
  std::vector<double> p, q;  ///< where: the coordinates of both places
  double greatest;           ///< the largest product of `a` in size; of rotations the square of its magnitude
  friend bool operator==(const ScoreChange&, const ScoreChange&) = default;
};

/// Two conventions beside each other.
struct Comparison {
  std::vector<std::string> differences;  ///< "layout: interleaved, not sine_first": what a has, not b
  bool equal = false;                    ///< the same real numbers at every position, by their plans, and places alike
  std::string numbers;            ///< what was compared: "entries", "cosines and sines", "biases", "classes", "factors"
  std::string not_compared;       ///< why no numbers were, or not all of them; else empty
  std::int64_t dim = 0;           ///< columns of a row, of a head; heads of a bias; 0: of no meaning
  Context context;                ///< what else the numbers depend on; length 0: not on that
  std::vector<std::string> axes;  ///< what the numbers of an entry count: {"position", "column"}, {"y place", ..}
  std::int64_t entries = 0;       ///< that were compared
  std::optional<DifferingEntry> largest;                ///< the entry that differs most, in f64; nothing: all are equal
  std::optional<DifferingEntry> first;                  ///< the first one in f64
  std::optional<DifferingEntry> first_f32, first_bf16;  ///< once both are rounded to that type; classes are not
  std::optional<ScoreChange> score;                     ///< of rows and rotations
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

struct CompareOptions {
  std::int64_t dim = 0;         ///< 0: 512 columns of a row, 128 of a head, 8 heads of a bias
  std::int64_t head_width = 0;  ///< columns of a head, of biases whose scale depends on them; 0: 64
  /// A list [L] for every axis, or one for all of them, whose cells then are all L^n. None: 0 to 511, or the largest
  /// cube of at most 512 cells. Of biases and classes: the queries, and the keys.
  std::vector<Positions> positions = {};
  Context context = {};  ///< what is not stated: the last position and 1, centre 0, learned scale 1
  /// How each numbers the places of every axis (Preset::places). Where the two differ and no positions are given, place
  /// i of one stands beside place i of the other, each at its own coordinate.
  PlaceNumbering places_of_a = whole_places, places_of_b = whole_places;
  Executor executor = serial;
};

/// Two conventions beside each other: their fields, their plans, their exact numbers.
///
/// Numbers: rows of waves, entry by entry; of rotations the cosine and the sine of every pair, columns 2k and 2k + 1,
/// as they stand in a table without decays; biases by head, query and key; classes of distances and of a window of 7 by
/// 7 cells; factors of queries. Axes of the same names are the same ones, whatever their order. Other families, and two
/// families beside each other, have their fields compared alone. Rows of other widths are compared up to the shorter
/// one. Accuracy: entries are the real numbers rounded once to f64, f32 and bf16. A change of a score is off by
/// less than width 2^-52 of the greatest product.
/// Time: 0.1 s for 512 rows of 512 columns. Errors: a convention breaks its rules or refuses the width; positions do;
/// more than 2^32 entries.
inline Comparison compare(const Convention& a, const Convention& b, const CompareOptions& options = {});
/// The problem that compare would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_compare(const Convention& a, const Convention& b,
                                                                 const CompareOptions& options = {});
/// The fields, then a line for each of what differs.
POSENC_EXPORT std::string to_string(const Comparison& comparison);

namespace detail {
/// Of what the checks admit. The problem that core.h excepts, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> compare(const Convention& a, const Convention& b,
                                                           const CompareOptions& options, Comparison& comparison);
}  // namespace detail

inline Comparison compare(const Convention& a, const Convention& b, const CompareOptions& options) {
  require(check_compare(a, b, options));
  Comparison comparison;
  require(detail::compare(a, b, options, comparison));
  return comparison;
}

}  // namespace posenc
