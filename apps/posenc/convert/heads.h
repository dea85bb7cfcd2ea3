// SPDX-License-Identifier: Apache-2.0
// What a checkpoint's heads are like: how many, how wide, which of their columns turn; from options or a configuration.
#pragma once

#include <posenc/referee/head_order.h>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

struct HeadNumbers {
  std::int64_t heads = 0, key_heads = 0;
  std::optional<std::int64_t> head;      ///< columns; else what the first weight says
  std::optional<std::int64_t> rotated;   ///< of them; else all
  std::string end = "first";             ///< which of them: first or last
  std::optional<Convention> convention;  ///< of a configuration
  std::string model_type;                ///< of it
  std::int64_t turned = 0;               ///< columns that turn, of a model whose keys are compressed; else 0
  std::optional<Projection> fused;       ///< how a fused projection's rows stand, where that is stated
};

inline constexpr Option heads_option = {"--heads", "H", "query heads of the model"};
inline constexpr Option key_heads_option = {"--kv-heads", "G", "key heads (as many as query heads)"};
inline constexpr Option head_option = {"--head", "D", "columns of a head (what the first weight has for each)"};
inline constexpr Option rotated_option = {"--rotated", "R", "columns of a head that turn (all)"};
inline constexpr Option rotated_end_option = {"--rotated-end", "first|last", "which columns those are (first)"};
inline constexpr Option fused_option = {"--fused", "ROWS",
                                        "heads in fused rows: 8*q4k1v1 is 8 times 4 queries, a key, a value"};

/// --heads, --kv-heads, --head, --rotated, --rotated-end and --fused, or --config.
HeadNumbers read_heads(const Arguments& arguments);

/// Two rotations of the stated pairings of heads of `head` columns.
struct Pairings {
  Convention from, to;
  Context context;
};
Pairings pairings_of(const Arguments& arguments, const HeadNumbers& numbers, std::string_view from,
                     std::string_view to);

}  // namespace posenc::tool
