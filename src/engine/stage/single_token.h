// SPDX-License-Identifier: Apache-2.0
// One token of the input stage: a decoding step, which has nothing to ask for ahead and nothing to cut.
#pragma once

#include "src/base/elements.h"

namespace posenc::engine {

/// Its columns, side by side.
template <class T>
struct Token {
  const T *row, *signal;
  T* out;
  std::int64_t width;
  Computing<T> scale;
};

/// out = RN(RN(row x scale) + signal), as write_stage without a mask, through the caches. T is a real element type.
template <class T>
void write_token(const Token<T>& token);

}  // namespace posenc::engine
