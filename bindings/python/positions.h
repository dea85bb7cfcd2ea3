// SPDX-License-Identifier: Apache-2.0
// Positions of Python: an int, a float, a range, a list, an array.
#pragma once

#include <posenc/positions.h>

#include "bindings/python/arrays.h"

namespace posenc::python {

/// What a caller passes for positions, and what keeps their memory.
struct PositionArgument {
  Input held;
  Positions positions = Positions::at(0);

  /// [L] or [B, L] as far as it is known, with `width` behind it.
  std::vector<std::int64_t> shape_with(std::int64_t width) const;
  std::vector<std::int64_t> shape() const;
};

PositionArgument positions_of(std::string_view operation, std::string_view name, nb::handle value);

/// A list for each axis: of one axis the positions themselves, of several a sequence in their order, or a mapping by
/// name.
class CoordinateArgument {
 public:
  CoordinateArgument(std::string_view operation, std::string_view name, nb::handle value,
                     const std::vector<std::string>& axes);
  std::span<const Positions> lists() const { return lists_; }
  std::vector<std::int64_t> shape() const;  ///< [L] or [B, L]
  std::vector<std::int64_t> shape_with(std::int64_t width) const;

 private:
  std::vector<PositionArgument> held_;
  std::vector<Positions> lists_;
};

}  // namespace posenc::python
