// SPDX-License-Identifier: Apache-2.0
// What a tensor is like that fits no convention.
#pragma once

#include <posenc/referee/identify.h>

namespace posenc::referee {

/// `kind` and, where a row of presets is alike, `nearest`.
struct Told {
  Identification identification;
  std::vector<std::string> words = {};  ///< those of `kind`, one by one; none where there are candidates
  double explained = 0;                 ///< the share of entries that the words explain beside `nearest`
};
/// Describes the tensor relative to the nearest preset. The presets are rotations if `like` is one, others if it is
/// none, all if it is null.
Told told_of(const ConstView& tensor, const IdentifyOptions& options, const Convention* like = nullptr);
Identification not_identified(const ConstView& tensor, const IdentifyOptions& options);

/// The same `kind` as a finding of a check, which asked for another row: "beside whisper: row 17 is damaged".
std::string words_of_kind(const Told& told);

}  // namespace posenc::referee
