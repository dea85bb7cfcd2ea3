// SPDX-License-Identifier: Apache-2.0
// The dropout mask of one row, as the kernels take it.
#pragma once

#include <posenc/core.h>

#include "src/base/elements.h"
#include "src/engine/random/random.h"

namespace posenc::engine {

/// Column c is dropped when its 16 bits are below `dropped`; the others are multiplied by `keep`. The bits are half
/// c mod 8 (low half of word 0 first) of Philox4x32-10 with counter (c / 8, token, batch, call).
struct RowMask {
  Words2 key;
  std::uint32_t token, batch, call;
  std::uint32_t dropped;  // below 65536
  double keep;            // before it is rounded to the computing type
};

/// to[c] = RN(from[c] * (0 or keep)) for c < width, of the computing type; `to` may be `from`. T is float, double, half
/// or bfloat16.
template <class T>
using MultiplyRow = void(const RowMask& mask, const T* from, std::size_t width, T* to);

/// Those of the instruction set in use.
const ByType<MultiplyRow>& mask_kernels();

template <class T>
void multiply_by_mask(const RowMask& mask, const T* from, std::size_t width, T* to) {
  mask_kernels().of<T>()(mask, from, width, to);
}

}  // namespace posenc::engine
