// SPDX-License-Identifier: Apache-2.0
// Coordinates of places, a list for each axis, and rows of a plan of any number of axes there.
#pragma once

#include <string>

#include "src/encodings/cells.h"
#include "src/encodings/positions.h"

namespace posenc {

/// As many lists as axes.
std::optional<Problem> check_list_count(std::string_view operation, const std::vector<std::string>& axes,
                                        std::span<const Positions> coordinates);

/// One list for each axis, which keep their rules and agree in length and in sequences; a list [L] serves every one.
std::optional<Problem> check_coordinates(std::string_view operation, const std::vector<std::string>& axes,
                                         std::span<const Positions> coordinates);

/// The list whose shape is that of all: one for each sequence, if there is such a list.
inline const Positions& widest(std::span<const Positions> coordinates) {
  const auto own = std::ranges::find_if(coordinates, [](const Positions& each) { return rank(each) == 2; });
  return own == coordinates.end() ? coordinates.front() : *own;
}

/// Position t of sequence b; a list that serves every sequence is read as its own.
inline numerics::Dyadic coordinate_at(const Positions& list, std::int64_t b, std::int64_t t) {
  return position_at(list, rank(list) == 2 ? b : 0, t);
}

/// The coordinates of one place of sequence b after the other, in the same memory.
class PlaceReader {
 public:
  PlaceReader(std::span<const Positions> coordinates, std::int64_t b)
      : coordinates_(coordinates), b_(b), place_(coordinates.size()) {}

  /// Valid until the next call.
  Place at(std::int64_t t) {
    for (std::size_t a = 0; a < place_.size(); ++a) place_[a] = coordinate_at(coordinates_[a], b_, t);
    return place_;
  }

 private:
  std::span<const Positions> coordinates_;
  std::int64_t b_;
  std::vector<std::optional<numerics::Dyadic>> place_;
};

/// Of cells [L, d] or [B, L, d], at places [L] or [B, L]. False where an entry was not settled.
[[nodiscard]] bool write_all_places(const CellRows& cells, std::span<const Positions> coordinates, const View& out,
                                    const Executor& executor);

/// The row of place i of the range to out + i * stride. False where an entry was not settled.
template <class T>
[[nodiscard]] bool write_places(const CellRows& cells, std::span<const Positions> coordinates, const RowRange& range,
                                T* out, std::int64_t stride);

}  // namespace posenc
