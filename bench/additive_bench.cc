// SPDX-License-Identifier: Apache-2.0
// Additive attention of one head of 64 columns: its time is that of L S 64 hyperbolic tangents.
#include <posenc/transformer/additive.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t width = 64;

Work attend(std::int64_t tokens, Sight sight) {
  const auto rows = buffer(tokens * width * 4), query = buffer(width * width * 4), key = buffer(width * width * 4),
             direction = buffer(width * 4), out = buffer(tokens * width * 4);
  const auto matrix = [](const auto& of, std::int64_t count) { return view(of->template as<float>(), {count, width}); };
  const Additive weights = {{matrix(query, width)}, {matrix(key, width)}, view(direction->as<float>(), {width})};
  const ConstView source = view(rows->as<float>(), {1, tokens, width});
  const View to = view(out->as<float>(), {1, tokens, width});
  return {.run =
              [=](const Executor& executor) {
                additive_attention(weights, source, source, source, to, {.sight = sight, .executor = executor});
              },
          .out = out->bytes(),
          .owns = {rows, query, key, direction, out}};
}

}  // namespace

std::vector<Row> additive_rows(const Scope& scope) {
  std::vector<Row> rows;
  for (const std::int64_t tokens : {256, 1024, 4096}) {
    if (scope.extent == Scope::Extent::quick && tokens > 1024) break;
    const std::string size = std::to_string(tokens) + " x 64";
    rows.push_back({"additive", size, Ceiling::none, no_floor, no_floor, [=] { return attend(tokens, Sight::all); }});
    rows.push_back(
        {"additive, causal", size, Ceiling::none, no_floor, no_floor, [=] { return attend(tokens, Sight::past); }});
  }
  return rows;
}

}  // namespace posenc::bench
