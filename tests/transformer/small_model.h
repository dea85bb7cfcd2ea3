// SPDX-License-Identifier: Apache-2.0
// Whole models of random weights, small enough for plain loops.
#pragma once

#include "tests/transformer/plain_model.h"

namespace posenc::plain {

struct ModelShape {
  Shape shape;
  std::int64_t encoder_layers, decoder_layers, source_vocabulary, target_vocabulary, positions;
  LayerStyle style;
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

/// A Transformer and what it looks at. Rows of ids are x sqrt d, positions are tables of their own.
struct Model {
  struct Input {
    ConstView rows, table;
  };

  Tensors tensors;
  Input source, target;
  Transformer transformer;

  explicit Model(const ModelShape& s, std::uint64_t stream = 1)
      : tensors(stream),
        source(input(s.source_vocabulary, s)),
        target(input(s.target_vocabulary, s)),
        transformer(made(s)) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Rows source_rows(std::span<const std::int64_t> ids) const { return embedded(source.rows, source.table, ids); }
  Rows target_rows(std::span<const std::int64_t> ids) const { return embedded(target.rows, target.table, ids); }

 private:
  Input input(std::int64_t vocabulary, const ModelShape& s) {
    const ConstView rows = tensors.make({vocabulary, s.shape.width}, unit(s.shape.width));
    return {rows, tensors.make({s.positions, s.shape.width}, 1)};
  }
  static TokenInput tokens(const Input& input) {
    return {InputStage(input.rows, input.table, {.scale = Scale::sqrt_dim})};
  }
  Transformer made(const ModelShape& s) {
    Encoder first = encoder(tensors, s.shape, s.encoder_layers, s.style);
    Decoder second = decoder(tensors, s.shape, s.shape.width, s.decoder_layers, s.style);
    const Linear output = plain::linear(tensors, s.target_vocabulary, s.shape.width);
    return {tokens(source), std::move(first), tokens(target), std::move(second), output};
  }
};

}  // namespace posenc::plain
