// SPDX-License-Identifier: Apache-2.0
// What is measured of an encoding while its rows pass by: the mean, and the norms that tell why the scale exists.
#pragma once

#include <posenc/positions.h>

#include <functional>

namespace posenc::tool {

/// Mean Euclidean norm of a row: of the token rows, of those times the scale, of the signal, and of the result.
struct Norms {
  double token = 0, scaled = 0, signal = 0, output = 0;
};

/// Writes the signal of some positions into out [n, d] of f32.
using SignalRows = std::function<void(const Positions& positions, const View& out)>;

class Meter {
 public:
  /// `embedding` [vocabulary, d] outlives this value; `factor` is the scale as used.
  Meter(const ConstView& embedding, double factor, SignalRows signal);

  /// The rows that follow have these positions, one each.
  void at(const Positions& positions);
  /// Row t, of the token `id`; `output` is its result [d].
  void row(std::int64_t t, std::int32_t id, const ConstView& output);
  /// `count` rows of padding: zeros, which count for the mean alone.
  void padding(std::int64_t count) { padded_ += count; }

  double mean() const;
  Norms norms() const;

 private:
  ConstView embedding_;
  double factor_;
  SignalRows signal_;
  std::vector<double> signal_norms_;
  std::vector<double> values_;  // one row
  Norms sums_;                  // `scaled` follows from `token`
  double sum_ = 0;
  std::int64_t rows_ = 0, padded_ = 0;
};

}  // namespace posenc::tool
