// SPDX-License-Identifier: Apache-2.0
// Holding a signal against a reading: its amplitude and the coordinates of its places are measured, and a few rows are
// held against exact ones.
#pragma once

#include "src/referee/hypothesis.h"
#include "src/referee/vernier.h"

namespace posenc::referee {

/// How far entries of a type may lie from the real numbers that known arithmetic rounds to it, a bound that is
/// quick to compute: half a unit in the last place of the scale, and of angles 2^-19, that of frequencies down to e^-8;
/// slower ones turn so little that theirs is below the half unit. bound.h has each one's own.
Tolerance tolerance_of(DType storage);

/// The sine and the cosine of one frequency in a row: their columns, -1 where there is none, and their signs.
struct WaveColumns {
  std::uint16_t axis;
  std::uint32_t frequency;
  std::int64_t sine = -1, cosine = -1;
  double sine_sign = 1, cosine_sign = 1;
  bool pair() const { return sine >= 0 && cosine >= 0; }
};
/// Each wave of a row once.
std::vector<WaveColumns> waves_of(const std::vector<plan::Column>& columns);

/// Columns of one sine or cosine, or of one angle, each beside the first of them; their signs may differ.
std::vector<std::pair<std::size_t, std::size_t>> standing_twice(const std::vector<plan::Column>& columns);

/// Whether the reading can have such columns, whatever their frequencies: those that stand twice are equal, those of
/// zeros hold nothing else, and all points (cosine, sine) have one length.
bool may_have(const Reading& reading, const std::vector<plan::Column>& columns, const Tolerance& tolerance);

/// Which extent of the reading each axis runs along: the one axis along the only one, others by their names; axes of a
/// rotation of text have one coordinate. Nothing where the reading has others.
std::optional<std::vector<std::size_t>> extents_of(const Reading& reading, const Signal& signal);
/// The coordinates that the row's original gives to the places of every axis, where it says so.
std::optional<std::vector<Coordinates>> stated_places(const Reading& reading, const Signal& signal,
                                                      const std::vector<std::size_t>& extent_of);
/// The same at some places alone; the coordinates of others are not made: each takes a microsecond.
std::optional<std::vector<Coordinates>> stated_places(const Reading& reading, const Signal& signal,
                                                      const std::vector<std::size_t>& extent_of,
                                                      std::span<const std::int64_t> at);
/// Places that stand for all: the first ones, one in the middle, the last.
std::vector<std::int64_t> probes(std::int64_t count);
/// The angle of a frequency at a place, in doubles; NaN where the frequency is not made yet.
double angle_at(const Hypothesis& hypothesis, const std::vector<std::int64_t>& index, std::uint16_t axis,
                std::uint32_t frequency);
/// What an entry of a column may be off at a place, of waves beside an entry of size 1: the angle of each axis counts.
double may_be_off(const Hypothesis& hypothesis, const std::vector<std::int64_t>& index, const plan::Column& column,
                  const Tolerance& tolerance);
/// The number of the place at i along an extent and 0 along the others.
std::int64_t place_along(const Reading& reading, std::size_t extent, std::int64_t i);

/// How far a listed frequency may be off.
double frequency_off(double frequency, const Tolerance& tolerance);

/// The signal with entries of another size; nothing where its convention has no such field.
std::optional<Signal> scaled_to(const Signal& signal, double scale);

/// The coordinates along an axis that the waves of each of these places show, place by place: none, or a few.
std::vector<std::vector<Coordinate>> coordinates_shown(const Reading& reading, const Signal& signal, std::size_t axis,
                                                       std::span<const std::int64_t> places,
                                                       const Tolerance& tolerance);

struct Held {
  Hypothesis hypothesis;
  std::vector<Fitted> fitted;
};

/// The signal at the coordinates at which it has the entries of the reading, scaled as they are; nothing where it has
/// them nowhere. `known`: the coordinates of every axis, where the caller knows them.
std::optional<Held> hold(const Reading& reading, const Signal& signal, const Tolerance& tolerance,
                         const std::vector<Coordinates>& known);

/// The same of many signals against one reading: the sizes of entries are measured once for signals of the same columns
/// that follow each other.
class Holder {
 public:
  Holder(const Reading& reading, const Tolerance& tolerance, const std::vector<Coordinates>& known)
      : reading_(reading), tolerance_(tolerance), known_(known) {}
  std::optional<Held> hold(const Signal& signal);

 private:
  const std::vector<double>& amplitudes_of(const Signal& signal, const std::vector<std::size_t>& extent_of);

  const Reading& reading_;
  const Tolerance& tolerance_;
  const std::vector<Coordinates>& known_;
  std::vector<plan::Column> columns_;
  std::vector<std::size_t> extent_of_;
  double scale_ = 0;
  std::vector<double> amplitudes_;  // of those
};

}  // namespace posenc::referee
