// SPDX-License-Identifier: Apache-2.0
// The two files as bytes of the object file, by GNU as; CMake defines their paths.
#include "apps/posenc/default/embedded.h"

#include <cstdint>

asm(R"(
  .pushsection .rodata
  .balign 8
posenc_default_size: .quad posenc_default_end - posenc_default
posenc_licence_size: .quad posenc_licence_end - posenc_licence
posenc_default: .incbin ")" POSENC_DEFAULT_FILE R"("
posenc_default_end:
posenc_licence: .incbin ")" POSENC_LICENCE_FILE R"("
posenc_licence_end:
  .hidden posenc_default, posenc_default_size, posenc_licence, posenc_licence_size
  .globl posenc_default, posenc_default_size, posenc_licence, posenc_licence_size
  .popsection
)");

extern "C" {
[[gnu::visibility("hidden")]] extern const char posenc_default[], posenc_licence[];
[[gnu::visibility("hidden")]] extern const std::uint64_t posenc_default_size, posenc_licence_size;
}

namespace posenc::tool {

std::string_view embedded_default() { return {posenc_default, posenc_default_size}; }
std::string_view embedded_licence() { return {posenc_licence, posenc_licence_size}; }

}  // namespace posenc::tool
