// SPDX-License-Identifier: Apache-2.0
// What a diagnosis asks of a tensor: the convention in every way in which it may stand there.
#pragma once

#include <posenc/referee/diagnose.h>

#include "src/referee/diagnose_words.h"
#include "src/referee/hold.h"

namespace posenc::referee {

inline bool gives(ConventionUse use, const Convention& convention) { return !check_use("diagnose", use, convention); }

inline ColumnAxis columns_of(std::string_view reading) {
  return reading.starts_with("[d") ? ColumnAxis::first : ColumnAxis::last;
}
/// Columns last, or first before the axes of a grid, as convolutions hold it.
inline bool usual(std::string_view reading) {
  return columns_of(reading) == ColumnAxis::last || reading == "[d, H, W]" || reading == "[d, T, H, W]";
}
inline bool usual(const Reading& reading) { return usual(reading.name); }

/// The row that is the convention, else one that is as it is and counts places from 0 on.
const Preset& row_of(const Convention& convention);

/// Whether the call says that cells are numbered otherwise than 0, 1, 2, ..
inline bool numbers_cells(const DiagnoseOptions& options) { return options.places && *options.places != whole_places; }

/// The coordinates that a call lists, axis by axis.
std::vector<Coordinates> listed_places(const DiagnoseOptions& options);

/// Returns the numberings of places: the call's, else those of the presets that are the convention. nullopt is 0, 1, ..
std::vector<std::optional<PlaceNumbering>> numberings_of(const Convention& convention, const DiagnoseOptions& options);

struct Asked {
  Reading reading;
  Hypothesis hypothesis;
  std::vector<Assumed> assumed = {};  ///< what was taken that the call does not say
};
/// Readings of a tensor: the usual ones have columns last, or first before the axes of a grid, and no extra row.
enum class Ways : std::uint8_t { all = 1, usual };
/// Every way in which the tensor may be what is asked, the plain one first.
std::vector<Asked> all_asked(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                             Ways ways = Ways::all);

/// What is said of a hypothesis that identify holds as well.
std::optional<Candidate> judge(const Reading& reading, Held held, const Convention& convention,
                               std::span<const DType> storages, const DiagnoseOptions& options);

}  // namespace posenc::referee
