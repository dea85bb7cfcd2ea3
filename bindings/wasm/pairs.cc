// SPDX-License-Identifier: Apache-2.0
// What the module exports of pairs of rows besides posenc.h: their products, and who attends to whom.
#include <posenc/transformer/attention.h>

#include "bindings/c/edge.h"

using namespace posenc;

namespace {

// [n, columns] f32, each row adjacent.
ConstView rows_of(const char* operation, const char* name, const posenc_view* given) {
  const ConstView rows = c::view(operation, name, given);
  if (rows.dtype != DType::f32 || rows.rank != 2 || rows.stride(1) != 1) {
    c::refuse(operation, std::string(name) + " must be row-major f32 [n, d]", "a tensor of another form");
  }
  return rows;
}

double dot(const ConstView& a, std::int64_t i, const ConstView& b, std::int64_t j) {
  const float* x = static_cast<const float*>(a.data) + i * a.stride(0);
  const float* y = static_cast<const float*>(b.data) + j * b.stride(0);
  double sum = 0;
  for (std::int64_t k = 0; k < a.size(1); ++k) sum += static_cast<double>(x[k]) * static_cast<double>(y[k]);
  return sum;
}

}  // namespace

extern "C" {

// out [n, m] f64: rows of a [n, d] times rows of b [m, d], both f32, summed in the order of columns.
posenc_status posenc_products(const posenc_view* a, const posenc_view* b, const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_products";
  return c::call(operation, error, [&] {
    const ConstView left = rows_of(operation, "a", a), right = rows_of(operation, "b", b);
    const View products = c::view(operation, "out", out);
    if (left.size(1) != right.size(1)) {
      c::refuse(operation, "rows of b must have as many columns as those of a, " + std::to_string(left.size(1)),
                std::to_string(right.size(1)));
    }
    const bool fits = products.dtype == DType::f64 && products.rank == 2 && products.size(0) == left.size(0) &&
                      products.size(1) == right.size(0);
    if (!fits) c::refuse(operation, "out must be f64 [n, m]", "a tensor of another form");
    for (std::int64_t i = 0; i < left.size(0); ++i) {
      double* row = static_cast<double*>(products.data) + i * products.stride(0);
      for (std::int64_t j = 0; j < right.size(0); ++j) row[j * products.stride(1)] = dot(left, i, right, j);
    }
  });
}

// attention.h, attention_weights: queries [1, H, L, d], keys [1, H, S, d], out [1, H, L, S]; scaled, and all is seen.
posenc_status posenc_attention_weights(const posenc_view* queries, const posenc_view* keys, const posenc_view* out,
                                       posenc_error* error) {
  constexpr const char* operation = "posenc_attention_weights";
  return c::call(operation, error, [&] {
    attention_weights(ConstView(c::view(operation, "queries", queries)), ConstView(c::view(operation, "keys", keys)),
                      c::view(operation, "out", out), {.score = Score::scaled_dot, .sight = Sight::all});
  });
}
}
