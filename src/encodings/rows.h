// SPDX-License-Identifier: Apache-2.0
// The rows of a sinusoid, one position at a time: what tables, sums and input stages are made of.
#pragma once

#include <posenc/sinusoid.h>

#include "src/encodings/positions.h"
#include "src/engine/rungs.h"

namespace posenc {

struct SinusoidRows::Ready {
  Sinusoid row;
  std::int64_t width;
  std::size_t sines, cosines;  // in a row
  Recipe recipe;
  engine::Rungs rungs;              // exact recipe
  std::vector<double> step_ladder;  // any other

  Ready(const Sinusoid& convention, std::int64_t dim, const Recipe& arithmetic);

  /// out[0, width): the row of position p, rounded to T (float, double, half, bfloat16).
  template <class T>
  void write_row(const numerics::Dyadic& p, T* out) const;
};

}  // namespace posenc
