// SPDX-License-Identifier: Apache-2.0
// Identify: which convention a tensor holds, and how sure that is. Tables of rows and grids, caches of rotations, lists
// of frequencies and slopes, biases, classes, factors of queries; and rotations seen from outside.
//
// Thread safety: plain values; all functions are safe to call from any thread.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/positions.h>
#include <posenc/preset.h>

namespace posenc {

/// How the entries of a tensor compare with those that a convention has. A distance is in units in the last place of
/// the known entry, in the type of the storage; next to 0 they are those of 2^-8 times the scale of the rows.
struct Agreement {
  std::int64_t entries = 0;  ///< that were compared
  std::int64_t equal = 0;    ///< to the bit, but for the signs of zeros
  double median = 0, largest = 0;
  double difference = 0;            ///< the largest, in absolute terms
  std::vector<std::int64_t> first;  ///< the first entry that differs: its row, counted from the tensor's first row, and
                                    ///< its column; empty: all are equal
  double share() const { return entries == 0 ? 1 : static_cast<double>(equal) / static_cast<double>(entries); }
  friend bool operator==(const Agreement&, const Agreement&) = default;
};

/// A number that was measured: its interval, and the simple number inside it, if there is one.
struct Fitted {
  std::string name;  ///< "base", "scale", "first position", "step"; of rotations "offset" from the positions stated
  double value, low, high;
  std::string simple;  ///< "10000", "sqrt 512"; empty: there is none
  friend bool operator==(const Fitted&, const Fitted&) = default;
};

/// The coordinates of the places along one axis: first, first + step, .. Nothing is a step of positions that the caller
/// listed and that are not equally spaced.
struct AxisPlaces {
  std::string axis;
  double first;
  std::optional<double> step;
  friend bool operator==(const AxisPlaces&, const AxisPlaces&) = default;
};

/// One convention that a tensor may hold.
struct Candidate {
  std::vector<std::string> presets;      ///< rows that have these numbers; of a fitted one the row it is nearest to
  std::vector<std::string> differences;  ///< what it has, and not the row: "ladders.0.base: 500000, not 10000"
  Convention convention;
  std::string form;     ///< "table"; of a cache "cos [a | a]"; "frequencies", "divisors" (1 / frequency) and "periods"
                        ///< (2 pi / frequency), compared as frequencies; "slopes", "bias", "query_scale",
                        ///< "log_coordinates", "classes", "windows"; "rotation", "rotation backward"
  std::string reading;  ///< which axes count places: "[L, d]", "[d, L]", "[H W, d]"
  std::int64_t extra = 0;             ///< rows in front that belong to no place
  std::int64_t copies = 1;            ///< how often the rows stand there, along axes of batches or of heads
  std::vector<std::int64_t> extents;  ///< of places along each axis
  std::int64_t width = 0;             ///< the argument of the convention: columns of a row, of a head; heads
  Context context;                    ///< what else the numbers depend on
  std::vector<AxisPlaces> places;     ///< where the rows are; empty where that has no meaning
  std::vector<Fitted> fitted;         ///< in the order in which they were found
  DType storage = {};                 ///< the type that the entries went through last
  Agreement exact;                    ///< beside the real numbers, rounded once
  std::string recipe = "exact";       ///< the arithmetic that has the most entries equal
  Agreement by_recipe;                ///< beside that
  double known_share = 1;             ///< of equal bits that originals by it reach; 0: none was measured
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// A row of presets that these entries rule out although it is near: of the form that was found, at the same places,
/// the one that takes the most places to be told apart, then that whose entries differ by the least. Entries are told
/// apart where they differ by more than roundings of known arithmetic may have moved both.
struct RuledOut {
  std::string preset;
  std::int64_t equal_places = 0;    ///< places in front at which it cannot be told from the candidate
  std::vector<std::int64_t> place;  ///< the entry that tells them apart: row and column
  double difference = 0;            ///< there
  std::vector<std::string>
      differences;  ///< what the candidate has, and not the row: "layout: sine_first, not interleaved"
  friend bool operator==(const RuledOut&, const RuledOut&) = default;
};

/// What a tensor holds. One candidate: it is that. Several: these entries do not tell them apart. None: it is not
/// identified, and `kind` and `nearest` say what it is like.
struct Identification {
  std::vector<Candidate> candidates;
  std::vector<RuledOut> ruled_out;   ///< the nearest few, of tables, caches of rotations and lists of frequencies
  std::string kind;                  ///< of what fits nothing: "row 17 is damaged", "no line spectrum; .."
  std::optional<Candidate> nearest;  ///< of what fits nothing, where a row of presets is alike: see below
  bool sampled = false;              ///< recipes were held against some entries only
  friend bool operator==(const Identification&, const Identification&) = default;
};

/// How many entries recipes are held against: 2^20 of them, or all. The exact table is held against all of them.
enum class SearchDepth : std::uint8_t { sampled = 1, full };

struct IdentifyOptions {
  SearchDepth depth = SearchDepth::sampled;
  std::vector<Positions> positions = {};  ///< of the rows, where the caller knows them: a list [L] for each axis
  Executor executor = serial;
};

/// What a tensor holds.
///
/// Shapes: [L, d], [d, L], [L, 1, d] and the like, [H, W, d], [H W, d], [T, H, W, d], each with up to 16 rows of others
/// in front (8 of a grid) or any of zeros, of any first position; [.., n, 2] of complex numbers; lists [n] of
/// frequencies, slopes or factors; biases [H, L, S], [H, 1, S]; classes [L, S], of real types too. Types: f32, f64,
/// f16, bf16; classes i32, i64. Any strides; unlike other views, at any address. No element is copied. Accuracy: a
/// candidate is returned when all entries lie within what roundings of known arithmetic explain; those whose rounded
/// entries are equal are returned together.
///
/// What fits nothing is compared with the row of presets that is most alike: over a few rows the cosine of the angle
/// between its entries and those of the row, each less the mean of its column, is 1/2 or more, or the entries are the
/// same in another order. `nearest` then says how far 2^20 entries are, and `kind` what was done to the row: angles,
/// positions or frequencies were rounded; rows or columns are damaged, zero, permuted, another convention's; noise; a
/// drift, as of training. Else `kind` says what the entries are by themselves: not finite, zeros, few values, biases of
/// distances, waves in no known ladder, no line spectrum. Errors: fewer than 1 axis or more than 4, another type, no
/// elements, another number of positions than of rows.
inline Identification identify(const ConstView& tensor, const IdentifyOptions& options = {});
/// The problem that identify would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_identify(const ConstView& tensor,
                                                                  const IdentifyOptions& options = {});

/// Which rotation turned `before` into `after`: pairing, direction, base, rotated width. Shapes: both [.., L, d], or
/// [.., L, H, d] where L positions say that, at any address; tokens at `positions`, one list; those of several axes
/// have it on each. Accuracy: as identify, of every entry of `after` beside the exact rotation of `before`. `kind` of
/// what is none: "no entry turns" (equal tensors rule nothing out), "row 17 is damaged" beside `nearest`, "no pairing
/// keeps lengths", "pairs turn by other angles". Errors: shapes differ or have no tokens, another number of positions,
/// other types than real ones.
inline Identification identify_rotation(const ConstView& before, const ConstView& after, const Positions& positions,
                                        const IdentifyOptions& options = {});
/// The problem that identify_rotation would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_identify_rotation(const ConstView& before,
                                                                           const ConstView& after,
                                                                           const Positions& positions,
                                                                           const IdentifyOptions& options = {});

/// For people: what it is, how sure, and what was ruled out.
POSENC_EXPORT std::string to_string(const Identification& identification);
/// "12 of 16 entries equal, others off by 1 unit in the last place, by 3 at most"
POSENC_EXPORT std::string to_string(const Agreement& match);

namespace detail {
/// Of what the checks admit.
POSENC_EXPORT Identification identify(const ConstView& tensor, const IdentifyOptions& options);
POSENC_EXPORT Identification identify_rotation(const ConstView& before, const ConstView& after,
                                               const Positions& positions, const IdentifyOptions& options);
}  // namespace detail

inline Identification identify(const ConstView& tensor, const IdentifyOptions& options) {
  require(check_identify(tensor, options));
  return detail::identify(tensor, options);
}
inline Identification identify_rotation(const ConstView& before, const ConstView& after, const Positions& positions,
                                        const IdentifyOptions& options) {
  require(check_identify_rotation(before, after, positions, options));
  return detail::identify_rotation(before, after, positions, options);
}

}  // namespace posenc
