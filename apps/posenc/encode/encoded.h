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
  Axes axes;
  std::vector<float> output;        ///< in the order of the stage's axes
  std::vector<std::int64_t> shape;  ///< of the output
  double factor;                    ///< the scale as used
  double mean;
  Norms norms;

  ConstView view() const;
  /// Row t of text b, whatever the order of the axes.
  std::span<const float> row(std::int64_t b, std::int64_t t) const;
  std::int32_t id(std::int64_t b, std::int64_t t) const { return ids[static_cast<std::size_t>(b * length + t)]; }
};

/// In evaluation. Every text has at least one token, and all have as many.
Encoded encode(std::string_view operation, const Default& vocabulary, std::span<const std::string> texts,
               const Stage& stage);

/// The token rows times the factor, without a signal: [batch, length, 512].
std::vector<float> without_positions(const Default& vocabulary, const Encoded& encoded);

/// Mean norm of all rows of the vocabulary.
double mean_norm(const Default& vocabulary);

/// A token for the screen: 'bytes' with what cannot be shown as \xNN.
std::string token_words(const Default& vocabulary, std::int32_t id);
/// A token for a row of a picture: blanks are open boxes (U+2423).
std::string token_label(const Default& vocabulary, std::int32_t id);

}  // namespace posenc::tool
