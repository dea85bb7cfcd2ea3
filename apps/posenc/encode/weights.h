// SPDX-License-Identifier: Apache-2.0
// The embedding rows of a call: built in, from a file, or from a seed.
#pragma once

#include <posenc/npy.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/encode/tokens.h"

namespace posenc::tool {

/// The options that read_weights reads.
inline constexpr Option weights_option = {"--weights", "FILE[:TENSOR]",
                                          "embedding rows: X.npy, or X.safetensors:TENSOR (the built-in ones)"};
inline constexpr Option init_option = {"--init", "normal|scaled", "rows from --seed: N(0, 1), or N(0, 1/d)"};

struct Weights {
  std::string source;  ///< "built in", the file and its tensor, or "normal" and "scaled"
  io::Array rows;      ///< [vocabulary, d], real

  std::int64_t count() const { return rows.shape[0]; }
  std::int64_t width() const { return rows.shape[1]; }
};

/// --weights or --init, else the built-in rows that came with the tokens; --dim agrees. There are as many rows as
/// tokens, or more where the tokenizer is a bpe or sentencepiece file. `ids` without a size get that of the rows.
Weights read_weights(const Arguments& arguments, Tokens& tokens);

}  // namespace posenc::tool
