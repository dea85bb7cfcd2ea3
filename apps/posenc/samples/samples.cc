// SPDX-License-Identifier: Apache-2.0
// The two texts as bytes of the object file, by GNU as; CMake defines their paths.
#include "apps/posenc/samples/samples.h"

#include <cstdint>

asm(R"(
  .section .rodata
  .balign 8
posenc_english_size: .quad posenc_english_end - posenc_english
posenc_chinese_size: .quad posenc_chinese_end - posenc_chinese
posenc_english: .incbin ")" POSENC_ENGLISH_FILE R"("
posenc_english_end:
posenc_chinese: .incbin ")" POSENC_CHINESE_FILE R"("
posenc_chinese_end:
  .hidden posenc_english, posenc_english_size, posenc_chinese, posenc_chinese_size
  .globl posenc_english, posenc_english_size, posenc_chinese, posenc_chinese_size
  .text
)");

extern "C" {
[[gnu::visibility("hidden")]] extern const char posenc_english[], posenc_chinese[];
[[gnu::visibility("hidden")]] extern const std::uint64_t posenc_english_size, posenc_chinese_size;
}

namespace posenc::tool {

std::string_view english_sample() { return {posenc_english, posenc_english_size}; }
std::string_view chinese_sample() { return {posenc_chinese, posenc_chinese_size}; }

}  // namespace posenc::tool
