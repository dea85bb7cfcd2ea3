// SPDX-License-Identifier: Apache-2.0
// A wish for huge pages between taking memory and touching it.
#include "src/io/files/room.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace posenc::io {

void take_room(std::vector<std::byte>& bytes, std::size_t size) {
  bytes.reserve(size);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t huge_page = std::size_t{1} << 21;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(bytes.data()) % huge_page;
  if (size >= before + huge_page) {
    ::madvise(bytes.data() + before, (size - before) / huge_page * huge_page, MADV_HUGEPAGE);
  }
#endif
  bytes.resize(size);
}

}  // namespace posenc::io
