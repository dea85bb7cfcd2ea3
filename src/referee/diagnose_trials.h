// SPDX-License-Identifier: Apache-2.0
// Trials of a diagnosis: the convention with what ports change, held against a tensor wherever its rows may be.
#pragma once

#include "src/referee/diagnose_asked.h"
#include "src/referee/not_identified.h"
#include "src/referee/spectrum.h"

namespace posenc::referee {

/// Lengths of sequences that have frequencies of their own under a convention, but for those of the length asked.
std::vector<std::int64_t> other_lengths(const Convention& convention, std::int64_t asked);
std::string words_of_length(std::int64_t length);

struct Trial {
  Convention convention;
  DiagnoseOptions options;
  std::vector<std::string> words;  ///< how it differs from what is asked; as_preset and as_neighbour find the fields
};
/// The convention with these fields changed, where it may be and is another one.
void add_changed(const Trial& asked, std::initializer_list<FieldChange> changes, std::vector<Trial>& all);
/// What ports get wrong most often, in the order in which it is looked for.
std::vector<Trial> trials_of(const Trial& asked);
/// Steps of other places that are a first frequency of another size, as of tensor2tensor's min_timescale.
std::optional<Trial> another_first(const Trial& asked, const Diagnosis& moved, const std::vector<Asked>& all);

/// The frequencies that a tensor shows, by number in the ladder of the one axis of a rotation.
struct MeasuredTurns {
  const Signal* like = nullptr;
  std::vector<Frequency> frequencies;
};
MeasuredTurns measured_of(const Asked* asked, DType storage);
/// The ends that those frequencies show of a ramp, where they are not those asked.
std::optional<Trial> with_shown_ramp(const Trial& asked, const MeasuredTurns& measured);

Diagnosis wrong_as(std::vector<std::string> findings);
/// Drops the finding about odd widths, which does not apply to tables of even width.
void leave_out_odd(std::vector<std::string>& words);

/// A trial at places and at a scale that the tensor shows. `measured` may be null.
std::optional<Diagnosis> elsewhere(const ConstView& tensor, const Trial& trial, std::span<const DType> storages,
                                   const MeasuredTurns* measured);
/// Whether the places found are in other steps than what is asked.
bool stretched(const Diagnosis& diagnosis, const std::vector<Asked>& all);

/// Which presets are tried: all, or those of the same convention whose places are numbered otherwise.
enum class PresetRows : std::uint8_t { of_other_places = 1, all };
/// The preset that has the entries at the places that are asked; of several the one that differs in the fewest fields.
std::optional<Diagnosis> as_preset(const ConstView& tensor, const Trial& asked, std::span<const DType> storages,
                                   const MeasuredTurns& measured, PresetRows which);
/// The neighbour of the convention, but for those tried, that has the entries at the places that are asked.
std::optional<Diagnosis> as_neighbour(const ConstView& tensor, const Trial& asked, std::span<const Trial> tried,
                                      std::span<const DType> storages, const MeasuredTurns& measured);

/// How well findings cure: another family is none, then the fewest.
std::pair<bool, std::size_t> rank(const std::vector<std::string>& words);
/// Of what identify found the one that differs in the fewest fields.
std::optional<Diagnosis> identified(const ConstView& tensor, const Convention& asked, const DiagnoseOptions& options);
/// Finds a fault of rows in a table of which at least a quarter of the entries match the trial at the positions asked.
std::optional<Diagnosis> beside_trial(const ConstView& tensor, const Trial& trial, std::span<const DType> storages,
                                      const MeasuredTurns& measured);
/// Finds faults relative to the nearest preset, and lists the fields in which that preset differs. Returns nothing if
/// more than a tenth of the entries stay unexplained.
std::optional<Diagnosis> beside_another(const Told& told, const Convention& asked);
/// The convention with another ladder.
std::optional<Diagnosis> refitted(const ConstView& tensor, const Convention& convention, const Trial& trial,
                                  std::span<const DType> storages);

}  // namespace posenc::referee
