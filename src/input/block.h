// SPDX-License-Identifier: Apache-2.0
// Blocks of the input stage: all tokens of a call, and columns that do not lie side by side.
#pragma once

#include <posenc/embedding.h>

#include <vector>

#include "src/base/elements.h"
#include "src/engine/stage/stage.h"

namespace posenc {

// All tokens of a call as one block, without their signal.
template <class T>
engine::StageBlock<T> whole_block(const Embedding& embedding, double factor, const ConstView& ids, const View& out,
                                  Stores stores) {
  const bool batched = ids.rank == 2;
  return {.rows = static_cast<const T*>(embedding.rows.data),
          .row_stride = embedding.rows.stride(0),
          .ids = ids.data,
          .id_type = ids.dtype,
          .id_sequence_stride = batched ? ids.stride(0) : 0,
          .id_token_stride = ids.stride(-1),
          .padding_id = embedding.padding_id.value_or(-1),
          .signal = nullptr,
          .signal_stride = 0,
          .out = static_cast<T*>(out.data),
          .out_sequence_stride = batched ? out.stride(0) : 0,
          .out_token_stride = out.stride(-2),
          .sequences = batched ? ids.size(0) : 1,
          .tokens = ids.size(-1),
          .width = out.size(-1),
          .scale = static_cast<Computing<T>>(factor),
          .stores = stores};
}

// The block where rows or outputs have columns apart: token by token through contiguous copies.
template <class T>
void write_apart(engine::StageBlock<T> block, const ConstView& rows, const View& out, std::int64_t b,
                 std::int64_t first, const engine::RowMask* mask) {
  std::vector<T> row(static_cast<std::size_t>(block.width)), result(row.size());
  const std::int32_t zero = 0;
  engine::StageBlock<T> one = block;
  one.rows = row.data();
  one.ids = &zero;
  one.id_type = DType::i32;
  one.out = result.data();
  one.sequences = one.tokens = 1;
  for (std::int64_t i = 0; i < block.sequences; ++i) {
    for (std::int64_t t = 0; t < block.tokens; ++t) {
      const std::int64_t id = block.id(i, t);
      const auto from = strided_row<const T>(rows, {id});
      for (std::int64_t c = 0; c < block.width; ++c) row[static_cast<std::size_t>(c)] = from[c];
      one.padding_id = id == block.padding_id ? 0 : -1;
      one.signal = block.signal + t * block.signal_stride;
      engine::RowMask own = mask ? *mask : engine::RowMask{};
      own.batch += static_cast<std::uint32_t>(i);
      own.token += static_cast<std::uint32_t>(t);
      engine::write_stage(one, mask ? &own : nullptr);
      const auto to = out.rank == 3 ? strided_row<T>(out, {b + i, first + t}) : strided_row<T>(out, {first + t});
      for (std::int64_t c = 0; c < block.width; ++c) to[c] = result[static_cast<std::size_t>(c)];
    }
  }
}

}  // namespace posenc
