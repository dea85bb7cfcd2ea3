// SPDX-License-Identifier: Apache-2.0
// Diagnose: whether a tensor is what a convention says, and if not, what was done to it, in words that name the cure.
//
// Thread safety: plain values; all functions are safe to call from any thread.
#pragma once

#include <posenc/identify.h>

namespace posenc {

/// Whether a tensor is what a convention says.
struct Diagnosis {
  bool right = false;                 ///< every entry lies within what roundings of known arithmetic explain
  std::optional<Candidate> found;     ///< right: how it is held; else what the tensor holds, where that is known
  std::vector<std::string> findings;  ///< of what is wrong: what differs, and where it first shows; never empty then
  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

struct DiagnoseOptions {
  std::int64_t dim = 0;           ///< the width that the convention is asked for; 0: that of the tensor
  Context context = {};           ///< a length of 0 is that of the tensor
  IdentifyOptions identify = {};  ///< its positions are those asked; none: as the original counts, or 0, 1, ..
};

/// Whether `tensor` is what `convention` says, and if not, why.
///
/// Shapes and types: as identify takes them. Accuracy: right as identify holds a candidate. A fault is named where the
/// tensor has the entries that it leaves, in 99 of 100 at least; what none explains is said with the first
/// entry that differs. Of faults of angles and columns the first 2^20 entries are looked at.
/// Errors: those of identify; a convention that breaks its rules, or is neither of rows nor of rotations.
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
