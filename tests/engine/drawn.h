// SPDX-License-Identifier: Apache-2.0
// The random bits of a mask by Random123.
#pragma once

#include <Random123/philox.h>

#include "src/engine/random/mask.h"

namespace posenc::engine {

// The 16 bits of one column, as dropout.h says.
inline std::uint32_t drawn(const RowMask& mask, std::size_t column) {
  const r123::Philox4x32::ctr_type words = r123::Philox4x32()(
      {{static_cast<std::uint32_t>(column / 8), mask.token, mask.batch, mask.call}}, {{mask.key[0], mask.key[1]}});
  return words[column % 8 / 2] >> column % 2 * 16 & 0xFFFFu;
}

}  // namespace posenc::engine
