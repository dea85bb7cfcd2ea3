// SPDX-License-Identifier: Apache-2.0
// Places of tokens on the axes of a convention: a list of positions for each axis, a file, or all cells of a grid.
#pragma once

#include <posenc/convention.h>
#include <posenc/places.h>

#include "apps/posenc/cli/choice.h"
#include "apps/posenc/cli/extents.h"
#include "apps/posenc/cli/positions.h"

namespace posenc::tool {

inline constexpr Option positions_option = {
    "--positions", "[AXIS=]A:B[:S]|[AXIS=]LIST|FILE.npy",
    "A, A + S, ... without B; or 3,1,4; or -; of several axes AXIS= once each, or a file of [L, axes] (needed; an "
    "excerpt shows the first ones)",
    Takes::many};
inline constexpr Option place_height_option = {"--height", "H",
                                               "in place of --positions: all cells of an image, H of axis y,"};
inline constexpr Option place_width_option = {"--width", "W", "W of axis x,"};
inline constexpr Option place_extent_option = {"--extent", "AXIS=N", "and so many of another axis, t=8; one each",
                                               Takes::many};

/// Extents of cells in place of positions.
inline constexpr Option place_options[] = {place_height_option, place_width_option, place_extent_option,
                                           whole_places_option};

/// Which files of positions a verb takes: a list of each axis, or one for every sequence of a batch as well.
enum class Sequences : std::uint8_t { one = 1, batch };

/// Where every token of a call is.
struct Places {
  std::vector<std::string> axes;      ///< of the convention; "position" where it has none
  std::vector<Positions> lists = {};  ///< one for each axis; they live as long as what is kept
  std::vector<ParsedPositions> kept = {};
  std::optional<io::Array> file = {};

  /// Tokens of a sequence.
  std::int64_t count() const { return lists.front().count_; }
  /// What the index of a place is called: its axis, or "place" of several.
  std::string axis() const { return axes.size() == 1 ? axes.front() : "place"; }
  /// "3", or "1, 0, 4" of several axes.
  std::string name(std::int64_t place) const;
};

/// What `option` says of each axis; where no option does, --height, --width and --extent, whose cells are numbered so.
Places read_places(const Arguments& arguments, std::string_view option, const Convention& convention,
                   Sequences sequences = Sequences::one, const PlaceNumbering& numbering = whole_places);
/// The same for the convention of a choice, whose cells are numbered as numbering_of says.
inline Places read_places(const Arguments& arguments, std::string_view option, const Choice& choice,
                          Sequences sequences = Sequences::one) {
  return read_places(arguments, option, choice.convention, sequences, numbering_of(arguments, choice.numbered));
}

/// Some places, made ready: a list of each axis.
class PickedPlaces {
 public:
  PickedPlaces(const Places& places, std::int64_t first, std::int64_t count);
  std::span<const Positions> lists() const { return lists_; }

 private:
  std::vector<PositionValues> values_;
  std::vector<Positions> lists_;
};

}  // namespace posenc::tool
