// SPDX-License-Identifier: Apache-2.0
// Tables of biases: by distance, where positions are ranges, and entry by entry, where they are lists.
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/preset.h>

#include <algorithm>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t heads = 12, tokens = 1024;

Work table(const Positions& positions, std::vector<std::shared_ptr<const void>> owns) {
  const auto out = buffer(heads * tokens * tokens * 4);
  owns.push_back(out);
  const View to = view(out->as<float>(), {heads, tokens, tokens});
  return {.run =
              [=](const Executor& executor) {
                bias(preset("alibi").convention, positions, positions, to, {.executor = executor});
              },
          .out = out->bytes(),
          .owns = std::move(owns)};
}

// In an order that is no range, times `unit`.
template <class T>
Work listed(T unit) {
  const auto list = buffer(tokens * static_cast<std::int64_t>(sizeof(T)));
  for (std::int64_t i = 0; i < tokens; ++i) list->as<T>()[i] = static_cast<T>(i * i % tokens) * unit;
  return table(Positions::list(view(list->as<T>(), {tokens})), {list});
}

Work slopes() {
  const std::int64_t count = std::int64_t{1} << 17;
  const auto out = buffer(count * 4);
  return {.run =
              [=](const Executor&) {
                const std::vector<float> all = bias_slopes(preset("alibi").convention, count);
                std::ranges::copy(all, out->as<float>());
              },
          .out = out->bytes(),
          .owns = {out}};
}

// The classes of the same pairs, of one head.
Work classes() {
  const auto out = buffer(tokens * tokens * 4);
  const View to = view(out->as<std::int32_t>(), {tokens, tokens});
  const Positions all = Positions::range(0, tokens);
  return {.run =
              [=](const Executor& executor) {
                buckets(preset("t5-bucket").convention, all, all, to, {.executor = executor});
              },
          .out = out->bytes(),
          .owns = {out}};
}

}  // namespace

std::vector<Row> bias_rows(const Scope&) {
  return {{"bias", "12 x 1024 x 1024", Ceiling::store, no_floor, no_floor,
           [] { return table(Positions::range(0, tokens), {}); }},
          {"bias, listed integers", "12 x 1024 x 1024", Ceiling::store, share(0.5), no_floor,
           [] { return listed<std::int32_t>(1); }},
          {"bias, listed reals", "12 x 1024 x 1024", Ceiling::store, share(0.2), no_floor,
           [] { return listed<double>(0.1); }},
          {"slopes", "131072", Ceiling::none, at_most(0.13, 0.13), no_floor, slopes, {1}},
          {"buckets", "1024 x 1024", Ceiling::store, no_floor, no_floor, classes}};
}

}  // namespace posenc::bench
