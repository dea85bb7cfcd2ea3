// SPDX-License-Identifier: Apache-2.0
// What encoding a text and encoding a batch share: the stage, chunks of rows, the tensors of the target.
#pragma once

#include <posenc/io/safetensors.h>

#include <algorithm>
#include <memory>

#include "apps/posenc/encode/encode_request.h"
#include "apps/posenc/encode/weights.h"

namespace posenc::tool {

/// A chunk has about this many bytes, and at most this many rows.
inline constexpr std::int64_t block_bytes = std::int64_t{1} << 22, most_block_rows = 4096;

inline InputStage stage_with(const EncodeRequest& request, const Weights& weights) {
  const Stage& stage = request.stage;
  const StageOptions options = {
      .scale = stage.scale, .dropout = stage.dropout, .seed = stage.seed, .recipe = stage.choice.recipe};
  if (weights.table) return {weights.rows.view(), weights.table->view(), options};
  return {weights.rows.view(), stage.choice.convention, options};
}

/// Rows of one chunk of `sequences` sequences.
inline std::int64_t block_rows(const Weights& weights, std::int64_t sequences) {
  const std::int64_t row = weights.width() * static_cast<std::int64_t>(size_of(weights.rows.dtype));
  return std::clamp<std::int64_t>(block_bytes / row / sequences, 1, most_block_rows);
}

/// [n, m, d], row-major, of no values yet: memory is taken where it is written.
struct Block {
  Block(DType type, std::int64_t n, std::int64_t m, std::int64_t d)
      : bytes(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(n * m * d) * size_of(type))) {
    const std::int64_t shape[] = {n, m, d};
    view = detail::row_major<void*>(bytes.get(), type, shape);
  }
  std::unique_ptr<std::byte[]> bytes;
  View view;
};

/// Of the output.
inline std::vector<std::int64_t> shape_of(const Stage& stage, std::int64_t batch, std::int64_t length,
                                          std::int64_t width) {
  return stage.axes == Axes::batch_first ? std::vector{batch, length, width} : std::vector{length, batch, width};
}

/// What .safetensors holds besides the output; the widest type first, as no gap may align what follows.
inline std::vector<io::TensorPlan> plan_of_ids(std::int64_t batch, std::int64_t length) {
  return {{"lengths", DType::i64, {batch}}, {"ids", DType::i32, {batch, length}}};
}

}  // namespace posenc::tool
