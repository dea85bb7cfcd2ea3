// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the embedded default: what its file has before the rows. The layout is in default.h.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::tool {

/// The front of such a file. It may be all that there is of one.
struct DefaultTokens {
  posenc::io::Bpe bpe;
  std::vector<std::int32_t> original_ids;  ///< the id in Whisper's own vocabulary, ascending
  std::size_t end;                         ///< bytes up to the rows
};

/// Errors: any length, count or value that the layout does not allow, with the offset in bytes as the index.
DefaultTokens read_default_tokens(std::string_view file);

}  // namespace posenc::tool
