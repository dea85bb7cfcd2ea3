// SPDX-License-Identifier: Apache-2.0
// What attention reads of pairs of positions: biases, classes, log coordinates; and factors of queries.
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>

#include <algorithm>

#include "bindings/c/edge.h"

using namespace posenc;

namespace {

Context bias_context(const char* operation, const posenc_bias_context* context) {
  if (context == nullptr) return {};
  const posenc_bias_context from = c::sized(operation, "context", context);
  c::require_unused(operation, "context", from.reserved);
  Context own = {.head = from.head};
  if (from.present != nullptr) own.present = c::view(operation, "context.present", from.present);
  return own;
}

}  // namespace

posenc_status posenc_bias(const posenc_convention* convention, const posenc_positions* queries,
                          const posenc_positions* keys, const posenc_bias_context* context, const posenc_view* out,
                          const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_bias";
  return c::call(operation, error, [&] {
    bias(c::given(operation, "convention", convention).value, c::positions(operation, "queries", queries),
         c::positions(operation, "keys", keys), c::view(operation, "out", out),
         {.executor = c::run(operation, run).executor, .context = bias_context(operation, context)});
  });
}

posenc_status posenc_bias_slopes(const posenc_convention* convention, int64_t heads, float* out, posenc_error* error) {
  constexpr const char* operation = "posenc_bias_slopes";
  return c::call(operation, error, [&] {
    const std::vector<float> slopes = bias_slopes(c::given(operation, "convention", convention).value, heads);
    std::ranges::copy(slopes, &c::given(operation, "out", out));
  });
}

posenc_status posenc_buckets(const posenc_convention* convention, const posenc_positions* queries,
                             const posenc_positions* keys, const posenc_view* out, const posenc_run* run,
                             posenc_error* error) {
  constexpr const char* operation = "posenc_buckets";
  return c::call(operation, error, [&] {
    buckets(c::given(operation, "convention", convention).value, c::positions(operation, "queries", queries),
            c::positions(operation, "keys", keys), c::view(operation, "out", out),
            {.executor = c::run(operation, run).executor});
  });
}

posenc_status posenc_window_buckets(const posenc_convention* convention, int64_t height, int64_t width,
                                    const posenc_view* out, const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_window_buckets";
  return c::call(operation, error, [&] {
    window_buckets(c::given(operation, "convention", convention).value, {height, width}, c::view(operation, "out", out),
                   {.executor = c::run(operation, run).executor});
  });
}

posenc_status posenc_log_coordinates(const posenc_convention* convention, const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_log_coordinates";
  return c::call(operation, error, [&] {
    log_coordinates(c::given(operation, "convention", convention).value, c::view(operation, "out", out));
  });
}

posenc_status posenc_query_scale(const posenc_convention* convention, const posenc_positions* positions,
                                 const posenc_view* out, const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_query_scale";
  return c::call(operation, error, [&] {
    query_scale(c::given(operation, "convention", convention).value, c::positions(operation, "positions", positions),
                c::view(operation, "out", out), {.executor = c::run(operation, run).executor});
  });
}
