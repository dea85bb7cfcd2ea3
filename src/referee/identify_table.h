// SPDX-License-Identifier: Apache-2.0
// Tables of waves: rows, grids, caches of rotations.
#pragma once

#include <posenc/referee/identify.h>

#include "src/referee/hold.h"

namespace posenc::referee {

/// What a tensor holds, and nothing of what it is like where that is nothing.
Identification conventions_of(const ConstView& tensor, const IdentifyOptions& options);

/// The rules of check_identify but for the number of positions.
[[nodiscard]] std::optional<Problem> check_entries(const ConstView& tensor, const IdentifyOptions& options);
/// The caller's positions are as many as the rows of the reading.
bool has_rows_for(const IdentifyOptions& options, const Reading& reading);
/// What a tensor of real numbers of 2 axes or more holds.
Identification identify_table(const ConstView& tensor, const IdentifyOptions& options);

/// A candidate of the rows behind others of no place, as one of the whole tensor.
void put_behind(Candidate& candidate, std::int64_t rows);

/// Were recipes held against some entries of a candidate only?
bool holds_some_alone(const std::vector<Candidate>& candidates);

/// A hypothesis that is held against a reading, with all that is said of it.
struct Judged {
  Reading reading;
  Held held;
  Candidate candidate;
};
/// Candidates of one tensor, judged: those that its entries do not tell apart, the best first. `held` are its
/// hypotheses, each with the names of the rows that have it.
struct Suspect {
  Reading reading;
  Held held;
  std::vector<std::string> presets;
  std::vector<std::string> differences;
};
/// Beside suspects of a reading that have a longer base for a factor: the ladders for a length that may be the same.
void add_for_lengths(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance,
                     const std::vector<Coordinates>& known, std::vector<Suspect>& suspects);
/// All that is said of a suspect before recipes are held.
Candidate candidate_of(const Suspect& suspect, DType storage, const Agreement& match);
std::vector<Judged> judged(std::vector<Suspect> suspects, std::span<const DType> storages,
                           const IdentifyOptions& options);

/// Whether check calls it right, each entry held to its own angle, or may under other numbers of the fitted intervals.
bool is_right(const Judged& each, const Executor& executor);

}  // namespace posenc::referee
