// SPDX-License-Identifier: Apache-2.0
// Views of row-major data.
#include "bindings/c/edge.h"

using namespace posenc;

posenc_status posenc_view_of(void* data, uint32_t dtype, uint32_t rank, const int64_t* shape, posenc_view* out,
                             posenc_error* error) {
  constexpr const char* operation = "posenc_view_of";
  return c::call(operation, error, [&] {
    if (rank > max_rank) c::refuse(operation, "rank must be 0 to 8", std::to_string(rank));
    const int64_t* sizes = rank == 0 ? nullptr : &c::given(operation, "shape", shape);
    const auto strides = detail::row_major_strides(std::span(sizes, rank));
    posenc_view made = {data, dtype, rank, {}, {}};
    std::copy_n(sizes, rank, made.shape);
    std::copy_n(strides.begin(), rank, made.strides);
    require(check_view(operation, "data", c::view(operation, "view", &made)));
    c::given(operation, "out", out) = made;
  });
}
