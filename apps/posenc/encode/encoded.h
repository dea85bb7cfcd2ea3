// SPDX-License-Identifier: Apache-2.0
// An input stage by name, and short texts through the embedded vocabulary and such a stage: what demo shows.
#pragma once

#include <posenc/input_stage.h>

#include "apps/posenc/cli/request.h"
#include "apps/posenc/default/default.h"
#include "apps/posenc/encode/meter.h"

namespace posenc::tool {

/// An input stage by name, and how it is used.
struct Stage {
  Choice choice;
  Scale scale;
  Axes axes;
  double dropout = 0;  ///< 0: evaluation
  std::uint64_t seed = 0;
  std::int64_t start = 0;  ///< the first position
};

/// The stage of a preset as its original sets it up, in evaluation.
Stage stage_of(const Preset& preset);

struct Encoded {
  std::vector<std::int32_t> ids;  ///< [batch, length]
  std::int64_t batch, length;
  std::vector<float> output;
  std::vector<std::int64_t> shape;  ///< of the output
  double factor;                    ///< the scale as used
  Norms norms;

  ConstView view() const;
  /// Row t of text b.
  std::span<const float> row(std::int64_t b, std::int64_t t) const;
  std::int32_t id(std::int64_t b, std::int64_t t) const { return ids[static_cast<std::size_t>(b * length + t)]; }
};

/// In evaluation, batch first, from position 0 on. Every text has at least one token, and all have as many.
Encoded encode(const Default& vocabulary, std::span<const std::string> texts, const Stage& stage);

/// The token rows times the factor, without a signal.
std::vector<float> without_positions(const Default& vocabulary, std::span<const std::int32_t> ids, double factor);

/// Mean norm of all rows of the vocabulary.
double mean_norm(const Default& vocabulary);

}  // namespace posenc::tool
