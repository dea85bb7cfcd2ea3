// SPDX-License-Identifier: Apache-2.0
// Rows of presets. A new preset is one row in the file of its family; order is that of the documentation.
#pragma once

#include <posenc/preset.h>

namespace posenc {

/// The convention of an earlier row, but for some fields.
struct Like {
  std::string_view row;
  std::vector<FieldChange> changes;
};
inline Like like(std::string_view row, std::initializer_list<FieldChange> changes = {}) { return {row, changes}; }

/// A row states what differs from another one; Preset holds every field.
struct PresetRow {
  std::string_view name;
  std::variant<Convention, Like> convention;
  std::string_view recipe;
  StageDefaults stage;
  std::string_view source;
  std::string_view note;
  std::vector<std::string_view> aliases = {};
  std::optional<PlaceNumbering> places = {};
  std::vector<std::string_view> stated = {};  ///< of no row that this one is like
};

/// Of an original that does nothing around its signal.
inline constexpr StageDefaults no_stage = {Scale::none, 0, Axes::batch_first, std::nullopt};

/// 10000^(-2k / d), the ladder of the paper.
inline constexpr Geometric paper = {10000, 1, Spacing::over_width};

/// Centres of cells, and edges of a line, from -1 to 1.
inline constexpr PlaceNumbering centres_around_0 = {0.5, Divisor::count, 0, 2, -1, WholePlaces::none};
inline constexpr PlaceNumbering edges_around_0 = {0.0, Divisor::gaps, 0, 2, -1, WholePlaces::none};
/// Their numbers over the last one, from 1 on, in parts of 2 pi; centres of cells alike.
inline constexpr PlaceNumbering to_2_pi = {1.0, Divisor::last, 1e-6, 6.283185307179586, 0, WholePlaces::none};
inline constexpr PlaceNumbering centres_to_2_pi = {0.5, Divisor::count, 1e-6, 6.283185307179586, 0, WholePlaces::none};
inline constexpr PlaceNumbering to_one_turn = {1.0, Divisor::last, 1e-6, 1, 0, WholePlaces::none};
/// Cells of a square of 16, and whole ones of 256, of 70 and of 32.
inline constexpr PlaceNumbering of_16 = {0.0, Divisor::count, 0, 16, 0, WholePlaces::none};
inline constexpr PlaceNumbering of_256 = {0.0, Divisor::count, 0, 256, 0, WholePlaces::floor};
inline constexpr PlaceNumbering of_70 = {0.0, Divisor::count, 0, 70, 0, WholePlaces::floor};
inline constexpr PlaceNumbering of_32 = {0.0, Divisor::count, 0, 32, 0, WholePlaces::floor};
/// 1, 2, 3, ...
inline constexpr PlaceNumbering from_one = {1.0, Divisor::one, 0, 1, 0, WholePlaces::none};

/// Lists of rows are constants: a test may ask for presets before other objects of a file are made.
inline std::vector<double> numbers(std::span<const double> list) { return {list.begin(), list.end()}; }

std::vector<PresetRow> wave_rows();
std::vector<PresetRow> coordinate_rows();
std::vector<PresetRow> rotary_rows();
std::vector<PresetRow> rotary_axes_rows();
std::vector<PresetRow> slope_rows();
std::vector<PresetRow> relative_rows();
std::vector<PresetRow> learned_rows();

}  // namespace posenc
