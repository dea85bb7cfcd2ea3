// SPDX-License-Identifier: Apache-2.0
// The vocabulary and embedding rows built into the tool: 3,072 tokens of OpenAI's Whisper base
// (docs/tokenizer.md).
//
// whisper_base_3072.bin is little endian without padding; T = 3,072 tokens, M = 2,816 merges, W = 512, S = bytes of all
// tokens: "posencDV"; u32 version 1, T, M, W, S; T u32 original ids, ascending; T u32 lengths of tokens in bytes; S
// bytes of tokens in a row; M pairs of u32, own ids by rank; T f32 scales of rows; T W int8 entries, row by row. An id
// is the token's rank among the kept original ids: 0 to 255 are the bytes, token 256 + r is made by merge r. A row's
// scale is RN(max|row| / 127), an entry the f32 quotient row / scale rounded to nearest, ties to even.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::tool {

inline constexpr std::int64_t default_width = 512;

struct Default {
  posenc::io::Bpe bpe;
  std::vector<float> rows;                 ///< [bpe.size(), default_width], each RN(int8 * scale of the row)
  std::vector<std::int32_t> original_ids;  ///< the id in Whisper's own vocabulary, ascending
  std::string_view licence;                ///< OpenAI's MIT licence; of the whole process's life

  std::span<const float> row(std::int32_t id) const {
    return std::span(rows).subspan(static_cast<std::size_t>(id) * default_width, default_width);
  }
};

/// The embedded default, read anew at each call (a few milliseconds). Thread safety: yes.
Default load_default();

/// The same from the bytes of such a file. Errors: any length, count or value that its layout does not allow, with the
/// offset in bytes as the index.
Default read_default(std::string_view file);

}  // namespace posenc::tool
