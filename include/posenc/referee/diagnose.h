// SPDX-License-Identifier: Apache-2.0
// Diagnose: whether a tensor is what a convention says, and if not, what was done to it, in words that name the cure.
//
// Thread safety: plain values; all functions are safe to call from any thread.
#pragma once

#include <posenc/referee/identify.h>

namespace posenc {

/// An argument that the call leaves out, and the default that was used, as the tool's options take it: "queries", "199"
/// or "keys", "0:200" of biases and classes; "positions" of factors of queries; "head", the columns of a head;
/// "window", "7x7"; "length" of a list of frequencies; "places" of cells.
struct Assumed {
  std::string name, value;
  friend bool operator==(const Assumed&, const Assumed&) = default;
};

/// Whether a tensor is what a convention says.
struct Diagnosis {
  bool right = false;                 ///< every entry lies within what roundings of known arithmetic explain
  std::optional<Candidate> found;     ///< right: how it is held; else what the tensor holds, where that is known
  std::vector<std::string> findings;  ///< of what is wrong: what differs, and where it first shows; never empty then.
                                      ///< Of what is right: notes, as of the row of an absent position
  std::vector<Assumed> assumed;       ///< what the tensor was held against where the call says nothing
  // Evidence. Of what is right: all entries, none of them wrong.
  std::int64_t entries = 0;         ///< that were held against those asked
  std::int64_t wrong = 0;           ///< of them: further off than roundings explain
  std::vector<std::int64_t> first;  ///< place and column of the first wrong one; head, query and key of a bias
  double explained = 0;             ///< the share of entries that the findings explain; 0: nothing explains them
  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

struct DiagnoseOptions {
  std::int64_t dim = 0;                       ///< the width that the convention is asked for; 0: that of the tensor
  Context context = {};                       ///< a length of 0 is that of the tensor
  std::optional<PlaceNumbering> places = {};  ///< of the cells; nothing: as the rows of presets that are the convention
  IdentifyOptions identify = {};  ///< its positions are those asked; none: as the original counts, or 0, 1, ..
  std::optional<Positions> queries = {}, keys = {};  ///< of biases and classes of distances, a list [L] and one [S]
};

/// Whether `tensor` is what `convention` says, and if not, why.
///
/// Shapes and types: as identify takes them. Accuracy: right is a tensor each entry of which lies within half a unit of
/// its type, 2^-21 of the scale, and what f32 arithmetic makes of its angle p w, (3 |ln w| + 8) 2^-24 p w; where that
/// is more than 1/8, all entries must be those of one recipe. So an f32 table of base 10000 is told from any other up
/// to position 2^18, and beyond only from those of recipes. A fault is named where the tensor has the entries that it
/// leaves, in 99 of 100 at least; what none explains is said with the first entry that differs. Of faults of angles and
/// columns the first 2^20 entries are looked at. Biases and classes are those of `queries` and `keys`, or of one or two
/// lists of positions. Keys that are not stated are at 0, 1, ..; queries that are not are the first of the keys, or the
/// last: `assumed` says which. Lists are frequencies, what divides positions, or what divides the frequencies that are
/// not scaled (rope_freqs of llama.cpp), each as identify names it.
/// Errors: those of identify; a convention that breaks its rules, or of rows of a stored table; queries or keys of a
/// tensor without them, beside positions, or of another number.
inline Diagnosis diagnose(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options = {});
/// The problem that diagnose would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_diagnose(const ConstView& tensor, const Convention& convention,
                                                                  const DiagnoseOptions& options = {});
/// "right" or "wrong", how the tensor is held, a line a finding.
POSENC_EXPORT std::string to_string(const Diagnosis& diagnosis);

namespace detail {
/// Of what the checks admit.
POSENC_EXPORT Diagnosis diagnose(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options);
}  // namespace detail

inline Diagnosis diagnose(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  require(check_diagnose(tensor, convention, options));
  return detail::diagnose(tensor, convention, options);
}

}  // namespace posenc
