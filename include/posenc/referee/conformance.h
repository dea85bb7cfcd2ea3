// SPDX-License-Identifier: Apache-2.0
// Conformance: test vectors of every preset, and how well numbers of others agree with them. Thread safety: plain
// values.
#pragma once

#include <posenc/context.h>
#include <posenc/preset.h>

namespace posenc {

/// What an answer holds. Positions are lists, one for each of the case's axes; axis 0 of an answer goes along them.
enum class ConformanceOf : std::uint8_t {
  rows = 1,         ///< [L, columns]: a row of waves at each place
  rotations,        ///< [L, d]: the head of the case, rotated as a query's at each place
  biases,           ///< [H, L, S]: what is added to the score of each query and key
  classes,          ///< [L, S] of integers: the class of each query and key
  windows,          ///< [N, N] of integers: the class of each pair of cells of the window
  log_coordinates,  ///< [2 H - 1, 2 W - 1, 2]: of the cells of the window
  query_scales,     ///< [L]: the factor of each query
  stored_rows,      ///< [L] or [L, T] of integers: the row of the stored table, or of each of T tables
};
POSENC_EXPORT std::string_view to_string(ConformanceOf of);

/// One case: a preset at some places.
struct ConformanceCase {
  std::string name;  ///< of the preset
  ConformanceOf of;
  Convention convention;
  Recipe original;
  std::int64_t dim;               ///< columns of a row or of a head, or heads of biases; 0: nothing has columns
  std::vector<std::string> axes;  ///< of the positions: the convention's, or "query" and "key"
  std::vector<std::vector<double>> positions;
  std::vector<double> head;            ///< of rotations: 1 in the first column of every pair, else 0
  std::array<std::int64_t, 2> window;  ///< height and width, or 0 and 0
  Context context;                     ///< stated where the convention depends on it
  std::int64_t head_width;             ///< of a head, where biases depend on it; else 0
  std::vector<std::int64_t> shape;     ///< of an answer
  bool whole() const {
    return of == ConformanceOf::classes || of == ConformanceOf::windows || of == ConformanceOf::stored_rows;
  }
  friend bool operator==(const ConformanceCase&, const ConformanceCase&) = default;
};

/// A preset that has no case, and why.
struct WithoutCase {
  std::string name, reason;
  friend bool operator==(const WithoutCase&, const WithoutCase&) = default;
};
struct ConformanceCases {
  std::vector<ConformanceCase> cases;  ///< in the order of presets()
  std::vector<WithoutCase> without;
};
/// The cases of this version: positions near 0, in the middle, beyond 2^24 and 2^31, and fractional; of rotations with
/// a decay no further than 4097. The same on every machine.
POSENC_EXPORT ConformanceCases conformance_cases();
/// The case of one preset, by its name or an alias. The problem of check_preset, or that the preset has no case.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_conformance_case(std::string_view name);
namespace detail {
POSENC_EXPORT std::optional<ConformanceCase> conformance_case(std::string_view name);
}
inline ConformanceCase conformance_case(std::string_view name) {
  require(check_conformance_case(name));
  return *detail::conformance_case(name);
}

/// Writes what the case asks for, by a recipe; `out` is row-major of the case's shape: f32, f64 (but under a decay), or
/// i64 where the case is of integers. The problem that core.h excepts, or that the recipe or the type does not serve.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_conformance_values(const ConformanceCase& of,
                                                                            const Recipe& recipe, const View& out);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> write_conformance_values(const ConformanceCase& of,
                                                                            const Recipe& recipe, const View& out);

/// From best to worst.
enum class Conformity : std::uint8_t {
  exact = 1,  ///< to the bit the real numbers, each rounded once to the answer's type
  recipe,     ///< to the bit the values of the original's recipe
  faithful,   ///< within one unit in the last place of f32 of the real number everywhere
  drifting,   ///< no further away than arithmetic in f32 explains, which is for rows and rotations
              ///< (2^-20 + 2^-21 times the largest angle) max(1, |entry|), and for the rest what check admits of f32
  wrong,      ///< further, or not finite
};
POSENC_EXPORT std::string_view to_string(Conformity conformity);

struct ConformanceScore {
  Conformity conformity;
  std::int64_t places;               ///< that the answer has, of rows and of rotations; else 1
  double units;                      ///< the largest distance from exact, in last places of f32
  double distance;                   ///< the largest distance itself; infinite where an entry is not finite
  std::vector<std::int64_t> index;   ///< of the entry that is furthest away
  std::optional<double> from;        ///< the smallest size of a place with an entry that is not faithful
  std::vector<std::string> instead;  ///< of a wrong answer: presets of which it is a better one
  /// Of a wrong answer that is no preset's: what diagnose.h finds in its rows, or identify.h in what it rotated, at the
  /// first places, which follow each other; empty: nothing that explains them.
  std::vector<std::string> findings;
  friend bool operator==(const ConformanceScore&, const ConformanceScore&) = default;
};

/// How well an answer agrees. It is f32 or f64 of the case's shape, or i32 or i64 of integers; of rows and rotations it
/// may end early, and is judged by the places that it has.
inline ConformanceScore conformance_score(const ConformanceCase& of, const ConstView& answer);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_conformance_score(const ConformanceCase& of,
                                                                           const ConstView& answer);
namespace detail {
POSENC_EXPORT ConformanceScore conformance_score(const ConformanceCase& of, const ConstView& answer);
}
inline ConformanceScore conformance_score(const ConformanceCase& of, const ConstView& answer) {
  require(check_conformance_score(of, answer));
  return detail::conformance_score(of, answer);
}

// ---- a score card -----------------------------------------------------------------------------------

/// Whether there was an answer: one that could be scored, none, since it failed, or none that is offered.
enum class Answered : std::uint8_t { scored = 1, failed, not_offered };

/// What was made of a case.
struct CardLine {
  std::string name;  ///< of the case
  ConformanceOf of;
  std::int64_t places;  ///< of the case: those of rows and of rotations; else 1
  Answered answered;
  std::string reason;  ///< of what is not scored
  std::optional<ConformanceScore> score;
  friend bool operator==(const CardLine&, const CardLine&) = default;
};
/// "exact" .. "wrong", "failed" or "not offered".
POSENC_EXPORT std::string_view result_of(const CardLine& line);
/// The line of an answer; of one that check_conformance_score refuses, that it failed.
POSENC_EXPORT CardLine scored_line(const ConformanceCase& of, const ConstView& answer);
/// The line of a case without an answer, which `answered` says; its reason.
POSENC_EXPORT CardLine unscored_line(const ConformanceCase& of, Answered answered, std::string reason);

struct ScoreCard {
  std::vector<CardLine> lines;
};
/// How many lines have each result, from exact on, those that there are.
struct ResultCount {
  std::string_view result;
  std::int64_t lines;
};
POSENC_EXPORT std::vector<ResultCount> counts(const ScoreCard& card);
/// A line a case, then how many there are of each result.
POSENC_EXPORT std::string to_string(const ScoreCard& card);

}  // namespace posenc
