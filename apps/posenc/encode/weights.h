// SPDX-License-Identifier: Apache-2.0
// The embedding rows of a call: built in, from a file, or from a seed.
#pragma once

#include <posenc/io/npy.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/encode/tokens.h"

namespace posenc::tool {

/// The options that read_weights reads.
inline constexpr Option weights_option = {"--weights", "FILE[:TENSOR]",
                                          "embedding rows: X.npy, X.safetensors:TENSOR, -, or built-in"};
inline constexpr Option table_option = {"--table", "FILE[:TENSOR]",
                                        "learned rows [n, d] in place of a convention: row p for position p"};
inline constexpr Option init_option = {"--init", "normal|scaled", "rows from --seed: N(0, 1), or N(0, 1/d)"};

/// The word of --weights for the tool's own rows.
inline constexpr std::string_view built_in_rows = "built-in";

struct Weights {
  std::string source;                   ///< "built in", the file and its tensor, or "normal" and "scaled"
  io::Array rows;                       ///< [vocabulary, d], real
  std::optional<io::Array> table = {};  ///< [positions, d] of the same type: a learned signal

  /// Whether the rows are those of the tool's own vocabulary.
  bool built_in() const { return source == "built in" || source == built_in_rows; }
  std::int64_t count() const { return rows.shape[0]; }
  std::int64_t width() const { return rows.shape[1]; }
};

/// --weights or --init, else the built-in rows that came with the tokens, and --table; --dtype rounds both, --dim
/// agrees. There are as many rows as tokens, or more where the tokenizer is a bpe or sentencepiece file. `ids` without
/// a size get that of the rows.
Weights read_weights(const Arguments& arguments, Tokens& tokens);

}  // namespace posenc::tool
