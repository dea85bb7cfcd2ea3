// SPDX-License-Identifier: Apache-2.0
// The vocabulary and embedding rows built into the tool: 3,072 tokens of OpenAI's Whisper base (docs/default.md).
#pragma once

#include <posenc/bpe.h>

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
