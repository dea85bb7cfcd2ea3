// SPDX-License-Identifier: Apache-2.0
// A convention by one word: a preset, a spec, a role of a model's configuration, or what a tensor's file holds.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/referee/identify.h>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

struct NamedConvention {
  Convention convention;
  std::optional<std::int64_t> dim;            ///< where the role states it, or the tensor has it
  Context context;                            ///< of a tensor: the length and the scale that it was made for
  std::vector<std::string> notes;             ///< where a file's tensor may be several conventions
  std::optional<PlaceNumbering> places = {};  ///< of cells, as the preset or the role numbers them
  /// Of a tensor's rows that are not at 0, 1, 2, ..: where they are along its one axis, which axis of the tensor counts
  /// them, and how many entries each has.
  struct Rows {
    AxisPlaces at;
    int axis;
    std::int64_t width;
    /// Which axis of another tensor counts such rows: the same, but for one that stands on its side.
    int axis_of(const ConstView& tensor) const;
  };
  std::optional<Rows> rows = {};
};

/// Of "NAME", "spec.json", "config.json[:ROLE]", "FILE[:TENSOR]". A tensor is identified, and the closest is taken.
NamedConvention read_named_convention(const Arguments& arguments, const std::string& words);

}  // namespace posenc::tool
