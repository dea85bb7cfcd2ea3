// SPDX-License-Identifier: Apache-2.0
// Memory for the elements of large tensors.
#pragma once

#include <cstddef>
#include <vector>

namespace posenc::io {

/// Resizes an empty vector to `size` bytes of 0; what is large, in huge pages where the system gives them on request. A
/// tensor of 64 MiB has 32 page faults then in place of 16384, which take three times as long as reading it.
/// Throws std::bad_alloc.
void take_room(std::vector<std::byte>& bytes, std::size_t size);

}  // namespace posenc::io
