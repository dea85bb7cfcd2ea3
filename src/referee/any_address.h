// SPDX-License-Identifier: Apache-2.0
// Tensors whose elements stand at any address, as those of files do.
#pragma once

#include <posenc/core.h>

namespace posenc::referee {

/// The rules of every view but for its address.
[[nodiscard]] inline std::optional<Problem> check_view_anywhere(std::string_view operation, std::string_view name,
                                                                const ConstView& tensor) {
  ConstView aligned = tensor;
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
  aligned.data = static_cast<const std::byte*>(tensor.data) - address % alignof(double);
  return check_view(operation, name, aligned);
}

}  // namespace posenc::referee
