// SPDX-License-Identifier: Apache-2.0
// Lengths of the sequences of a batch: tokens before the padding.
#pragma once

#include "src/base/to_text.h"
#include "src/input/ids.h"

namespace posenc {

/// Rules of lengths: [batch], i32 or i64, each in [0, longest].
inline std::optional<Problem> check_lengths(std::string_view operation, const ConstView& lengths, std::int64_t batch,
                                            std::int64_t longest) {
  const std::string of(operation);
  if (auto problem = check_view(operation, "lengths", lengths)) return problem;
  if (!is_integer(lengths.dtype)) {
    return Problem{of, "lengths must be i32 or i64", std::string(to_string(lengths.dtype))};
  }
  if (lengths.rank != 1 || lengths.size(0) != batch) {
    return Problem{of, "lengths must have shape [" + std::to_string(batch) + "]", shape_text(lengths)};
  }
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length = id_at(lengths, b * lengths.stride(0));
    if (length < 0 || length > longest) {
      return Problem{of, "lengths must be in [0, " + std::to_string(longest) + "]", std::to_string(length), {b}};
    }
  }
  return std::nullopt;
}

}  // namespace posenc
