// SPDX-License-Identifier: Apache-2.0
// The numbers of any convention by one call: biases of one query, beside which the table of operations would show.
#include <posenc/operation.h>
#include <posenc/preset.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t heads = 12, keys = 1024;

Work numbers(std::int64_t queries) {
  const auto out = buffer(heads * queries * keys * 4);
  const View to = view(out->as<float>(), {heads, queries, keys});
  return {.run =
              [=](const Executor& executor) {
                const Positions lists[] = {Positions::range(keys - queries, queries), Positions::range(0, keys)};
                write_numbers(preset("alibi").convention,
                              {.dim = heads, .lists = lists, .options = {.executor = executor}}, to);
              },
          .out = out->bytes(),
          .owns = {out}};
}

}  // namespace

std::vector<Row> operation_rows(const Scope&) {
  return {{"numbers", "12 x 1 x 1024", Ceiling::store, no_floor, no_floor, [] { return numbers(1); }},
          {"numbers", "12 x 1024 x 1024", Ceiling::store, no_floor, no_floor, [] { return numbers(keys); }}};
}

}  // namespace posenc::bench
