// SPDX-License-Identifier: Apache-2.0
// The input stage in one pass over memory: gather, scale, signal and mask of a block of tokens, or of one.
#pragma once

#include <posenc/core.h>

#include "src/base/elements.h"
#include "src/base/stores.h"
#include "src/engine/random/mask.h"

namespace posenc::engine {

/// `tokens` columns of ids of each of `sequences` sequences. Token (b, t) takes row id of `rows` and row t of `signal`,
/// which all sequences share. Strides are in elements, columns are contiguous, ids are inside the vocabulary.
template <class T>
struct StageBlock {
  const T* rows;
  std::int64_t row_stride;
  const void* ids;
  DType id_type;
  std::int64_t id_sequence_stride, id_token_stride;
  std::int64_t padding_id;  // its row reads as zeros; -1: none
  const T* signal;
  std::int64_t signal_stride;
  T* out;
  std::int64_t out_sequence_stride, out_token_stride;
  std::int64_t sequences, tokens, width;
  Computing<T> scale;
  Stores stores;

  std::int64_t id(std::int64_t b, std::int64_t t) const {
    const std::int64_t at = b * id_sequence_stride + t * id_token_stride;
    return id_type == DType::i32 ? static_cast<const std::int32_t*>(ids)[at]
                                 : static_cast<const std::int64_t*>(ids)[at];
  }
};

/// out[b, t, :] = RN(RN(row x scale) + signal[t]); with a mask, then RN(out x (0 or keep)): `mask` is that of token
/// (0, 0), token (b, t) has batch + b and token + t. Streamed stores are in memory on return. T is a real element type.
template <class T>
using WriteStage = void(const StageBlock<T>& block, const RowMask* mask);

/// Those of the instruction set in use.
const ByType<WriteStage>& stage_kernels();

template <class T>
void write_stage(const StageBlock<T>& stage_block, const RowMask* mask) {
  stage_kernels().of<T>()(stage_block, mask);
}

/// One token of columns side by side: a decoding step, which has nothing to ask for ahead and nothing to cut.
struct Token {
  DType type;  // of the three rows
  const void *row, *signal;
  void* out;
  std::int64_t width;
  double scale;  // of the computing type
};

/// out = RN(RN(row x scale) + signal), as write_stage without a mask, through the caches.
void write_token(const Token& token);

}  // namespace posenc::engine
