// SPDX-License-Identifier: Apache-2.0
// Whole models of random weights, small enough for plain loops.
#pragma once

#include "tests/layers/plain_model.h"

namespace posenc::plain {

struct ModelShape {
  Shape shape;
  std::int64_t encoder_layers, decoder_layers, source_vocabulary, target_vocabulary, positions;
  LayerStyle style;
};

/// A Transformer and what it looks at. Rows of ids are x sqrt d, positions are tables of their own.
struct Model {
  Tensors tensors;
  Transformer transformer;

  explicit Model(const ModelShape& s, std::uint64_t stream = 1) : tensors(stream), transformer(made(tensors, s)) {}

 private:
  static TokenInput input(Tensors& tensors, std::int64_t vocabulary, const ModelShape& s) {
    const View rows = tensors.make({vocabulary, s.shape.width}, unit(s.shape.width)),
               table = tensors.make({s.positions, s.shape.width}, 1);
    return {InputStage(rows, table, {.scale = Scale::sqrt_dim})};
  }
  static Transformer made(Tensors& tensors, const ModelShape& s) {
    TokenInput source = input(tensors, s.source_vocabulary, s);
    TokenInput target = input(tensors, s.target_vocabulary, s);
    Encoder first = encoder(tensors, s.shape, s.encoder_layers, s.style);
    Decoder second = decoder(tensors, s.shape, s.shape.width, s.decoder_layers, s.style);
    const Linear output = plain::linear(tensors, s.target_vocabulary, s.shape.width);
    return {std::move(source), std::move(first), std::move(target), std::move(second), output};
  }
};

/// Rows of ids as InputStage makes them of a table of positions.
inline Rows embedded(const ConstView& rows, const ConstView& table, std::span<const std::int64_t> ids) {
  Rows out;
  const double scale = std::sqrt(static_cast<double>(rows.size(1)));
  for (std::size_t t = 0; t < ids.size(); ++t) {
    Row& row = out.emplace_back(static_cast<std::size_t>(rows.size(1)));
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto column = static_cast<std::int64_t>(c);
      row[c] = at(rows, {ids[t], column}) * scale + at(table, {static_cast<std::int64_t>(t), column});
    }
  }
  return out;
}

}  // namespace posenc::plain
