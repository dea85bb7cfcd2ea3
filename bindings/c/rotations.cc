// SPDX-License-Identifier: Apache-2.0
// Rotations, their caches, and cached keys moved.
#include <posenc/rerotate.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include "bindings/c/edge.h"

using namespace posenc;

struct posenc_rotary {
  RotaryRows rows;
};
struct posenc_rotary_cache {
  RotaryCache cache;
};

namespace {

Rotated rotated(const char* operation, const posenc_rotated& from) {
  if (from.side > POSENC_KEY) c::refuse(operation, "side must be query or key", std::to_string(from.side));
  if (from.tokens > POSENC_BEFORE_HEADS) {
    c::refuse(operation, "tokens must be before_columns or before_heads", std::to_string(from.tokens));
  }
  const TokenAxis tokens = from.tokens == 0 ? TokenAxis::before_columns : static_cast<TokenAxis>(from.tokens);
  return {c::view(operation, "in", from.in), c::view(operation, "out", from.out), static_cast<RotatedSide>(from.side),
          tokens};
}

// Queries and keys of every layer of a model are fewer.
constexpr std::size_t most_tensors = 1 << 16;

std::vector<Rotated> all_rotated(const char* operation, const posenc_rotated* tensors, std::size_t count) {
  c::require_few(operation, "count", count, most_tensors);
  std::vector<Rotated> own;
  for (std::size_t i = 0; i < count; ++i) {
    own.push_back(rotated(operation, (&c::given(operation, "tensors", tensors))[i]));
  }
  return own;
}

}  // namespace

posenc_status posenc_rotary_new(const posenc_convention* convention, int64_t rotated, const char* recipe,
                                const posenc_context* context, posenc_rotary** out, posenc_error* error) {
  constexpr const char* operation = "posenc_rotary_new";
  return c::made(operation, out, error, [&] {
    return RotaryRows(c::given(operation, "convention", convention).value, rotated,
                      c::options(operation, convention, recipe, context));
  });
}

void posenc_rotary_free(posenc_rotary* rotary) { delete rotary; }

int64_t posenc_rotary_width(const posenc_rotary* rotary) { return rotary == nullptr ? 0 : rotary->rows.width(); }

posenc_status posenc_rotary_rotate(const posenc_rotary* rotary, const posenc_positions* coordinates, size_t axes,
                                   const posenc_rotated* tensors, size_t count, uint32_t direction,
                                   const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_rotary_rotate";
  return c::call(operation, error, [&] {
    const RotaryRows& rows = c::given(operation, "rotary", rotary).rows;
    const Executor executor = c::run(operation, run).executor;
    const auto way = c::enumerator<Direction>(direction);
    if (axes == 1 && count == 1) {  // a decoding step, without an allocation
      const Positions one = c::positions(operation, "coordinates", coordinates);
      const Rotated tensor = rotated(operation, c::given(operation, "tensors", tensors));
      return rows.rotate({&one, 1}, {&tensor, 1}, way, executor);
    }
    rows.rotate(c::coordinates(operation, coordinates, axes), all_rotated(operation, tensors, count), way, executor);
  });
}

posenc_status posenc_rotary_cache_new(const posenc_convention* convention, int64_t head, const char* recipe,
                                      const posenc_context* context, posenc_rotary_cache** out, posenc_error* error) {
  constexpr const char* operation = "posenc_rotary_cache_new";
  return c::made(operation, out, error, [&] {
    return RotaryCache(c::given(operation, "convention", convention).value, head,
                       c::options(operation, convention, recipe, context));
  });
}

void posenc_rotary_cache_free(posenc_rotary_cache* cache) { delete cache; }

int64_t posenc_rotary_cache_width(const posenc_rotary_cache* cache) {
  return cache == nullptr ? 0 : cache->cache.width();
}

const char* posenc_rotary_cache_tensor(const posenc_rotary_cache* cache, size_t number) {
  return cache == nullptr ? nullptr : c::nth(cache->cache.tensors(), number);
}

posenc_status posenc_rotary_cache_frequencies(const posenc_rotary_cache* cache, double* out, size_t capacity,
                                              size_t* count, posenc_error* error) {
  constexpr const char* operation = "posenc_rotary_cache_frequencies";
  return c::call(operation, error, [&] {
    c::write_numbers(operation, c::given(operation, "cache", cache).cache.frequencies(), out, capacity, count);
  });
}

posenc_status posenc_rotary_cache_write(const posenc_rotary_cache* cache, const char* tensor,
                                        const posenc_positions* coordinates, size_t axes, const posenc_view* out,
                                        const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_rotary_cache_write";
  return c::call(operation, error, [&] {
    c::given(operation, "cache", cache)
        .cache.write(&c::given(operation, "tensor", tensor), c::coordinates(operation, coordinates, axes),
                     c::view(operation, "out", out), c::run(operation, run).executor);
  });
}

posenc_status posenc_rerotate(const posenc_convention* convention, const posenc_standing* from,
                              const posenc_standing* to, const posenc_rotated* keys, const posenc_run* run,
                              posenc_error* error) {
  constexpr const char* operation = "posenc_rerotate";
  return c::call(operation, error, [&] {
    const posenc_standing& before = c::given(operation, "from", from);
    const posenc_standing& after = c::given(operation, "to", to);
    const std::vector<Positions> stood = c::coordinates(operation, before.coordinates, before.axes);
    const std::vector<Positions> stand = c::coordinates(operation, after.coordinates, after.axes);
    rerotate(c::given(operation, "convention", convention).value, {stood, c::context(operation, before.context)},
             {stand, c::context(operation, after.context)}, rotated(operation, c::given(operation, "keys", keys)),
             {.executor = c::run(operation, run).executor});
  });
}
