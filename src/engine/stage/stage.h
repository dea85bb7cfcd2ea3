// SPDX-License-Identifier: Apache-2.0
// The input stage in one pass over memory: gather, scale, signal and mask of a block of tokens.
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

struct StageKernels {
  ByType<WriteStage> write;
};
/// Those of the instruction set in use.
const StageKernels& stage_kernels();

template <class T>
void write_stage(const StageBlock<T>& block, const RowMask* mask) {
  stage_kernels().write.of<T>()(block, mask);
}

}  // namespace posenc::engine
